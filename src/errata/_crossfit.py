"""The one maker of folds, and of predictions for each row by models that were not fitted to it."""

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length

from ._canonical import order_rows, round_cells, sign_table
from ._compat import take_rows
from ._random import draw_seed
from ._routing import take_params_of_rows
from ._validation import check_count, fit_to_codes
from ._warn import warn_user

Fold = tuple[np.ndarray, np.ndarray]  # training rows, test rows


def make_folds(
    cv: Any,
    y: np.ndarray,
    *,
    X: Any = None,
    groups: np.ndarray | None = None,
    stratify: bool = True,
    every_class: bool = False,
    by_content: bool = False,
    random_state: Any = None,
) -> list[Fold]:
    """Training and test rows of each fold; every row is tested once.

    Parameters
    ----------
    cv : int, splitter or iterable of pairs
        A number of folds, which are shuffled, or anything that scikit-learn takes as ``cv``.
    y : array of shape (n,)
        Labels as codes, or numbers when ``stratify`` is False.
    X : array, optional
        The features, for splitters that look at them, and for ``by_content``.
    groups : array of shape (n,), optional
        Names or numbers; the rows of a group are tested together.
    stratify : bool, default=True
        Whether folds are alike in their labels.
    every_class : bool, default=False
        Whether every fold is to test every class, so that a rare class means fewer folds (two at
        least). Otherwise there are as many as asked for, or as the largest class has rows; a class
        of two rows can be learnt without either all the same.
    by_content : bool, default=False
        Deal rows out by what they hold, not by where they stand, so that reordering a table
        changes nothing.
    random_state : int, RandomState instance or None
        Shuffles the rows of a number of folds.
    """
    if not isinstance(cv, Integral):
        folds = check_cv(cv, y, classifier=stratify).split(X if X is not None else y, y, groups)
        return _check_tested_once([(np.asarray(a), np.asarray(b)) for a, b in folds], len(y))
    n_folds = check_count("cv", cv, low=2)
    if groups is not None:
        return _make_group_folds(groups, y, n_folds, random_state)
    splitter = KFold
    if stratify:
        splitter = StratifiedKFold
        sizes = np.bincount(y)
        sizes = sizes[sizes > 0]
        if sizes.max() == 1:
            raise ValueError(
                "every label occurs once, so that none can be learned from other rows; at least "
                "one class needs two rows."
            )
        n_folds = min(n_folds, max(2, sizes.min()) if every_class else sizes.max())
    order = sort_by_content(X) if by_content else np.arange(len(y))
    with warnings.catch_warnings():
        # A class with fewer rows than folds is reported by ``warn_of_not_learnable`` if it matters.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        dealt = splitter(n_folds, shuffle=True, random_state=random_state).split(order, y[order])
        return [(order[train], order[test]) for train, test in dealt]


def deal_by_content(
    cv: Any, X: Any, codes: np.ndarray, groups: np.ndarray | None, random: Any
) -> list[Fold]:
    """Folds to judge labels by: each tests every class, and reordering a table changes nothing."""
    return make_folds(
        cv,
        codes,
        X=X,
        groups=groups,
        every_class=True,
        by_content=True,
        random_state=draw_seed(random),
    )


def sort_by_content(X: Any) -> np.ndarray:
    """The rows in an order that depends on what they hold, not on where they stand.

    Cells count at a millionth of the largest in their column: their last bits, which differ from
    processor to processor, do not change the order.
    """
    if issparse(X):  # columns without most of their cells are slow to sort by
        return order_rows(X, sign_table(X)[0])
    X = np.asarray(X)
    return np.lexsort([round_cells(X[:, j]) for j in range(X.shape[1])])


def encode_groups(groups: Any, codes: np.ndarray) -> np.ndarray | None:
    """The groups of the rows as whole numbers from 0; None where there are none."""
    if groups is None:
        return None
    check_consistent_length(codes, groups)
    return np.unique(groups, return_inverse=True)[1]


def _make_group_folds(
    groups: np.ndarray, codes: np.ndarray, n_folds: int, random_state: Any
) -> list[Fold]:
    """Folds that keep groups whole, alike in size and labels.

    Groups are dealt out in turn, the largest first, those of one size by the label of their first
    row. O(n log n), unlike scikit-learn's search, which takes long for many groups.
    """
    _, first, groups, sizes = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    if len(sizes) == 1:
        raise ValueError("all rows belong to one group, so that none can be learned from others.")
    shuffled = np.random.default_rng(random_state).random(len(sizes))
    order = np.lexsort((shuffled, codes[first], -sizes))
    fold_of_group = np.empty(len(sizes), dtype=np.intp)
    fold_of_group[order] = np.arange(len(sizes)) % min(n_folds, len(sizes))
    fold = fold_of_group[groups]
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(fold.max() + 1)]


def _check_tested_once(folds: list[Fold], n: int) -> list[Fold]:
    tested = np.bincount(np.concatenate([test for _, test in folds]), minlength=n)
    if (tested != 1).any():
        row = np.flatnonzero(tested != 1)[0]
        raise ValueError(
            f"cv must test each row once, but tests row {row} {tested[row]} times; "
            "pass a number of folds or a splitter such as StratifiedKFold."
        )
    return folds


def draw_training_rows(folds: Sequence[Fold], most_rows: int | None, seed: int) -> list[Fold]:
    """The same folds with ``most_rows`` training rows at most, if told, drawn where more are."""
    random = np.random.default_rng(seed)
    return [
        (np.sort(random.choice(train, most_rows, replace=False)), test)
        if most_rows is not None and len(train) > most_rows
        else (train, test)
        for train, test in folds
    ]


