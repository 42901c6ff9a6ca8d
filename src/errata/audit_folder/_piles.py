"""Piles: rows for a review to take one by one, drawn with known probabilities.

Suspects are shuffled, and so are the other rows. The *calibration pile* takes from the tops of
both, a quarter of suspects or their fraction of the table if that is more, evenly spread; the *spot
pile* goes on with the others where it ends. So however many rows are taken from the tops of the
piles, they are a uniform sample without replacement of the suspects, and another of the rows that
are not flagged: of each stratum any row is drawn with the same probability.
"""

from typing import Any

import numpy as np

CALIBRATION = 40  # rows at most
SPOT = 300
SUSPECTED = 1 / 4  # of the calibration pile at least: `python benchmarks/verdicts.py certificate`
SUSPECTS = "flagged"
OTHERS = "others"


def draw_piles(
    flagged: np.ndarray, random: np.random.Generator, known: np.ndarray | None = None
) -> dict[str, Any]:
    """Draw both piles.

    Parameters
    ----------
    flagged : array of bool of shape (n,)
        The suspects.
    random : Generator
        Draws.
    known : array of bool of shape (n,), optional
        Rows whose label is certain, which are left out.

    Returns
    -------
    dict
        ``calibration``: for each draw the row, its probability given the earlier draws from the
        same stratum, and the name of the stratum; ``spot``: rows; ``sizes``: how many rows each
        stratum has.
    """
    unknown = np.ones(len(flagged), dtype=bool) if known is None else ~known
    strata = {
        SUSPECTS: random.permutation(np.flatnonzero(flagged & unknown)).tolist(),
        OTHERS: random.permutation(np.flatnonzero(~flagged & unknown)).tolist(),
    }
    share = max(SUSPECTED, len(strata[SUSPECTS]) / max(unknown.sum(), 1))
    turns = [
        ((turn + 0.5) / part, [row, 1 / (len(strata[name]) - turn), name])
        for name, part in ((SUSPECTS, share), (OTHERS, max(1 - share, 1e-9)))
        for turn, row in enumerate(strata[name][:CALIBRATION])
    ]
    turns.sort(key=lambda drawn: drawn[0])
    calibration = [drawn for _, drawn in turns[:CALIBRATION]]
    taken = sum(name == OTHERS for _, _, name in calibration)
    return {
        "calibration": calibration,
        "spot": strata[OTHERS][taken : taken + SPOT],
        "sizes": {name: len(rows) for name, rows in strata.items()},
    }
