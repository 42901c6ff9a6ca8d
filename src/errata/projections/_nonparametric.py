"""Directions across the border between classes, wherever it runs: each row has its own means."""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from .._blocks import blocks, map_blocks
from .._neighbors import NeighborIndex
from .._validation import check_count, check_fraction
from ._linear import ScatterProjection, within_scatter

_BLOCK = 1_000_000  # distances held at a time
_NEAR = 1e-3  # rows nearer than this, in root mean square norms, count as this far apart


class NonparametricDiscriminantProjection(ScatterProjection):
    """Directions across the border between classes (Fukunaga and Mantock's NDA).

    Each row is compared with the mean of its nearest rows in every other class, and rows near a
    border count more. Reach for it when classes are not round clouds, or when one direction for two
    classes is too few: it gives up to d. Costs O(n² d) for the neighbours (less with few features),
    O(n d² + d³) for the rest, and O(n k d) memory.

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    n_neighbors : int, default=3
        Rows of the other class that make up the local mean; the more, the more it resembles the
        class mean of linear discriminants. Cut to the size of the class.
    power : float, default=1
        How sharply rows far from a border are played down; 0 counts all rows alike.
    shrinkage : float in [0, 1], default=1e-3
        How far scatter matrices move towards a sphere.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`.

    Notes
    -----
    ``S_b = 1/n Σ_i Σ_{j ≠ i} Σ_{x in i} w (x - M_j(x))(x - M_j(x))'`` with M_j(x) the mean of the k
    nearest rows in class j, and ``w = min(a, b) / (a + b)``, a and b being the distances to the
    k-th neighbour in the own and in the other class, raised to ``power``: 1/2 at a border, 0 deep
    inside a class. A row alone in its class gets 1/2. S_w is that of linear discriminants.

    References
    ----------
    .. [1] Fukunaga and Mantock. Nonparametric discriminant analysis. IEEE Transactions on Pattern
       Analysis and Machine Intelligence 5, 1983.

    Examples
    --------
    >>> from errata.datasets import make_xor
    >>> from errata.projections import NonparametricDiscriminantProjection
    >>> X, y = make_xor(300, random_state=0)          # the class means coincide
    >>> NonparametricDiscriminantProjection().fit_transform(X, y).shape
    (300, 2)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_neighbors: int = 3,
        power: float = 1.0,
        shrinkage: float = 1e-3,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.power = power
        self.shrinkage = shrinkage

    def _scatters(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = check_count("n_neighbors", self.n_neighbors)
        power = check_fraction("power", self.power, high=np.inf)
        groups = [codes == c for c in range(codes.max() + 1)]
        indices = [NeighborIndex(X[group]) for group in groups]
        to_own = np.full(len(X), np.nan)  # stays NaN for a row alone in its class
        for group, index in zip(groups, indices, strict=True):
            if group.sum() > 1:
                to_own[group] = index.others(min(k, int(group.sum()) - 1))[0][:, -1]
        between = np.zeros((X.shape[1], X.shape[1]))
        for group, index in zip(groups, indices, strict=True):
            distance, found = index.find(X[~group], min(k, int(group.sum())))
            difference = X[~group] - X[group][found].mean(axis=1)
            weight = _border_weight(to_own[~group], distance[:, -1], power)
            between += (weight[:, None] * difference).T @ difference
        return between / len(X), within_scatter(X, codes)


class NonparametricWeightedProjection(ScatterProjection):
    """Directions from weighted local means (Kuo and Landgrebe's NWFE).

    As :class:`NonparametricDiscriminantProjection`, but both scatters are local: each row has a
    mean of its own in every class, its own class included, in which near rows weigh more. Made for
    few rows and many features. Gives up to d directions. Costs O(n² d) time, in blocks that hold a
    million distances.

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    diagonal : float in [0, 1], default=0.5
        How far the scatter within classes moves towards its diagonal.
    shrinkage : float in [0, 1], default=1e-3
        How far scatter matrices move towards a sphere, after that.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`.

    Notes
    -----
    ``M_j(x) = Σ w y`` over the rows y of class j other than x, w proportional to ``1/|x - y|``; the
    scatter of class i about class j is ``1/n Σ λ (x - M_j(x))(x - M_j(x))'``, λ proportional to
    ``1/|x - M_j(x)|`` with sum one over class i. S_b adds up i ≠ j, S_w i = j. Distances below a
    thousandth of the spread of the data count as that, or a pair of duplicates would be all that
    counts.

    References
    ----------
    .. [1] Kuo and Landgrebe. Nonparametric weighted feature extraction for classification. IEEE
       Transactions on Geoscience and Remote Sensing 42, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.projections import NonparametricWeightedProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> NonparametricWeightedProjection(n_components=3).fit_transform(X, y).shape
    (150, 3)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        diagonal: float = 0.5,
        shrinkage: float = 1e-3,
    ) -> None:
        self.n_components = n_components
        self.diagonal = diagonal
        self.shrinkage = shrinkage

    def _scatters(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        diagonal = check_fraction("diagonal", self.diagonal)
        between, within = np.zeros((2, X.shape[1], X.shape[1]))
        near = _NEAR * np.sqrt(np.mean(X**2) * X.shape[1]) or 1.0
        for c in range(codes.max() + 1):
            own = codes == c
            difference = X - _weighted_means(X, own, near)
            weight = 1 / np.maximum(np.linalg.norm(difference, axis=1), near)
            # λ of the paper, one in sum over each class, and the 1/n of the scatter.
            weight /= np.bincount(codes, weight)[codes] * len(X)
            weighted = weight[:, None] * difference
            between += weighted[~own].T @ difference[~own]
            within += weighted[own].T @ difference[own]
        return between, (1 - diagonal) * within + diagonal * np.diag(np.diag(within))


def _border_weight(to_own: np.ndarray, to_other: np.ndarray, power: float) -> np.ndarray:
    """1/2 where a row is as near to the other class as to its own, towards 0 deep inside."""
    a, b = np.where(np.isnan(to_own), to_other, to_own) ** power, to_other**power
    total = a + b
    return np.divide(np.minimum(a, b), total, out=np.full(len(b), 0.5), where=total > 0)


def _weighted_means(X: np.ndarray, group: np.ndarray, near: float) -> np.ndarray:
    """For each row the mean of the others in a group, weighted by one over their distance.

    A row alone in the group is its own mean.
    """
    members = np.flatnonzero(group)

    def means_of(rows: slice) -> np.ndarray:
        # Inner products lose digits between close rows only, which count as ``near`` apart anyway.
        weight = 1 / np.maximum(euclidean_distances(X[rows], X[members]), near)
        if len(members) > 1:
            # The row itself, at distance zero, would be all of its mean.
            inside = (members >= rows.start) & (members < rows.stop)
            weight[members[inside] - rows.start, np.flatnonzero(inside)] = 0
        return weight @ X[members] / weight.sum(axis=1, keepdims=True)

    return map_blocks(means_of, blocks(len(X), _BLOCK, width=len(members)))
