"""The contract between the rooms: ``suspicion_``, ``flagged_``, ``suggested_``.

Whatever learns something about the training labels says it in the same three fitted attributes,
one entry per row given to ``fit``, in the order of the rows:

- ``suspicion_``: higher = more likely mislabelled;
- ``flagged_``: the yes or no drawn from it by one of the rules of :func:`flag`;
- ``suggested_``: the class errata would have given; the label itself where nothing is flagged.
"""

from typing import Any

import numpy as np

from ._validation import check_fraction

_ANY = {"low": -np.inf, "high": np.inf}


def flag(
    suspicion: np.ndarray,
    *,
    threshold: float | None = None,
    share: float | str | None = None,
    native: float = 0.5,
    probability: bool = False,
) -> np.ndarray:
    """Draw the line between suspects and the rest.

    Parameters
    ----------
    suspicion : array of shape (n,)
        One number per row, higher = more likely mislabelled.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it.
    share : float or "estimate", optional
        Flag exactly this share of the rows, the most suspicious first (to the nearest row, ties to
        the smaller index). "estimate" takes the share from the suspicions themselves, their sum
        being the expected number of wrong labels: only where they are probabilities.
    native : float, default=0.5
        The detector's own threshold, used when neither of the two is given.
    probability : bool, default=False
        Whether the suspicions are probabilities, so that ``share="estimate"`` has a meaning.

    Returns
    -------
    array of bool of shape (n,)
    """
    if threshold is not None and share is not None:
        raise ValueError(
            f"threshold={threshold!r} and share={share!r} are two rules; pass at most one of them."
        )
    if share is None:
        line = native if threshold is None else check_fraction("threshold", threshold, **_ANY)
        return suspicion > line
    if share != "estimate":
        expected = check_fraction("share", share) * len(suspicion)
    elif probability:
        expected = suspicion.sum()
    else:
        raise ValueError(
            'share="estimate" needs suspicions that are probabilities, and these are scores; '
            "pass a number between 0 and 1, or a threshold."
        )
    flagged = np.zeros(len(suspicion), dtype=bool)
    most_suspicious_first = np.argsort(-suspicion, kind="stable")
    flagged[most_suspicious_first[: int(np.floor(expected + 0.5))]] = True
    return flagged


class SuspicionMixin:
    """Gives a detector the one way to conclude its ``fit``.

    The estimator has the parameters ``threshold`` and ``share``, and ``classes_`` is set.
    """

    threshold: float | None
    share: float | str | None
    classes_: np.ndarray

    def _conclude(
        self, suspicion: np.ndarray, codes: np.ndarray, suggested: np.ndarray, **rule: Any
    ) -> None:
        """Set the three fitted attributes from suspicions and the codes of labels and suggestions.

        ``rule`` passes ``native`` and ``probability`` on to :func:`flag`.
        """
        self.suspicion_ = suspicion
        self.flagged_ = flag(suspicion, threshold=self.threshold, share=self.share, **rule)
        self.suggested_ = self.classes_[np.where(self.flagged_, suggested, codes)]