def find_not_learnable(codes: np.ndarray, folds: Sequence[Fold]) -> np.ndarray:
    """Rows whose label their training rows lack."""
    lacking = np.zeros(len(codes), dtype=bool)
    for train, test in folds:
        lacking[test] = ~np.isin(codes[test], codes[train])
    return lacking


def warn_of_not_learnable(lacking: np.ndarray) -> None:
    """Warn when some rows have a label too rare to be learned without them."""
    if lacking.any():
        warn_user(
            f"{lacking.sum()} rows have a label too rare to be learned without them; they cannot "
            "be judged and get suspicion 0. Merge rare classes, or leave them out.",
        )


def predict_out_of_fold(
    estimators: Sequence[Any],
    X: Any,
    codes: np.ndarray,
    folds: Sequence[Fold],
    *,
    n_classes: int | None = None,
    classes: np.ndarray | None = None,
    fit_params: Sequence[dict[str, Any]] | None = None,
    certain: bool = False,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Class probabilities, (n_estimators, n, n_classes), each row's by models fitted without it.

    A class that the training rows lack has probability 0. Where they hold one class, or features
    that do not vary, the answer is their class fractions without a fit. A model without
    ``predict_proba`` counts as certain of what it predicts.

    Parameters
    ----------
    estimators : sequence of classifiers
        Cloned for every fold.
    X : array, sparse matrix, dataframe or list
        The features.
    codes : array of shape (n,)
        Labels as whole numbers from 0.
    folds : sequence of (training rows, test rows)
        As :func:`make_folds` gives them.
    n_classes : int, optional
        Number of columns; one more than the largest code when not given.
    classes : array of shape (n_classes,), optional
        What the estimators are to know the codes as.
    fit_params : sequence of dict, optional
        Metadata for the ``fit`` of each estimator, one value per row.
    certain : bool, default=False
        Ask for classes alone: every model counts as certain of what it predicts.
    n_jobs : int, optional
        Number of fits at a time.
    """
    n_classes = int(codes.max()) + 1 if n_classes is None else n_classes
    proba = np.zeros((len(estimators), len(codes), n_classes))
    jobs = [(i, train, test) for i in range(len(estimators)) for train, test in folds]
    results = Parallel(n_jobs=n_jobs)(
        delayed(_predict_fold)(
            estimators[i],
            take_rows(X, train),
            codes[train],
            take_rows(X, test),
            classes,
            take_params_of_rows(fit_params[i], len(codes), train) if fit_params else {},
            certain,
        )
        for i, train, test in jobs
    )
    for (i, _, test), (known, fold_proba) in zip(jobs, results, strict=True):
        proba[i, test[:, None], known] = fold_proba
    return proba


def _predict_fold(
    estimator: Any,
    X: Any,
    codes: np.ndarray,
    X_test: Any,
    classes: np.ndarray | None,
    fit_params: dict[str, Any],
    certain: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The codes known to a clone fitted on X, and their probabilities for the test rows."""
    fitted = FittedToCodes(estimator, X, codes, classes=classes, **fit_params)
    return fitted.codes, fitted.predict_proba(X_test, certain=certain)


class FittedToCodes:
    """A clone of a classifier, fitted to codes, which it knows as their ``classes``.

    Where there is nothing to learn, some classifiers refuse and others answer NaN: none is fitted.
    One that takes whole numbers from 0 only, as XGBoost does, is given these where it refuses the
    classes.

    Attributes
    ----------
    model : classifier or None
        None where there was nothing to learn.
    codes, labels : array
        The codes it knows, and what it knows them as.
    fractions : array
        Of the training rows, all that is left to answer without a model.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        codes: np.ndarray,
        *,
        classes: np.ndarray | None = None,
        **params: Any,
    ) -> None:
        sizes = np.bincount(codes)
        known = np.flatnonzero(sizes)
        self.model: Any = None
        self.codes = known
        self.labels = known if classes is None else classes[known]
        self.fractions = sizes[known] / len(codes)
        if len(known) == 1 or (isinstance(X, np.ndarray) and not (X[:1] != X).any()):
            return
        if classes is None:
            self.model = fit_to_codes(clone(estimator), X, codes, **params)
        else:
            positions = np.searchsorted(known, codes)
            self.model, is_coded = _fit_classes(estimator, X, classes[codes], positions, **params)
            if is_coded:
                self.labels = np.arange(len(known))
                return
        if hasattr(self.model, "predict_proba"):  # its columns, whatever their order
            self.labels = getattr(self.model, "classes_", self.labels)
            self.codes = self.labels if classes is None else _find_positions(self.labels, classes)

    def predict_proba(self, X: Any, *, certain: bool = False) -> np.ndarray:
        """Probabilities of the codes it knows; 0 and 1 by what it predicts if ``certain``."""
        if self.model is None:
            n = X.shape[0] if hasattr(X, "shape") else len(X)
            return np.tile(self.fractions, (n, 1))
        if certain or not hasattr(self.model, "predict_proba"):
            return (self.model.predict(X)[:, None] == self.labels).astype(float)
        return self.model.predict_proba(X)


def _find_positions(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Where labels are among the classes, in whatever order these are."""
    order = np.argsort(classes)
    return order[np.searchsorted(classes, labels, sorter=order)]


def _fit_classes(
    estimator: Any, X: Any, labels: np.ndarray, codes: np.ndarray, **params: Any
) -> tuple[Any, bool]:
    """A clone fitted to the labels, or to whole numbers where it refuses these; which of both."""
    try:
        return clone(estimator).fit(X, labels, **params), False
    except ValueError as refusal:
        try:
            return clone(estimator).fit(X, codes, **params), True
        except ValueError:
            raise refusal from None  # the labels were not what it minds
