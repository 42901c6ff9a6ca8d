"""Filters by neighbours: a label goes when the nearest rows prefer another, once or repeatedly.

Or by a graph of neighbours: the mode of the labels around a row, and cut edges.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from .._detector import DetectorMixin, find_best_other, flag, spare_classes
from .._neighbors import (
    NeighborIndex,
    find_commonest,
    limit_neighbors,
    measure_pairs,
    nearest,
    vote_margins,
)
from .._validation import bring_near_one, check_choice, check_count, check_fraction, check_labelled
from ._base import Filter, Verdict, relabel

GRAPHS = ("knn", "mutual_knn", "gabriel", "rng")
WEIGHTS = ("uniform", "distance", "rank")
RULES = ("balance", "bad", "doubtful")
MAX_ROWS = 2000  # for graphs of cubic cost; all distances then are 32 MB, one chunk

ROUNDING = 1e-12  # a suspicion as near to 0.5 as this is a tie, and a tie keeps the label

SLACK = 1 - 1e-12  # what only rounding makes nearer does not stand between two rows
STEPS = (16, 128)  # the rows nearest to one end are asked first: most pairs fall at once


class NeighborFilter(DetectorMixin, Filter):
    """A filter that says in ``_judge`` what the neighbours of the rows make of their labels."""

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        max_fraction: float | None = None,
        min_per_class: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.threshold = threshold
        self.contamination = contamination
        self.max_fraction = max_fraction
        self.min_per_class = min_per_class
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # takes no metadata
        """Judge each label of ``y`` by the labels of the rows near it in ``X``."""
        X, codes = check_labelled(
            self, X, y, min_classes=2, accept_sparse="csr", ensure_min_samples=2
        )
        return self._fit_codes(X, codes)

    def _fit_codes(self, X: Any, codes: np.ndarray) -> Self:
        """Judge rows and labels that have passed the checks; ``classes_`` is set."""
        self._check_guards()
        suspicion, suggested, native = self._judge(bring_near_one(X), codes)
        self._conclude(suspicion, codes, suggested, native=native)
        self._leave_out(codes)
        return self

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        """Suspicion and suggestion by the neighbours."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where the metric knows them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        tags.input_tags.sparse = not tags.input_tags.allow_nan
        return tags


class NeighborEditor(NeighborFilter):
    """A filter that lets the nearest neighbours vote."""

    def _votes(self, X: Any, codes: np.ndarray) -> np.ndarray:
        """Codes of the labels of each row's neighbours, the nearest first, (n, k)."""
        return codes[nearest(X, self.n_neighbors, metric=self.metric, n_jobs=self.n_jobs)]


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
        return vote_margins(votes, codes)[:, -1], find_commonest(votes), 0.5


