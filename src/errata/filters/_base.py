"""The base of filters; every detector as a filter, once or until it flags no more."""

import copy
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from .._compat import take_rows
from .._detector import spare_classes
from .._routing import make_router, take_params_of_rows
from .._validation import (
    as_column,
    check_choice,
    check_count,
    check_data,
    check_fraction,
    check_labels,
)
from .._warn import warn_user
from ..exceptions import ClassRetentionWarning

VERDICT = ("suspicion_", "flagged_", "suggested_")


# What a filter says of the rows: the suspicion, the code of the class suggested, and the rule where
# the user sets none, see :func:`flag`
Verdict = tuple[np.ndarray, np.ndarray, float | np.ndarray]

ACTIONS = ("remove", "relabel", "unlabel")
UNLABELLED = -1


class Filter(BaseEstimator):
    """A detector that is a resampler, too: ``fit_resample`` gives the rows it would keep.

    A filter sets in ``fit`` what a detector sets, and ``sample_indices_``, the rows that are left.
    """

    min_per_class: int
    max_fraction: float | None
    suspicion_: np.ndarray
    flagged_: np.ndarray
    sample_indices_: np.ndarray

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Judge the rows."""
        raise NotImplementedError

    def fit_resample(self, X: Any, y: Any, **fit_params: Any) -> tuple[Any, Any]:
        """Fit, and return the rows that are left and their labels, in the containers they came in.

        ``fit_params`` goes to ``fit``.
        """
        X, y = indexable(X, y)  # some sparse formats and foreign arrays cannot be cut by rows
        self.fit(X, y, **fit_params)
        return take_rows(X, self.sample_indices_), self._labels_left(y)

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that labels are required."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _labels_left(self, y: Any) -> Any:
        return take_rows(y, self.sample_indices_)

    def _check_guards(self) -> None:
        check_count("min_per_class", self.min_per_class)
        if self.max_fraction is not None:
            check_fraction("max_fraction", self.max_fraction)

    def _budget(self, n: int) -> int:
        """How many of ``n`` rows may be left out."""
        # 0.29 * 100 is a little less than 29.
        return n if self.max_fraction is None else int(self.max_fraction * n + 1e-9)

    def _leave_out(self, codes: np.ndarray) -> None:
        """Settle which rows are left."""
        self.sample_indices_ = np.flatnonzero(~self._find_acted_on(codes))

    def _find_acted_on(self, codes: np.ndarray) -> np.ndarray:
        """The flagged rows that the guards give free, as a mask."""
        return self._removable(self.flagged_, self.suspicion_, codes, self._budget(len(codes)))

    def _removable(
        self, flagged: np.ndarray, suspicion: np.ndarray, codes: np.ndarray, budget: int
    ) -> np.ndarray:
        """The flagged rows that may be left out, at most ``budget``, as a mask."""
        removed = spare_classes(
            flagged, suspicion, codes, min_per_class=self.min_per_class, max_removed=budget
        )
        # Only in a class at its minimum are flagged rows kept for its sake; else the budget is out.
        n_left, n_spared = (
            np.bincount(codes[rows], minlength=codes.max() + 1)
            for rows in (~removed, flagged & ~removed)
        )
        if ((n_left <= self.min_per_class) & (n_spared > 0)).any():
            warn_user(
                f"Leaving out all flagged rows would leave a class with fewer than "
                f"{self.min_per_class} rows; its least suspicious ones are kept.",
                ClassRetentionWarning,
            )
        return removed


def route_to_parts(owner: Any, params: dict[str, Any], **parts: Any) -> dict[str, dict[str, Any]]:
    """Which of the metadata given to ``fit`` goes to which part.

    With scikit-learn's metadata routing, what it requested; without, what its ``fit`` takes.
    """
    params = {name: value for name, value in params.items() if value is not None}
    if params and get_config()["enable_metadata_routing"]:
        routed = process_routing(owner, "fit", **params)
        return {part: dict(routed[part]["fit"]) for part in parts}
    takers = {
        part: {name for name in params if has_fit_parameter(estimator, name)}
        for part, estimator in parts.items()
    }
    for name in params:
        if not any(name in taken for taken in takers.values()):
            raise TypeError(f"{type(owner).__name__}.fit got {name}, which its parts do not take.")
    return {part: {name: params[name] for name in taken} for part, taken in takers.items()}


def merge_tags(tags: Any, *parts: Any) -> Any:
    """The tags of an estimator that accepts what all of its parts accept."""
    of_parts = [get_tags(part) for part in parts]
    tags.input_tags.allow_nan = all(part.input_tags.allow_nan for part in of_parts)
    tags.input_tags.sparse = all(part.input_tags.sparse for part in of_parts)
    tags.target_tags.required = any(part.target_tags.required for part in of_parts)
    return tags


def take_verdict(owner: Any, detector: Any) -> None:
    """Let the owner have what a fitted detector says of the rows, and its classes."""
    for name in (*VERDICT, "classes_"):
        if hasattr(detector, name):
            setattr(owner, name, getattr(detector, name))


def encode_known_labels(detector: Any, y: Any) -> np.ndarray:
    """Codes of labels in the order of ``classes_``; without classes, all rows are alike."""
    if hasattr(detector, "classes_"):
        return np.searchsorted(detector.classes_, as_column(y))
    return np.zeros(len(detector.suspicion_), dtype=int)


def _predictor_has(method: str) -> Any:
    return available_if(lambda self: hasattr(self._predictor(), method))


class PartPredicts(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier one part of which predicts for it once both are fitted."""

    _predicts = "estimator"  # the parameter that holds this part

    def predict(self, X: Any) -> np.ndarray:
        """The class that the classifier predicts."""
        return self._ask("predict", X)

    @_predictor_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """The classifier's probabilities."""
        return self._ask("predict_proba", X)

    @_predictor_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """The classifier's decision."""
        return self._ask("decision_function", X)

    @_predictor_has("staged_predict")
    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The classes that the classifier predicts after one round, after two, and so on."""
        return self._ask("staged_predict", X)

    def _predictor(self) -> Any:
        """The part as fitted, or else as given."""
        return getattr(self, f"{self._predicts}_", getattr(self, self._predicts))

    def _ask(self, method: str, X: Any) -> Any:
        check_is_fitted(self)
        return getattr(self._predictor(), method)(X)


class DetectorFilter(Filter):
    """Leave out the rows that a detector flags, whatever detector it is.

    Puts a measure of hardness, a booster, an extreme learning machine or a reinforced model in a
    pipeline of imbalanced-learn, or in front of a classifier (:class:`FilteredClassifier`). How
    many rows are flagged is the detector's business: set its ``threshold`` or ``contamination``.
    Costs one fit of the detector.

    Parameters
    ----------
    detector : estimator
        Anything whose ``fit`` sets ``suspicion_`` and ``flagged_``.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows. Where there are no
        classes (the detector judges numbers, or rows), never leave fewer rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.

    Attributes
    ----------
    detector_ : estimator
        As fitted.
    suspicion_, flagged_, suggested_ : arrays of shape (n,)
        The detector's; no suggestion where it makes none.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    classes_ : array of shape (n_classes,)
        The distinct labels, where there are any.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    Cleaner : relabels instead, and goes on until nothing is flagged.

    Examples
    --------
    >>> from errata.filters import DetectorFilter
    >>> from errata.hardness import NeighborDisagreement
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["cat", "cat", "dog", "cat", "dog", "dog", "dog", "dog"]
    >>> DetectorFilter(NeighborDisagreement(n_neighbors=3)).fit_resample(X, y)[1]
    ['cat', 'cat', 'cat', 'dog', 'dog', 'dog', 'dog']
    """

    def __init__(
        self, detector: Any, *, min_per_class: int = 2, max_fraction: float | None = None
    ) -> None:
        self.detector = detector
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit the detector; ``fit_params`` goes to it."""
        self._check_guards()
        check_data(self, X, skip_check_array=True)
        routed = route_to_parts(self, fit_params, detector=self.detector)
        self.detector_ = clone(self.detector).fit(X, y, **routed["detector"])
        take_verdict(self, self.detector_)
        self._leave_out(encode_known_labels(self.detector_, y))
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """All metadata goes to ``detector``."""
        return make_router(self, detector=self.detector)

    def __sklearn_tags__(self) -> Any:
        """Accept what the detector accepts."""
        return merge_tags(super().__sklearn_tags__(), self.detector)


