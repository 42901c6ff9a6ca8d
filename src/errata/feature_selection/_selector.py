"""Choose columns by what they tell of the class, or of a number.

Every search gives the whole path: the best subset it met of each size, and its score. Additions
keep the lowest column among equals, removals drop the highest; where the criterion has a second one
to break ties, that is asked first.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import comb
from numbers import Integral
from typing import Any, Protocol, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, check_memory

from .._format import count, join_names, plural
from .._random import draw_seed
from .._validation import (
    as_column,
    check_choice,
    check_count,
    check_data,
    check_fraction,
    check_labelled,
)
from .._warn import warn_user
from ._distances import CHUNK_BYTES, ClassRows, prepare_columns
from ._estimates import (
    CountedRisk,
    Information,
    JointInformation,
    MinimumRedundancy,
    NumericInformation,
    SoftRisk,
)
from .label_noise import TolerantInformation

TARGETS = ("auto", "class", "numeric")
SEARCHES = ("forward", "backward", "floating")
LARGEST_START = 3

CLASS_CRITERIA: dict[str, Any] = {
    "mi": Information,
    "risk_count": CountedRisk,
    "risk_soft": SoftRisk,
}
PAIRWISE_CRITERIA: dict[str, Any] = {"mrmr": MinimumRedundancy, "jmi": JointInformation}
CRITERIA = (*CLASS_CRITERIA, *PAIRWISE_CRITERIA)
NUMERIC_CRITERIA = ("mi", *PAIRWISE_CRITERIA)

MOST_SUBSETS = 200_000  # to look at before a search begins
FLOATING_FROM = 4  # columns, from which a floating search looks back
LEAST_GAIN = 1e-12  # so that rounding does not send a floating search in circles

Subset = tuple[int, ...]
Progress = Callable[[int, int], Any]


class MutualInformationSelector(SelectorMixin, BaseEstimator):
    r"""Choose the columns that together tell most about the class.

    Unlike a score for each column, the mutual information of a *subset* sees columns that are
    worth something together only (exclusive or), and those that repeat each other. A greedy search
    goes from all columns down, or from none up, and keeps the best subset of every size. With
    ``label_noise="tolerant"`` it is the information about the true class behind wrong labels. No
    model is trained, and the columns may serve any. Not for thousands of columns backwards: a
    search takes p²/2 estimates of O(n²) each, and the estimate is biased low for many columns.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        How many columns to keep, or which fraction of them. "auto" keeps the subset of the highest
        score on the path, the smallest of equals: a heuristic, as the bias of the estimate depends
        on the number of columns. Look at ``scores_``, or let a grid search choose (``memory``).
    criterion : {"mi", "risk_count", "risk_soft", "mrmr", "jmi"}, default="mi"
        What makes a subset good: its mutual information with the class; a low Bayes risk, counted
        or soft (:func:`bayes_risk`); relevance less redundancy of pairs (mRMR); the information of
        pairs (JMI). Risks are for classes only.
    search : {"backward", "forward", "floating"}, default="backward"
        "backward" removes the column that is missed least, and finds columns that only work
        together; "forward" adds the column that helps most, which is quicker where few are wanted;
        "floating" adds, and looks back after each addition.
    start_size : {1, 2, 3}, default=1
        Forward and floating searches begin with the best of all subsets of this size, so that a
        first column that is useless alone is found.
    target : {"auto", "class", "numeric"}, default="auto"
        What ``y`` is. "auto" takes numbers with fractions for measurements, and all else (words,
        whole numbers, truth values) for classes. Pass "numeric" for whole numbers that count
        or measure something.
    label_noise : {None, "tolerant"}, default=None
        "tolerant" takes labels for noisy and estimates the classes behind them (by
        :class:`LabelNoiseMemberships`). For classes and ``criterion="mi"``.
    n_neighbors : int, default=8
        Neighbours of the estimates. In a class of no more rows, all others of the class.
    noise_neighbors : int, default=3
        Neighbours by which classes behind noisy labels are estimated.
    noise_refit : bool, default=True
        Whether a backward search estimates them again on each subset that it takes columns from,
        as published; False keeps those of all columns, which is quicker and forgets nothing that
        columns already removed knew. Other searches always keep them.
    noise_params : dict, optional
        Further parameters of :class:`LabelNoiseMemberships`.
    standardize : bool, default=True
        Bring columns to mean 0 and deviation 1 first; distances need one scale.
    jitter : float, default=1e-3
        Deviation of the noise that is added to the standardised columns, once, so that equal
        rows lie apart. ``transform`` returns the columns as they were.
    chunk_bytes : int, default=2**26
        Size of a block of distances, of which up to three are held for each job.
    memory : str or joblib.Memory, optional
        Where to keep paths, as in scikit-learn's ``Pipeline``. The whole path is then searched,
        whatever size is asked for, and a grid search over ``n_features_to_select`` searches once
        for each fold.
    n_jobs : int, optional
        Number of threads, -1 for one per core. Results do not depend on it.
    progress : callable, optional
        ``progress(done, total)`` is called at the start and after every step of the search.
    random_state : int, RandomState or None, default=None
        Fix it to get the same noise, and so the same path, again.

    Attributes
    ----------
    support_ : array of bool of shape (p,)
        The columns that are kept.
    n_features_ : int
        How many they are.
    ranking_ : array of int of shape (p,)
        1 for columns that are kept, else 1 plus the number of steps until they would enter. 2 for
        all others after a floating search, whose subsets are not nested, and for those that a
        forward search did not come to. Constant columns come last.
    path_ : dict of {int: array of int}
        The best subset found of each size, as column indices. Sizes a search did not come to are
        not there.
    scores_ : dict of {int: float}
        Their scores: nats for information, minus the risk for risks.
    memberships_ : array of shape (n, n_classes)
        With ``label_noise="tolerant"``, probabilities of the classes given all columns.
    error_rates_ : array of shape (n_classes,)
        With ``label_noise="tolerant"``, the fraction of each class that has another label.
    classes_ : array of shape (n_classes,)
        The distinct labels, of a target that is a class.
    n_features_in_, feature_names_in_
        As usual.

    See Also
    --------
    mutual_information : the score of all columns together.
    errata.hardness : which rows, instead of which columns, are hard.

    Notes
    -----
    Mutual information is the estimate of Gómez et al. [1]_; tolerance to label noise and the
    backward search are those of [2]_, risks those of [3]_. Where papers say nothing: columns are
    standardised; small classes use the neighbours they have; additions keep the lowest column of
    equals, removals drop the highest, and the counted risk asks the soft one first; a
    floating search looks back from four columns on. Constant columns are not searched, with a
    warning; they are kept only if more columns are asked for than vary.

    References
    ----------
    .. [1] V. Gómez-Verdejo, M. Verleysen, J. Fleury. Information-theoretic feature selection for
       functional data classification. Neurocomputing 72, 2009.
    .. [2] B. Frénay, G. Doquire, M. Verleysen. Estimating mutual information for feature selection
       in the presence of label noise. Computational Statistics and Data Analysis 71, 2014.
    .. [3] B. Frénay, G. Doquire, M. Verleysen. Feature selection with risk estimation. European
       Symposium on Artificial Neural Networks, 2013.

    Examples
    --------
    Neither of the first two columns tells anything alone:

    >>> import numpy as np
    >>> from errata.feature_selection import MutualInformationSelector
    >>> X = np.random.RandomState(0).uniform(-1, 1, size=(400, 6))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "different")
    >>> selector = MutualInformationSelector(2, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1])
    >>> selector.transform(X).shape
    (400, 2)
    """

    def __init__(
        self,
        n_features_to_select: int | float | str = "auto",
        *,
        criterion: str = "mi",
        search: str = "backward",
        start_size: int = 1,
        target: str = "auto",
        label_noise: str | None = None,
        n_neighbors: int = 8,
        noise_neighbors: int = 3,
        noise_refit: bool = True,
        noise_params: dict[str, Any] | None = None,
        standardize: bool = True,
        jitter: float = 1e-3,
        chunk_bytes: int = CHUNK_BYTES,
        memory: Any = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.search = search
        self.start_size = start_size
        self.target = target
        self.label_noise = label_noise
        self.n_neighbors = n_neighbors
        self.noise_neighbors = noise_neighbors
        self.noise_refit = noise_refit
        self.noise_params = noise_params
        self.standardize = standardize
        self.jitter = jitter
        self.chunk_bytes = chunk_bytes
        self.memory = memory
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    def fit(self, X: Any, y: Any, memberships: Any = None) -> Self:
        """Search for the best subset of each size, and choose one of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The columns to choose from; numbers, none missing.
        y : array-like of shape (n,)
            Labels, or numbers (see ``target``).
        memberships : array-like of shape (n, n_classes), optional
            How much each row belongs to each class, where that is known (an audit's posterior, for
            instance). For ``label_noise="tolerant"``, which then estimates nothing.

        Returns
        -------
        self
        """
        X, target, numeric = self._check_input(X, y)
        size = self._check_size(X.shape[1])
        search = check_memory(self.memory).cache(
            find_path, ignore=["n_jobs", "chunk_bytes", "progress"]
        )
        self.path_, self.scores_, searched, memberships, error_rates = search(
            X,
            target,
            criterion=check_choice(
                "criterion", self.criterion, NUMERIC_CRITERIA if numeric else CRITERIA
            ),
            search=check_choice("search", self.search, SEARCHES),
            start_size=self.start_size,
            size=None if self.memory else size,
            numeric=numeric,
            n_neighbors=check_count("n_neighbors", self.n_neighbors),
            label_noise=self._make_noise_options(numeric, memberships),
            standardize=self.standardize,
            jitter=check_fraction("jitter", self.jitter, high=np.inf),
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            chunk_bytes=self.chunk_bytes,
            progress=self.progress,
        )
        size = size or choose_size(self.scores_)
        self.support_ = mask_kept_columns(self.path_, searched, self.n_features_in_, size)
        self.n_features_ = int(self.support_.sum())
        self.ranking_ = rank_columns(
            self.path_, searched, self.support_, nested=self.search != "floating"
        )
        if memberships is not None:
            self.memberships_ = memberships
            self.error_rates_ = error_rates
        return self

    def _check_input(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, bool]:
        """Columns, codes of the classes or numbers, and whether the latter."""
        check_choice("target", self.target, TARGETS)
        numeric = self.target == "numeric"
        if self.target == "auto" and y is not None:
            numeric = type_of_target(as_column(y)) == "continuous"
        if numeric:
            X, y = check_data(self, X, y, dtype=float, y_numeric=True, ensure_min_samples=3)
            if np.ptp(y) == 0:
                raise ValueError(f"y is {y[0]:g} in every row; nothing can tell of it.")
            return X, y.astype(float), True
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, ensure_min_samples=2)
        return X, codes, False

    def _check_size(self, n_columns: int) -> int | None:
        """How many columns are wanted; None where the path decides."""
        asked = self.n_features_to_select
        start = check_count("start_size", self.start_size, high=min(LARGEST_START, n_columns))
        if self.search == "backward" and start > 1:
            raise ValueError(
                f"start_size={start} is for searches that add columns; pass search='forward' or "
                "'floating' with it."
            )
        if isinstance(asked, str):
            check_choice("n_features_to_select", asked, ("auto",))
            if self.criterion in PAIRWISE_CRITERIA:
                raise ValueError(
                    f"criterion={self.criterion!r} compares subsets of one size, and its scores do "
                    "not tell how many columns are needed; pass n_features_to_select as a number."
                )
            return None
        if isinstance(asked, Integral):
            return check_count("n_features_to_select", asked, low=start, high=n_columns)
        fraction = check_fraction("n_features_to_select", asked)
        return max(start, int(fraction * n_columns))

    def _make_noise_options(self, numeric: bool, memberships: Any) -> dict[str, Any] | None:
        """How :class:`TolerantInformation` finds the classes behind noisy labels, if at all."""
        if self.label_noise is None:
            if memberships is not None:
                raise ValueError('memberships are for label_noise="tolerant"; pass that with them.')
            return None
        check_choice("label_noise", self.label_noise, ("tolerant",))
        if numeric or self.criterion != "mi":
            what = "a numeric target" if numeric else f"criterion={self.criterion!r}"
            raise ValueError(
                f'label_noise="tolerant" is for classes and criterion="mi", not {what}.'
            )
        return {
            "noise_params": {"n_neighbors": self.noise_neighbors, **(self.noise_params or {})},
            "memberships": memberships,
            "refit": bool(self.noise_refit) and self.search == "backward",
            "classes": self.classes_,
        }

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        """A target is needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def find_path(
    X: np.ndarray,
    target: np.ndarray,
    *,
    criterion: str,
    search: str,
    start_size: int,
    size: int | None,
    numeric: bool,
    n_neighbors: int,
    label_noise: dict[str, Any] | None,
    standardize: bool,
    jitter: float,
    random_state: Any,
    n_jobs: int | None,
    chunk_bytes: int,
    progress: Progress | None,
) -> tuple[dict[int, np.ndarray], dict[int, float], np.ndarray, Any, Any]:
    """The best subset that the search met of each size; ``size`` is where it may stop.

    Returns subsets and scores by size, the columns that were searched, and with label noise the
    memberships and error rates.
    """
    columns = find_varying_columns(X)
    random = check_random_state(draw_seed(random_state))
    ready = {"standardize": standardize, "jitter": jitter, "random_state": random}
    X = prepare_columns(X, **ready)[:, columns]
    if numeric:  # neighbours look at the target as at a column
        target = prepare_columns(target[:, None], **ready)[:, 0]
    seed = draw_seed(random)
    judge: Criterion
    if criterion in PAIRWISE_CRITERIA:
        judge = PAIRWISE_CRITERIA[criterion](X, target, n_neighbors, numeric=numeric, n_jobs=n_jobs)
    elif numeric:
        judge = NumericInformation(X, target, n_neighbors, n_jobs=n_jobs)
    elif label_noise is not None:
        judge = TolerantInformation(
            X, target, n_neighbors, random_state=seed, n_jobs=n_jobs, **label_noise
        )
    else:
        rows = ClassRows(X, target, n_neighbors)
        judge = CLASS_CRITERIA[criterion](rows, n_jobs=n_jobs, chunk_bytes=chunk_bytes)
    n_columns = len(columns)
    tell = progress or (lambda done, total: None)
    if search == "backward":
        path = search_backward(judge, range(n_columns), min(size or 1, n_columns), progress=tell)
    else:
        path = search_forward(
            judge,
            range(n_columns),
            min(size or n_columns, n_columns),
            start_size=min(start_size, n_columns),
            floating=search == "floating",
            progress=tell,
        )
    return (
        {size: columns[list(subset)] for size, subset in sorted(path.subsets.items())},
        dict(sorted(path.scores.items())),
        columns,
        getattr(judge, "memberships", None),
        getattr(judge, "error_rates", None),
    )