class RepeatedEditedFilter(NeighborEditor):
    """Edit by the nearest neighbours until they agree with every label (repeated ENN).

    Errors that vouch for each other survive one vote; once their companions are gone they are found
    out. With many wrong labels that finds more of them than :class:`EditedNeighborsFilter`. It
    also eats into borders, where right and wrong are hard to tell, so do not use it where classes
    overlap much and few labels are wrong. It assumes that wrong labels are scattered and distances
    meaningful; scale the features in front of it. Costs a search for neighbours among the rows left
    in each round, of which few are needed; memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=3
        How many neighbours vote.
    max_iter : int, default=100
        At most so many rounds.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        In each round, go on without the rows whose suspicion exceeds it; 0.5 (another label has
        more votes) when it is not given.
    contamination : float, optional
        Flag this fraction of the rows in the end, the most suspicious first, instead of those that
        went in the rounds.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        As :class:`EditedNeighborsFilter` has it in the round in which a row went, for the others in
        the last round. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        The rows that went, and those that would have gone but for ``min_per_class``.
    suggested_ : array of shape (n,)
        The commonest label among the neighbours in that round where a row is flagged (of equals,
        that of the nearest), its own label elsewhere.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    history_ : list of int
        Number of rows that went in each round.
    n_iter_ : int
        Number of rounds.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    EditedNeighborsFilter : one round.
    Cleaner : repeats any detector, and can relabel.

    Notes
    -----
    Ends when nothing more goes, when no more than k rows are left, or after ``max_iter`` rounds. In
    every round ``min_per_class`` rows of each class go on voting, its least suspicious.

    References
    ----------
    .. [1] Tomek. An experiment with the edited nearest-neighbor rule. IEEE Transactions on Systems,
       Man, and Cybernetics 6, 1976.

    Examples
    --------
    With three wrong labels in ten, one vote leaves some that later ones find:

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from errata.filters import EditedNeighborsFilter, RepeatedEditedFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.3, random_state=0)
    >>> once = EditedNeighborsFilter().fit(scale(X), labels)
    >>> again = RepeatedEditedFilter().fit(scale(X), labels)
    >>> again.history_
    [62, 10, 2, 0]
    >>> [int(flipped[editor.sample_indices_].sum()) for editor in (once, again)]
    [11, 1]
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        max_iter: int = 100,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        max_fraction: float | None = None,
        min_per_class: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors,
            metric=metric,
            threshold=threshold,
            contamination=contamination,
            max_fraction=max_fraction,
            min_per_class=min_per_class,
            n_jobs=n_jobs,
        )
        self.max_iter = max_iter

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        suspicion = np.zeros(len(codes))
        suggested = codes.copy()
        left = np.arange(len(codes))
        self.history_: list[int] = []
        for _ in range(check_count("max_iter", self.max_iter)):
            votes = self._votes(X[left], codes[left])
            suspicion[left] = vote_margins(votes, codes[left])[:, -1]
            suggested[left] = find_commonest(votes)
            gone = self._going(suspicion[left], codes[left])
            self.history_.append(int(gone.sum()))
            left = left[~gone]
            if not gone.any() or len(left) <= self.n_neighbors:
                break
        self.n_iter_ = len(self.history_)
        return suspicion, suggested, 0.5

    def _going(self, suspicion: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The rows to go on without; a fraction is for the end, not for each round."""
        flagged = flag(suspicion, threshold=self.threshold)
        return spare_classes(flagged, suspicion, codes, min_per_class=self.min_per_class)


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
        return vote_margins(votes, codes).max(axis=1), find_commonest(votes), 0.5


