"""All-kNN: a label must stand the vote of every number of neighbours."""

from typing import Any

import numpy as np

from ..._neighbors import commonest, vote_margins
from .._base import Verdict
from ._base import NeighborEditor


class AllNeighborsFilter(NeighborEditor):
    """Flag the rows that 1, or 2, or ... k nearest neighbours would label otherwise (all-kNN).

    The strictest of the editors: what it leaves is clean, and it leaves the least. In particular
    it flags every row whose nearest neighbour is wrong. Use it when good rows are plenty and a
    wrong one costs dearly. Do not use it to find errors for somebody to look at, nor to rank rows:
    with 10 % of wrong labels most of what it flags is right. It assumes that wrong labels are
    scattered and distances meaningful; scale the features in front of it. Costs one search for
    neighbours (about n log n distances with up to eight features, n² with more) and O(n k²) for the
    votes; memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=3
        The largest number of neighbours that vote; more flag more rows.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (some vote prefers another label) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        The largest suspicion that :class:`EditedNeighborsFilter` has with 1 to k neighbours. A
        score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The commonest label among all k neighbours where a row is flagged (of equals, that of the
        nearest), its own label elsewhere.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    EditedNeighborsFilter : one vote, of k neighbours.

    Notes
    -----
    All votes are taken on the rows as given and acted on at the end, as Tomek has it.
    imbalanced-learn's ``AllKNN`` edits between the votes, which is another algorithm and flags
    other rows.

    References
    ----------
    .. [1] Tomek. An experiment with the edited nearest-neighbor rule. IEEE Transactions on Systems,
       Man, and Cybernetics 6, 1976.

    Examples
    --------
    The error at 2.1 is found, and makes its nearest neighbour suspicious, too:

    >>> from errata.filters import AllNeighborsFilter
    >>> X = [[0.0], [1.0], [2.1], [3.3], [10.0], [11.2], [12.3], [13.3]]
    >>> y = ["cat", "cat", "dog", "cat", "dog", "dog", "dog", "dog"]
    >>> editor = AllNeighborsFilter().fit(X, y)
    >>> editor.suspicion_.round(2)
    array([0.5, 0.5, 1. , 1. , 0. , 0. , 0. , 0. ])
    >>> editor.suggested_[[2, 3]]
    array(['cat', 'cat'], dtype='<U3')
    """

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        votes = self._votes(X, codes)
        return Verdict(vote_margins(votes, codes).max(axis=1), commonest(votes))