def find_varying_columns(X: np.ndarray) -> np.ndarray:
    """Indices of the columns that hold more than one value; warns of the others."""
    constant = np.ptp(X, axis=0) == 0
    if constant.all():
        raise ValueError("every column of X is constant, so that there is nothing to choose from.")
    if constant.any():
        which = join_names(np.flatnonzero(constant), most=5)
        warn_user(
            f"left out of the search and ranked last: {plural(int(constant.sum()), 'column')} of X "
            f"with a single value ({which})."
        )
    return np.flatnonzero(~constant)


def choose_size(scores: Mapping[int, float]) -> int:
    """The smallest size of the highest score.

    >>> choose_size({1: 0.2, 2: 0.5, 3: 0.5})
    2
    """
    return max(scores, key=lambda size: (scores[size], -size))


def mask_kept_columns(
    subsets: Mapping[int, np.ndarray], searched: np.ndarray, n_columns: int, size: int
) -> np.ndarray:
    """A mask of the columns that are kept: the subset of this size.

    Where more are wanted than were searched, constant columns join them, the first ones first.
    """
    constant = np.setdiff1d(np.arange(n_columns), searched)
    subset = subsets.get(size, np.concatenate([searched, constant])[:size])
    return np.isin(np.arange(n_columns), subset)


