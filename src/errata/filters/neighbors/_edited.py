"""Wilson's editing: a label goes when its nearest neighbours prefer another."""

from typing import Any

import numpy as np

from ..._neighbors import commonest, vote_margins
from .._base import Verdict
from ._base import NeighborEditor


class EditedNeighborsFilter(NeighborEditor):
    """Flag the rows whose nearest neighbours prefer another label (edited nearest neighbours, ENN).

    The oldest of the editors, and the plainest: one vote, one pass. It assumes that wrong labels
    are scattered (at random, or by class) among rows of a class that lie together, and that
    distances mean something, so scale the features in front of it. Do not use it where errors come
    in clumps, which vouch for each other, for classes of a few scattered rows, which it edits away,
    or to rank rows: three votes can tell few grades of suspicion apart, and
    :class:`ModeFilter` ranks better. Costs one search for neighbours (about n log n distances
    with up to eight features, n² with more) and O(n k²) for the votes; memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=3
        How many neighbours vote. More smooth the vote, and are blinder to small clusters; cut to
        n - 1, with a warning, where there are not so many others.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (another label has more votes) when neither
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
        By how much the neighbours prefer another label, from 0 (all agree with the label) to 1 (all
        agree on one other); 0.5 is a tie, which keeps the label. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The commonest label among the neighbours where a row is flagged (of equals, that of the
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
    RepeatedEditedFilter : goes on until nothing is flagged.
    AllNeighborsFilter : asks for every number of neighbours up to k.
    errata.hardness.NeighborDisagreement : counts votes against the label, whichever they are for.

    Notes
    -----
    With c_q of the k neighbours labelled q, the suspicion of a row labelled y is
    (max_{q != y} c_q - c_y + k) / 2k. imbalanced-learn's ``EditedNearestNeighbours`` is Wilson's
    rule with ``sampling_strategy="all", kind_sel="mode"`` only (and there a tie goes to the smaller
    class, here to the label).

    References
    ----------
    .. [1] Wilson. Asymptotic properties of nearest neighbor rules using edited data. IEEE
       Transactions on Systems, Man, and Cybernetics 2, 1972.

    Examples
    --------
    >>> from errata.filters import EditedNeighborsFilter
    >>> X = [[0.0], [1.0], [2.1], [3.3], [10.0], [11.2], [12.3], [13.3]]
    >>> y = ["cat", "cat", "dog", "cat", "dog", "dog", "dog", "dog"]
    >>> editor = EditedNeighborsFilter().fit(X, y)
    >>> editor.suspicion_.round(2)
    array([0.33, 0.33, 1.  , 0.33, 0.  , 0.  , 0.  , 0.  ])
    >>> editor.suggested_[editor.flagged_]
    array(['cat'], dtype='<U3')
    >>> editor.fit_resample(X, y)[1]
    ['cat', 'cat', 'cat', 'dog', 'dog', 'dog', 'dog']
    """

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        votes = self._votes(X, codes)
        return Verdict(vote_margins(votes, codes)[:, -1], commonest(votes))
