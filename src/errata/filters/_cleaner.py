"""Act on what a detector flags, once or until it flags no more."""

import copy
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter

from .._compat import take_rows
from .._routing import make_router, take_params_of_rows
from .._validation import check_choice, check_count, check_data, check_fraction, check_labels
from ._base import Filter, merge_tags, route_to_parts

ACTIONS = ("remove", "relabel", "unlabel")
UNLABELLED = -1


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
        if self.action == "unlabel":
            _check_room_for_unlabelled(self.classes_)
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


def _check_room_for_unlabelled(classes: np.ndarray) -> None:
    if classes.dtype.kind != "i" or UNLABELLED in classes:
        raise ValueError(
            'action="unlabel" writes -1 for "unknown", which needs whole numbers other than -1 as '
            f"labels, and y holds {classes.tolist()[0]!r}; encode the labels as 0, 1, ... first."
        )


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