class Cleaner(Filter):
    """Remove, relabel or unlabel the rows that a detector flags, once or again and again.

    After each round the detector is fitted anew to what is left, until it flags nothing more, so
    that labels hidden behind worse ones come to light. Iterate with care: a detector that always
    flags a fraction goes on until a guard stops it. Costs at most ``max_iter`` fits of the
    detector.

    Parameters
    ----------
    detector : estimator
        Anything whose ``fit`` sets ``suspicion_``, ``flagged_`` and, to relabel, ``suggested_``.
    action : {"remove", "relabel", "unlabel"}, default="remove"
        Leave flagged rows out; give them the class that the detector suggests, leaving out those
        for which it names none; or keep them with the label -1, which scikit-learn's
        semi-supervised learners take for "unknown" (whole numbers as labels only).
    max_iter : int, default=1
        At most so many rounds; relabelling can run in circles.
    tol : float, default=0
        A round that acts on no more than this fraction of the rows is a quiet one.
    patience : int, default=1
        Stop after so many quiet rounds in a row.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    max_fraction : float, optional
        Never act on more of the rows than this; the most suspicious go first.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        That of the round in which the cleaner acted on a row, else of the last round.
    flagged_ : array of bool of shape (n,)
        The rows acted on, and those that the last round flagged but the guards kept.
    suggested_ : array of shape (n,)
        The class that the detector suggested for flagged rows, the label elsewhere.
    relabelled_ : array of bool of shape (n,)
        The rows that have another label than before.
    sample_indices_ : array of int
        The rows that are left, in ascending order.
    n_iter_ : int
        Number of rounds.
    history_ : list of int
        Number of rows acted on in each round.
    detector_ : estimator
        As fitted in the last round.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Examples
    --------
    >>> from errata.filters import Cleaner
    >>> from errata.hardness import NeighborDisagreement
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["cat", "cat", "dog", "cat", "dog", "dog", "dog", "dog"]
    >>> cleaner = Cleaner(NeighborDisagreement(n_neighbors=3), action="relabel", max_iter=5)
    >>> cleaner.fit_resample(X, y)[1]
    ['cat', 'cat', 'cat', 'cat', 'dog', 'dog', 'dog', 'dog']
    >>> cleaner.history_
    [1, 0]
    """

    def __init__(
        self,
        detector: Any,
        action: str = "remove",
        *,
        max_iter: int = 1,
        tol: float = 0.0,
        patience: int = 1,
        min_per_class: int = 2,
        max_fraction: float | None = None,
    ) -> None:
        self.detector = detector
        self.action = action
        self.max_iter = max_iter
        self.tol = tol
        self.patience = patience
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Find out what to do with each row; ``fit_params`` goes to the detector."""
        self._check_parameters()
        X, y = indexable(*check_data(self, X, y, skip_check_array=True))
        self.classes_, codes = check_labels(y, min_classes=2)
        may_be_blank = self.classes_.dtype.kind == "i" and UNLABELLED not in self.classes_
        if self.action == "unlabel" and not may_be_blank:
            raise ValueError(
                'action="unlabel" writes -1 for "unknown", which needs whole numbers other than -1 '
                f"as labels, and y holds {self.classes_.tolist()[0]!r}; encode the labels as 0, 1, "
                "... first."
            )
        routed = route_to_parts(self, fit_params, detector=self.detector)
        self._clean(X, codes, routed["detector"])
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """All metadata goes to ``detector``."""
        return make_router(self, detector=self.detector)

    def __sklearn_tags__(self) -> Any:
        """Accept what the detector accepts."""
        return merge_tags(super().__sklearn_tags__(), self.detector)

    def _check_parameters(self) -> None:
        check_choice("action", self.action, ACTIONS)
        check_count("max_iter", self.max_iter)
        check_fraction("tol", self.tol)
        check_count("patience", self.patience)
        self._check_guards()

    def _clean(self, X: Any, given: np.ndarray, fit_params: dict[str, Any]) -> None:
        n = len(given)
        codes = given.copy()
        suspicion = np.zeros(n)
        suggested = given.copy()
        flagged = np.zeros(n, dtype=bool)
        acted = np.zeros(n, dtype=bool)
        active = np.ones(n, dtype=bool)
        quiet = 0
        self.history_: list[int] = []
        for _ in range(self.max_iter):
            rows = np.flatnonzero(active)
            labels = self.classes_[codes[rows]]
            routed = take_params_of_rows(fit_params, n, rows)
            self.detector_ = clone(self.detector).fit(take_rows(X, rows), labels, **routed)
            found = self.detector_.suspicion_
            budget = self._budget(n) - int(acted.sum())
            chosen = self._removable(self.detector_.flagged_, found, codes[rows], budget)
            # What was said of a row when it was relabelled stays, unless it is relabelled again.
            news = chosen | ~acted[rows]
            suspicion[rows[news]] = found[news]
            instead = getattr(self.detector_, "suggested_", labels)
            suggested[rows[news]] = np.searchsorted(self.classes_, instead[news])
            flagged[rows] = self.detector_.flagged_
            leaving = rows[chosen]
            acted[leaving] = True
            if self.action == "relabel":  # a row whose label stays is left out instead
                changed = leaving[suggested[leaving] != codes[leaving]]
                leaving = leaving[suggested[leaving] == codes[leaving]]
                codes[changed] = suggested[changed]
            active[leaving] = False
            n_chosen = int(chosen.sum())
            self.history_.append(n_chosen)
            quiet = quiet + 1 if n_chosen <= self.tol * n else 0
            # A round that the budget cut short is the last: what it left would be flagged again.
            cut_short = self.detector_.flagged_.sum() > budget
            if n_chosen == 0 or quiet >= self.patience or cut_short:
                break
        self.n_iter_ = len(self.history_)
        self._given = given
        self._codes = codes
        self._unlabelled = ~active & (self.action == "unlabel")
        self.suspicion_ = suspicion
        self.flagged_ = flagged | acted
        self.suggested_ = self.classes_[np.where(self.flagged_, suggested, given)]
        self.relabelled_ = active & (codes != given)
        self.sample_indices_ = np.flatnonzero(active | self._unlabelled)

    def _labels_left(self, y: Any) -> Any:
        if self._unlabelled.any():
            return _mark_unlabelled(y, np.flatnonzero(self._unlabelled))
        if self.relabelled_.any():
            y = relabel(y, self._given, self._codes)
        return take_rows(y, self.sample_indices_)


def relabel(y: Any, before: np.ndarray, after: np.ndarray) -> Any:
    """``y`` with other labels, in its container; a changed row copies one of its new class."""
    _, first = np.unique(before, return_index=True)
    changed = take_rows(y, np.where(after == before, np.arange(len(before)), first[after]))
    if hasattr(y, "iloc"):  # the rows of pandas have names, and keep their own
        changed.index = y.index
    return changed


def _mark_unlabelled(y: Any, rows: np.ndarray) -> Any:
    """``y`` with -1 in these rows, in its container."""
    if isinstance(y, list | tuple):
        return _mark_unlabelled(np.array(y), rows).tolist()
    changed = copy.deepcopy(y)
    cells = changed.iloc if hasattr(changed, "iloc") else changed
    cells[rows] = UNLABELLED
    return changed