def rank_columns(
    subsets: Mapping[int, np.ndarray], searched: np.ndarray, kept: np.ndarray, *, nested: bool
) -> np.ndarray:
    """1 for columns that are kept, for others 1 plus the steps until they would enter.

    Columns that a search did not come to share a rank, as do all that are not kept where subsets
    are not ``nested``. Columns that were not searched come last.

    >>> path = {1: np.array([2]), 2: np.array([0, 2]), 3: np.array([0, 1, 2])}
    >>> rank_columns(path, np.arange(3), np.array([False, False, True, False]), nested=True)
    array([2, 3, 1, 4])
    """
    entry = np.full(len(kept), max(subsets) + 1)
    for size in sorted(subsets, reverse=True):
        entry[subsets[size]] = size
    steps = np.maximum(entry - kept.sum(), 1) if nested else np.ones_like(entry)
    found = np.where(kept, 1, 1 + steps)
    never = ~kept & ~np.isin(np.arange(len(kept)), searched)
    found[never] = 1 + found[~never].max()
    return found


class Path:
    """The best subset of each size, columns ascending, and its score."""

    def __init__(self) -> None:
        self.subsets = dict[int, Subset]()
        self.scores = dict[int, float]()

    def record(self, subset: Subset, score: float) -> None:
        """Keep the subset if it is the best of its size so far."""
        size = len(subset)
        if size not in self.scores or score > self.scores[size]:
            self.subsets[size] = tuple(sorted(subset))
            self.scores[size] = float(score)


