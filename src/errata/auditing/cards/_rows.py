"""Which rows get a card: flagged ones, and those that a review draws from the others."""

from typing import Any

import numpy as np

from .._settings import MOST_CARDS


def card_rows(suspicion: np.ndarray, flagged: np.ndarray, piles: dict[str, Any]) -> np.ndarray:
    """The flagged rows, the most suspicious first, then other rows of the piles, each once.

    Examples
    --------
    >>> suspicion, flagged = np.array([0.1, 0.8, 0.9, 0.2]), np.array([False, True, True, False])
    >>> card_rows(suspicion, flagged, {"calibration": [[2, 0.5, 0], [0, 0.1, 1]], "spot": [3, 0]})
    array([2, 1, 0, 3])
    """
    listed = np.flatnonzero(flagged)
    listed = listed[np.argsort(-suspicion[listed], kind="stable")][:MOST_CARDS]
    drawn = [*(row for row, *_ in piles["calibration"]), *piles["spot"]]
    return np.array(list(dict.fromkeys([*listed.tolist(), *drawn])), dtype=np.intp)
