"""How unevenly rows are spread over the classes."""

from typing import Any

import numpy as np

from ..._validation import check_labels


def imbalance(y: Any) -> float:
    """Root mean square distance of the class frequencies to those of a balanced set.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    float
        0 where all classes are equally frequent; with K classes below sqrt(K - 1) / K.

    Notes
    -----
    With n_y of n rows in class y, sqrt(mean over y of (n_y / n - 1 / K)^2): equation 31 of
    Frénay and others (2014), "Estimating mutual information for feature selection in the presence
    of label noise", Computational Statistics & Data Analysis 71.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from errata.feature_selection.information import imbalance
    >>> round(imbalance(load_wine().target), 2)
    0.05
    """
    classes, codes = check_labels(y)
    frequencies = np.bincount(codes) / len(codes)
    return float(np.sqrt(np.mean((frequencies - 1 / len(classes)) ** 2)))