class GeneralizedEditionFilter(NeighborEditor):
    """Relabel rows as enough of their neighbours are labelled, leave out those in dispute (GE).

    The relabelling editor (also known as depuration): a row that at least ``min_support`` of its
    neighbours agree on gets their label, and a row that they do not agree on goes, whatever its own
    label. Use it with many wrong labels and few rows, where those found are too good to be thrown
    away. Do not use it where classes overlap (a relabelled row near a border is as often wrong as
    it was right) or, to find errors, with many classes: it flags disputed rows as well. It assumes
    that wrong labels are scattered and distances meaningful; scale the features in front of it.
    Costs one search for neighbours (about n log n distances with up to eight features, n² with
    more) and O(n k²) for the votes; memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=3
        How many neighbours vote.
    min_support : int, optional
        How many must share a label to impose it: a majority at least, ``n_neighbors`` at most. The
        smallest majority when not given, 2 of 3; more relabel fewer rows and leave out more.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``contamination`` is given,
        those whose own label has not enough support.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    max_fraction : float, optional
        Never act on more of the rows than this, the most suspicious first.
    min_per_class : int, default=2
        Never take their label from so many rows of a class that fewer keep it; warns when that
        keeps flagged rows.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        By how much the neighbours prefer another label, as in :class:`EditedNeighborsFilter`. A
        score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The label with enough support where a row is flagged; its own label elsewhere and where no
        label has enough.
    relabelled_ : array of bool of shape (n,)
        The rows that ``fit_resample`` returns with another label.
    sample_indices_ : array of int
        The rows that are left: all but the flagged ones for which no other label is suggested.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    Cleaner : ``Cleaner(GeneralizedEditionFilter(), action="relabel", max_iter=3)`` is repeated GE.

    Notes
    -----
    The row itself has no vote, and all rows vote with the labels they came with. A support k' with
    (k + 1) / 2 <= k' <= k can be had by one label only.

    References
    ----------
    .. [1] Koplowitz and Brown. On the relation of performance to editing in nearest neighbor rules.
       Pattern Recognition 13, 1981.
    .. [2] Barandela and Gasca. Decontamination of training samples for supervised pattern
       recognition methods. Advances in Pattern Recognition, 2000.

    Examples
    --------
    >>> from errata.filters import GeneralizedEditionFilter
    >>> X = [[0.0], [1.0], [2.1], [3.3], [10.0], [11.2], [12.3], [13.3]]
    >>> y = ["cat", "cat", "dog", "cat", "dog", "dog", "dog", "dog"]
    >>> editor = GeneralizedEditionFilter()
    >>> editor.fit_resample(X, y)[1]
    ['cat', 'cat', 'cat', 'cat', 'dog', 'dog', 'dog', 'dog']
    >>> editor.relabelled_.nonzero()[0]
    array([2])
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        min_support: int | None = None,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        max_fraction: float | None = None,
        min_per_class: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors,
            metric=metric,
            threshold=threshold,
            contamination=contamination,
            max_fraction=max_fraction,
            min_per_class=min_per_class,
            n_jobs=n_jobs,
        )
        self.min_support = min_support

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        votes = self._votes(X, codes)
        winner = find_commonest(votes)
        support = (votes == winner[:, None]).sum(axis=1)
        agreed = support >= self._support_needed(votes.shape[1])
        suspicion = vote_margins(votes, codes)[:, -1]
        return suspicion, np.where(agreed, winner, codes), ~agreed | (winner != codes)

    def _support_needed(self, k: int) -> int:
        """A majority of the ``k`` neighbours there are, or what the user asks for."""
        majority = k // 2 + 1
        if self.min_support is None:
            return majority
        return check_count("min_support", self.min_support, low=majority, high=k)

    def _leave_out(self, codes: np.ndarray) -> None:
        acted = self._find_acted_on(codes)
        suggested = np.searchsorted(self.classes_, self.suggested_)
        self.relabelled_ = acted & (suggested != codes)
        self.sample_indices_ = np.flatnonzero(~acted | self.relabelled_)
        self._given = codes
        self._codes = np.where(acted, suggested, codes)

    def _labels_left(self, y: Any) -> Any:
        return super()._labels_left(relabel(y, self._given, self._codes))


class ModeFilter(NeighborFilter):
    """Flag the rows that near rows and their own label vote another label for (mode filter).

    Smooths labels on the graph of neighbours as a mode filter smooths an image: nearer rows weigh
    more, and the row's own label as much as a row in the same place, so that a close vote leaves it
    alone. From the second round on the neighbours vote with smoothed labels, so that errors next to
    each other do not vouch for each other. The first of the neighbour filters to try: it flags and
    ranks best (``benchmarks/filters.py neighbors``). It assumes that wrong labels are scattered and
    distances meaningful; scale the features in front of it. Do not use it where errors come in
    clumps, for classes of fewer rows than there are neighbours, which drown, or where one part of
    the table is much denser than another, as one width serves all. Costs one search for neighbours
    (about n log n distances with up to eight features, n² with more) and O(n k + n c) a round with
    c classes; memory O(n k + n c).

    Parameters
    ----------
    n_neighbors : int, default=10
        Rows are joined where one is among so many nearest of the other.
    max_iter : int, default=2
        At most so many rounds. 1 is a plain vote; 2 find more where many labels are wrong; more
        wash away what is small.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (another label outweighs its own) when neither
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
        By how much the last round prefers another label, from 0 to 1; 0.5 is a tie, which keeps the
        label. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The label that weighs most in the last round where a row is flagged, its own elsewhere.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    n_iter_ : int
        Number of rounds until no label changed, at most ``max_iter``.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    EditedNeighborsFilter : all neighbours weigh alike, and the row itself nothing.

    Notes
    -----
    The support of class q around row i is
    C_q = [y_i = q] + sum_j exp(-d_ij² / 2 h²) [l_j = q] over the rows j joined to it, l being the
    labels y in the first round and those that the round before preferred in the next, and h the
    median length of an edge. The suspicion is (max_{q != y} C_q - C_y + sum_q C_q) / 2 sum_q C_q.
    Smoothing by similarity, the row's own label included, is the papers'; the Gaussian of median
    width, the vote of the label as given and the stop after two rounds are ours, chosen because
    errors were found better so than by going on until nothing changes.

    References
    ----------
    .. [1] Du and Urahama. Error-correcting semi-supervised learning with mode-filter on graphs.
       IEEE 12th International Conference on Computer Vision Workshops, 2009.
    .. [2] Du and Urahama. Error-correcting semi-supervised pattern recognition with mode filter on
       graphs. 2nd International Symposium on Aware Computing, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from errata.filters import EditedNeighborsFilter, ModeFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.2, random_state=0)
    >>> for filter_ in EditedNeighborsFilter(), ModeFilter():
    ...     flagged = filter_.fit(scale(X), labels).flagged_
    ...     print(f"{flagged.sum()} flagged, {(flagged & flipped).sum()} of {flipped.sum()} found")
    48 flagged, 32 of 36 found
    39 flagged, 34 of 36 found
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        max_iter: int = 2,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        max_fraction: float | None = None,
        min_per_class: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors,
            metric=metric,
            threshold=threshold,
            contamination=contamination,
            max_fraction=max_fraction,
            min_per_class=min_per_class,
            n_jobs=n_jobs,
        )
        self.max_iter = max_iter

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        max_iter = check_count("max_iter", self.max_iter)
        edges = find_knn_edges(
            X, self.n_neighbors, mutual=False, metric=self.metric, n_jobs=self.n_jobs
        )
        weight = compute_similarity(edges.distance)
        labels = codes
        for self.n_iter_ in range(1, max_iter + 1):
            support = sum_class_support(edges, weight, labels, codes)
            rival, lead = find_strongest_rival(support, codes)
            before = labels
            labels = np.where(lead > 0, rival, codes)
            if np.array_equal(before, labels):
                break
        return (lead / support.sum(axis=1) + 1) / 2, labels, 0.5


