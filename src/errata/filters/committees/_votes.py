"""Votes on labels: counted in one place, for committees of every kind."""

from typing import Any

import numpy as np

from ..._validation import check_fraction
from ...hardness._measure import CERTAIN

ABSTAINS = -1  # instead of the code of a class
RULES = {"majority": 0.5, "consensus": CERTAIN}


def vote_line(vote: Any) -> float:
    """The fraction of wrong votes that a flagged row exceeds."""
    if isinstance(vote, str) and vote in RULES:
        return RULES[vote]
    try:
        line = check_fraction("vote", vote)
    except ValueError:
        line = 0.0
    if not 0 < line < 1:
        raise ValueError(
            f"vote={vote!r} is not known; choose majority, consensus, or a number above 0 and "
            "below 1, the fraction of wrong votes that a flagged row exceeds."
        )
    return line


def count_votes(ballots: np.ndarray, n_classes: int) -> np.ndarray:
    """Number of votes for each class, (n, n_classes), from the codes that each voter named (n, m).

    Examples
    --------
    >>> count_votes(np.array([[0, 1, 1], [2, ABSTAINS, 2], [ABSTAINS] * 3]), 3)
    array([[1, 2, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    row, voter = np.nonzero(ballots != ABSTAINS)
    cells = row * n_classes + ballots[row, voter]
    return np.bincount(cells, minlength=len(ballots) * n_classes).reshape(-1, n_classes)


def judge_by_votes(votes: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fraction of the votes that are against each label, and the code that most are for.

    Without a vote nothing is held against a label. Of equals, the label itself is named, or else
    the first.

    Examples
    --------
    >>> judge_by_votes(np.array([[1, 2, 0], [1, 1, 0], [0, 0, 0]]), np.array([0, 1, 2]))
    (array([0.66666667, 0.5       , 0.        ]), array([1, 1, 2]))
    """
    own, cast = votes[np.arange(len(codes)), codes], votes.sum(axis=1)
    wrong = np.divide(cast - own, cast, out=np.zeros(len(codes)), where=cast > 0)
    return wrong, np.where(own == votes.max(axis=1), codes, votes.argmax(axis=1))
