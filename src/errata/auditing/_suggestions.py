"""Which class is suggested for a row, and how probable it is: one rule, in memory and on disk."""

import numpy as np


def suggestion(
    codes: np.ndarray, flagged: np.ndarray, p_wrong: np.ndarray, p_other: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows for which another class than the label is suggested, and the chance of the suggestion.

    These are the flagged rows and those without a label (of the code -1); for others the label
    itself is suggested, which is right unless it is wrong.

    Examples
    --------
    >>> codes, flagged = np.array([0, 1, -1]), np.array([False, True, False])
    >>> other, p = suggestion(codes, flagged, np.array([0.25, 0.5, 0.0]), np.array([0, 0.4, 0.9]))
    >>> other.tolist(), p.tolist()
    ([False, True, True], [0.75, 0.4, 0.9])
    """
    is_other = flagged | (codes < 0)
    return is_other, np.where(is_other, p_other, 1 - p_wrong)
