"""Neighbour editors: a label goes when the nearest rows prefer another, once or repeatedly."""

from typing import Any, Self

import numpy as np

from ..._detector import DetectorMixin, flag, spare_classes
from ..._neighbors import find_commonest, nearest, vote_margins
from ..._validation import check_count, check_labelled
from .._base import Filter, Verdict
from .._cleaner import relabel


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
        suspicion, suggested, native = self._judge(X, codes)
        self._conclude(suspicion, codes, suggested, native=native)
        self._leave_out(codes)
        return self

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        """What the neighbours say."""
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