def compute_similarity(distance: np.ndarray) -> np.ndarray:
    """1 for rows in the same place, 0.6 at the median of the other distances, 0 far away."""
    apart = distance[distance > 0]
    width = np.median(apart) if len(apart) else 1.0
    return np.exp(-((distance / width) ** 2) / 2)


class Edges(NamedTuple):
    """The edges of an undirected graph, each once from either end.

    They are ordered by the row they leave from, then by length, then by the row they lead to.
    """

    source: np.ndarray
    target: np.ndarray
    distance: np.ndarray

    @property
    def rank(self) -> np.ndarray:
        """1 for the shortest edge of the row that it leaves from, 2 for the next, and so on."""
        return 1 + np.arange(len(self.source)) - np.searchsorted(self.source, self.source)

    def only(self, mask: np.ndarray) -> "Edges":
        """Some of the edges."""
        return Edges(*(part[mask] for part in self))


def sum_class_support(
    edges: Edges, weight: np.ndarray, labels: np.ndarray, codes: np.ndarray
) -> np.ndarray:
    """Weight of the edges of each row to ``labels`` of each class, and 1 for its own, (n, c)."""
    n = len(codes)
    n_classes = codes.max() + 1
    cell = edges.source * n_classes + labels[edges.target]
    support = np.bincount(cell, weight, n * n_classes).reshape(n, n_classes)
    support[np.arange(n), codes] += 1
    return support


