"""Where some rows are among others."""

import numpy as np


def places_among(ordered: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each row among those in order, and whether it is there at all.

    The place of a row that is not there means nothing, but is that of some row.

    Examples
    --------
    >>> places_among(np.array([2, 5, 9]), np.array([9, 3, 2, 11]))
    (array([2, 1, 0, 2]), array([ True, False,  True, False]))
    """
    at = np.searchsorted(ordered, rows).clip(max=len(ordered) - 1)
    return at, ordered[at] == rows