class Criterion(Protocol):
    """A criterion of a search: bigger is better."""

    def score(self, subset: Sequence[int]) -> float:
        """J(S)."""

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """J(S + j) for each candidate."""

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """J(S - j) for each j of S."""


def search_backward(
    criterion: Criterion, columns: Sequence[int], size: int, *, progress: Progress
) -> Path:
    """Remove the column that is missed least, from all columns down to ``size``."""
    subset = tuple(columns)
    path = Path()
    path.record(subset, criterion.score(subset))
    total = len(subset) - size
    progress(0, total)
    while len(subset) > size:
        subset, score = find_removal(criterion, subset)
        path.record(subset, score)
        progress(total - len(subset) + size, total)
    return path


def search_forward(
    criterion: Criterion,
    columns: Sequence[int],
    size: int,
    *,
    start_size: int = 1,
    floating: bool = False,
    progress: Progress,
) -> Path:
    """Add the column that helps most, from the best subset of ``start_size`` up to ``size``.

    A floating search also removes columns again, as long as that beats the best subset of the size
    below. Scores of each size only rise, so that it comes to an end.
    """
    path = Path()
    total = size - start_size + 1
    progress(0, total)
    subset, score = find_best_start(criterion, columns, start_size)
    path.record(subset, score)
    progress(1, total)
    while len(subset) < size:
        subset, score = find_addition(criterion, subset, [j for j in columns if j not in subset])
        path.record(subset, score)
        if floating:
            subset = _look_back(criterion, subset, path)
        progress(max(1, len(subset) - start_size + 1), total)
    return path