def find_strongest_rival(support: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The class other than the label with most support, and by how much it leads the label."""
    rows = np.arange(len(codes))
    rival = find_best_other(support, codes)
    return rival, support[rows, rival] - support[rows, codes]


class CutEdgeFilter(NeighborFilter):
    """Flag the rows that have more neighbours with another label than chance gives (cut edges).

    Rows are joined to their neighbours, and an edge between two labels is cut. A row is suspicious
    when more of its edges are cut than if labels had been dealt out at random in their observed
    fractions, so that a rare label need not be in the majority around a row to be credible there.
    Few false alarms, and the one with a test behind it: :class:`ModeFilter` finds more. It assumes
    that wrong labels are scattered and distances meaningful; scale the features in front of it. Do
    not use it where errors come in clumps or sit at the border between classes, where it misses a
    third of them and more.
    Costs one search for neighbours (about n log n distances with up to eight features, n² with
    more) and O(n k log n) for the graph, memory O(n k); "gabriel" and "rng" up to n³ time and n²
    memory, for 2,000 rows at most.

    Parameters
    ----------
    graph : {"knn", "mutual_knn", "gabriel", "rng"}, default="knn"
        Which rows are joined: those of which one is among the ``n_neighbors`` nearest of the other;
        of which both are; those that no third row separates by the sphere between them (the
        Gabriel graph) or by being nearer to both (the relative neighbourhood graph, the paper's).
    n_neighbors : int, default=10
        Of the first two graphs; more make the test surer, and blinder to small clusters.
    weights : {"uniform", "distance", "rank"}, default="uniform"
        What an edge weighs for a row: 1; 1 / (1 + its length), so mind the unit; or 1 for its
        shortest edge, 1/2 for the next, 1/3 ...
    flag : {"balance", "bad", "doubtful"}, default="balance"
        The rule where neither ``threshold`` nor ``contamination`` is given: rows with suspicion
        above 0.5; those of the category "bad"; or all that are not "good".
    alpha : float, default=0.05
        Significance level of the categories, at most 0.5.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it.
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
        The probability that labels dealt out at random would cut less, plus half that of just as
        much. It says how unlike chance the surroundings are and is not the probability that the
        label is wrong.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        Where a row is flagged, the label that most weight of its edges to rows that are not flagged
        leads to (of equals, the nearest one's); its own label elsewhere, and if there are no such
        edges.
    category_ : array of str of shape (n,)
        "good" where significantly few edges are cut, "bad" where significantly many, "doubtful"
        else.
    n_edges_ : array of int of shape (n,)
        How many rows each is joined to. One that is alone has suspicion 0.5 and is not flagged.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    Cleaner : ``Cleaner(CutEdgeFilter(flag="doubtful"), action="relabel")`` relabels by unsuspected
        neighbours and leaves out rows that have none, the paper's second policy.

    Notes
    -----
    With q the fraction of rows that carry another label than row i, the cut weight
    J = sum_j w_ij [y_j != y_i] has mean q sum_j w_ij and variance q (1 - q) sum_j w_ij² under
    chance. With uniform weights it is binomial and the suspicion P(B < J) + P(B = J) / 2, otherwise
    it is taken as normal. The paper flags by category. With many classes q is near 1 and "bad"
    cannot be reached by a few neighbours, while "doubtful" takes most of a noisy table with two
    classes; hence the balance as default.

    References
    ----------
    .. [1] Muhlenbach, Lallich and Zighed. Identifying and handling mislabelled instances. Journal
       of Intelligent Information Systems 22, 2004.
    .. [2] Lallich, Muhlenbach and Zighed. Improving classification by removing or relabeling
       mislabeled instances. Foundations of Intelligent Systems, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from errata.filters import CutEdgeFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.2, random_state=0)
    >>> cut = CutEdgeFilter().fit(scale(X), labels)
    >>> int(flipped.sum()), int(cut.flagged_.sum()), int((flipped & cut.flagged_).sum())
    (36, 39, 34)
    >>> int((cut.suggested_[flipped] == y[flipped]).sum())
    32
    """

    def __init__(
        self,
        *,
        graph: str = "knn",
        n_neighbors: int = 10,
        weights: str = "uniform",
        flag: str = "balance",
        alpha: float = 0.05,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        max_fraction: float | None = None,
        min_per_class: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors,
            metric=metric,
            threshold=threshold,
            contamination=contamination,
            max_fraction=max_fraction,
            min_per_class=min_per_class,
            n_jobs=n_jobs,
        )
        self.graph = graph
        self.weights = weights
        self.flag = flag
        self.alpha = alpha

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        self._check_parameters(len(codes))
        edges = self._edges(X)
        weight = self._weights(edges)
        self.n_edges_, cut, total, squares = sum_edges(edges, weight, codes)
        p_cut = 1 - (np.bincount(codes) / len(codes))[codes]
        compute_tails = (
            compute_uniform_tails if self.weights == "uniform" else compute_weighted_tails
        )
        less, same = compute_tails(self.n_edges_, cut, total, squares, p_cut)
        suspicion = rank_among_chance(less, same)
        self.category_ = categorise_by_chance(less, same, self.alpha)
        native: float | np.ndarray = 0.5
        if self.flag == "bad":
            native = self.category_ == "bad"
        elif self.flag == "doubtful":  # a row alone is not judged
            native = (self.category_ != "good") & (self.n_edges_ > 0)
        flagged = flag(
            suspicion, threshold=self.threshold, contamination=self.contamination, native=native
        )
        trusted = ~flagged[edges.target]
        suggested = find_heaviest_class(edges.only(trusted), weight[trusted], codes)
        return suspicion, suggested, native

    def _check_parameters(self, n: int) -> None:
        check_choice("graph", self.graph, GRAPHS)
        check_choice("weights", self.weights, WEIGHTS)
        check_choice("flag", self.flag, RULES)
        check_fraction("alpha", self.alpha, high=0.5)
        if self.graph in ("gabriel", "rng") and n > MAX_ROWS:
            raise ValueError(
                f"graph={self.graph!r} takes time with the cube of the number of rows and is for "
                f'{MAX_ROWS} at most, not {n}; use graph="knn".'
            )

    def _edges(self, X: Any) -> Edges:
        if self.graph == "gabriel":
            return find_gabriel_edges(X, metric=self.metric)
        if self.graph == "rng":
            return find_relative_edges(X, metric=self.metric)
        return find_knn_edges(
            X,
            self.n_neighbors,
            mutual=self.graph == "mutual_knn",
            metric=self.metric,
            n_jobs=self.n_jobs,
        )

    def _weights(self, edges: Edges) -> np.ndarray:
        if self.weights == "distance":
            return 1 / (1 + edges.distance)
        if self.weights == "rank":
            return 1 / edges.rank
        return np.ones(len(edges.source))


def sum_edges(
    edges: Edges, weight: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Edges that leave each row, the weight of those cut (J) and of all, and squared weights.

    An edge is cut when it leads to another label.
    """
    cut = codes[edges.source] != codes[edges.target]
    n = len(codes)
    return (
        np.bincount(edges.source, minlength=n),
        np.bincount(edges.source, weight * cut, n),
        np.bincount(edges.source, weight, n),
        np.bincount(edges.source, weight**2, n),
    )


def compute_uniform_tails(
    n_edges: np.ndarray, cut: np.ndarray, weight: np.ndarray, squares: np.ndarray, p_cut: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How likely less than the cut weight is by chance, and just that: binomial, of weights 1."""
    law = binom(n_edges, p_cut)
    return law.cdf(cut - 1), law.pmf(cut)


def compute_weighted_tails(
    n_edges: np.ndarray, cut: np.ndarray, weight: np.ndarray, squares: np.ndarray, p_cut: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same of a weight that is about normal, with the mean and variance it has."""
    deviation = np.sqrt(p_cut * (1 - p_cut) * squares)
    lonely = n_edges == 0  # no edges: nothing less is possible, and just that is certain
    less = ndtr((cut - p_cut * weight) / np.where(lonely, 1, deviation))
    return np.where(lonely, 0.0, less), lonely.astype(float)


def categorise_by_chance(less: np.ndarray, same: np.ndarray, alpha: float) -> np.ndarray:
    """Which rows have fewer cut edges than chance gives, at level ``alpha``, and which more."""
    good = less + same <= alpha
    bad = 1 - less <= alpha
    return np.select([good, bad], ["good", "bad"], "doubtful")


def rank_among_chance(less: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Where the cut weight stands among those that chance gives, half of the same below it."""
    middle = less + same / 2
    return np.where(np.abs(middle - 0.5) < ROUNDING, 0.5, middle)


def find_heaviest_class(edges: Edges, weight: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The class that most weight of each row's edges leads to; of equals, the nearest one.

    The row's own class where it has no edges.
    """
    group, first, member = np.unique(
        edges.source * (codes.max() + 1) + codes[edges.target],
        return_index=True,
        return_inverse=True,
    )
    row = edges.source[first]
    total = np.bincount(member, weight, len(group))
    # Edges come nearest first, so that the first of a class tells how near that class is.
    order = np.lexsort((first, -total, row))
    rows, best = np.unique(row[order], return_index=True)
    chosen = codes.copy()
    chosen[rows] = codes[edges.target[first[order[best]]]]
    return chosen


def find_knn_edges(
    X: Any, k: int, *, mutual: bool, metric: Any = "euclidean", n_jobs: int | None = None
) -> Edges:
    """Edges between rows of which one is among the k nearest of the other; if ``mutual``, both.

    Examples
    --------
    >>> import numpy as np
    >>> edges = find_knn_edges(np.array([[0.0], [1.0], [3.0]]), 1, mutual=False)
    >>> list(zip(edges.source.tolist(), edges.target.tolist()))
    [(0, 1), (1, 0), (1, 2), (2, 1)]
    """
    n = X.shape[0]
    k = limit_neighbors(k, n)
    distance, target = NeighborIndex(X, metric=metric, n_jobs=n_jobs).others(k)
    source = np.repeat(np.arange(n), k)
    target = target.ravel()
    pair = np.minimum(source, target) * n + np.maximum(source, target)
    _, first, ends = np.unique(pair, return_index=True, return_counts=True)
    kept = first[ends == 2] if mutual else first
    return _make_both_ways(source[kept], target[kept], distance.ravel()[kept])


def find_gabriel_edges(X: Any, *, metric: Any = "euclidean") -> Edges:
    """Edges between rows i, j with no z such that d²(i, z) + d²(j, z) < d²(i, j).

    No other row lies in the sphere of which the edge is a diameter.
    """
    return _find_edges_unless(
        X, metric, lambda to_i, to_j, edge: to_i**2 + to_j**2 < edge**2 * SLACK
    )


def find_relative_edges(X: Any, *, metric: Any = "euclidean") -> Edges:
    """Edges between rows i, j with no z such that max(d(i, z), d(j, z)) < d(i, j).

    No other row is nearer to both than they are to each other (the relative neighbourhood graph).
    """
    return _find_edges_unless(
        X, metric, lambda to_i, to_j, edge: np.maximum(to_i, to_j) < edge * SLACK
    )


def _find_edges_unless(X: Any, metric: Any, between: Any) -> Edges:
    """Edges between the rows that no third row is between; O(n²) memory, up to O(n³) time."""
    D = measure_pairs(X, X, metric)
    rows = [_find_later_neighbors(D, i, between) for i in range(len(D) - 1)]
    source = np.repeat(np.arange(len(rows)), [len(targets) for targets in rows])
    target = np.concatenate(rows)
    return _make_both_ways(source, target, D[source, target])


def _find_later_neighbors(D: np.ndarray, i: int, between: Any) -> np.ndarray:
    """The rows after ``i`` that no third row separates from it."""
    left = np.arange(i + 1, len(D))
    nearest_first = np.argsort(D[i], kind="stable")
    for third in np.split(nearest_first, STEPS):
        separated = between(D[third, i, None], D[third[:, None], left], D[i, left])
        left = left[~separated.any(axis=0)]
    return left


def _make_both_ways(a: np.ndarray, b: np.ndarray, distance: np.ndarray) -> Edges:
    source = np.r_[a, b]
    target = np.r_[b, a]
    distance = np.r_[distance, distance]
    order = np.lexsort((target, distance, source))
    return Edges(source[order], target[order], distance[order])