def find_best_start(
    criterion: Criterion, columns: Sequence[int], size: int
) -> tuple[Subset, float]:
    """The best of all subsets of a size."""
    check_few_subsets(len(columns), size)
    best: tuple[Subset, float] = ((), -np.inf)
    for first in combinations(columns, size - 1):
        later = [j for j in columns if not first or j > first[-1]]
        if later:
            found = find_addition(criterion, first, later)
            best = max(best, found, key=lambda subset_and_score: subset_and_score[1])
    return best


def check_few_subsets(n_columns: int, size: int) -> None:
    """Raise when there are too many subsets of a size to look at all of them."""
    n_subsets = comb(n_columns, size)
    if n_subsets > MOST_SUBSETS:
        raise ValueError(
            f"start_size={size} of {n_columns} columns means {count(n_subsets)} subsets, more than "
            f"the {count(MOST_SUBSETS)} that are looked at; pass a smaller start_size."
        )


def find_addition(
    criterion: Criterion, subset: Subset, candidates: Sequence[int]
) -> tuple[Subset, float]:
    """The subset with the best candidate, the first among equals, and its score."""
    scores = criterion.scores_with(subset, candidates)
    best = np.flatnonzero(scores == scores.max())
    tie_break = getattr(criterion, "tie_break", None)
    if len(best) > 1 and tie_break is not None:
        second = tie_break.scores_with(subset, [candidates[int(b)] for b in best])
        best = best[second == second.max()]
    return (*subset, candidates[best[0]]), float(scores[best[0]])


def find_removal(
    criterion: Criterion, subset: Subset, *, spared: Sequence[int] = ()
) -> tuple[Subset, float]:
    """The subset without the column that is missed least, the last among equals, and its score."""
    allowed = ~np.isin(subset, spared)
    scores = np.where(allowed, criterion.scores_without(subset), -np.inf)
    best = np.flatnonzero(scores == scores.max())
    tie_break = getattr(criterion, "tie_break", None)
    if len(best) > 1 and tie_break is not None:
        second = tie_break.scores_without(subset)[best]
        best = best[second == second.max()]
    last = max(best, key=lambda b: subset[b])
    return (*subset[:last], *subset[last + 1 :]), float(scores[last])


def _look_back(criterion: Criterion, subset: Subset, path: Path) -> Subset:
    """Remove columns but the one just added, while that beats the best subset of its size."""
    added = subset[-1]
    if len(subset) < FLOATING_FROM:
        return subset
    while len(subset) - 1 in path.scores:
        smaller, score = find_removal(criterion, subset, spared=[added])
        if score <= path.scores[len(smaller)] + LEAST_GAIN:
            break
        subset = smaller
        path.record(subset, score)
    return subset
