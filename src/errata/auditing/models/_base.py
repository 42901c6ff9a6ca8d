"""Models: each gives every row a probability of each label, without having learnt from that row.

Such out-of-fold probabilities are all that the rest of the audit knows of the columns. A model is
any object with a name and a method ``out_of_fold_proba``. Of a table with too many rows to learn
from all, some are drawn, and the others are predicted by what was learnt: a model with a method
``cross_fit`` can do that. Here are what models get and give; errata's own models, and those
that a user brings, are in ``_default``.

Rows that were not there are predicted by a fit to all rows; where groups fall into folds, by the
fit without the fold of the row.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..._compat import take_rows
from ..._crossfit import (
    FittedToCodes,
    Fold,
    draw_training_rows,
    make_folds,
    predict_out_of_fold,
)
from .._settings import FOLDS, GROUP_FOLDS
from ..inputs._groups import renumber_groups


@dataclass(frozen=True)
class TrainingData:
    """The rows that models of an audit learn from.

    Attributes
    ----------
    X : array of shape (n, d)
        Numeric features, each with mean 0 and standard deviation 1.
    codes : array of int of shape (n,)
        The labels, from 0 to ``n_classes - 1``. In a self-check a class may have lost all rows.
    n_classes : int
    groups : array of int of shape (n,) or None
        The number of each row's group where rows must be left out together.
    random_state : int
    n_jobs : int or None
    folds : array of int of shape (n,) or None
        Where there are groups and more rows follow: which of ten folds each row's group falls into.
        Rows of one fold are left out together.
    more_rows : bool
        Whether these are drawn rows of a larger table, of which the others are to be predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.auditing import TrainingData
    >>> data = TrainingData(np.zeros((10, 2)), np.arange(10) % 2, n_classes=2)
    >>> [len(test) for train, test in data.splits()]
    [2, 2, 2, 2, 2]
    """

    X: np.ndarray
    codes: np.ndarray
    n_classes: int
    groups: np.ndarray | None = None
    random_state: int = 0
    n_jobs: int | None = None
    folds: np.ndarray | None = None
    more_rows: bool = False

    @property
    def is_grouped(self) -> bool:
        """Whether some rows must be left out together."""
        return self.groups is not None or self.folds is not None

    def splits(self, n_splits: int = FOLDS) -> list[Fold]:
        """Training and test rows: stratified folds, which keep the rows of a group together."""
        if self.folds is None:
            seed = self.random_state
            return make_folds(n_splits, self.codes, groups=self.groups, random_state=seed)
        split = split_of_fold(self.folds, n_splits)[self.folds]
        numbers = range(split.max() + 1)
        return [(np.flatnonzero(split != k), np.flatnonzero(split == k)) for k in numbers]

    def for_rows(self, rows: np.ndarray) -> "TrainingData":
        """The same for some of the rows."""
        return replace(
            self,
            X=self.X[rows],
            codes=self.codes[rows],
            groups=renumber_groups(self.groups, rows),
            folds=None if self.folds is None else self.folds[rows],
            more_rows=False,
        )


def split_of_fold(folds: np.ndarray, n_splits: int) -> np.ndarray:
    """For each of the ten folds the split that leaves it out.

    A fold that none of the rows is in was learnt from by nobody: any split may stand for it.
    """
    present = np.unique(folds)
    if len(present) < 2:
        raise ValueError(
            "the groups of all rows fall into one fold, so that none can be learned from others; "
            "pass groups of fewer rows each."
        )
    split = np.zeros(GROUP_FOLDS, dtype=np.intp)
    split[present] = np.arange(len(present)) % n_splits
    return split


@dataclass(frozen=True)
class NewRows:
    """Rows that no model has seen, to be predicted.

    Attributes
    ----------
    X : array of float of shape (n, d)
        The features, scaled as those of the :class:`TrainingData` were.
    table : table or None
        What an ``estimator`` of the user looks at.
    pred_proba : array of shape (n, n_classes) or None
        Probabilities that the user has of these rows.
    folds : array of int of shape (n,) or None
        The fold of each row's group, as in the :class:`TrainingData`: a row is predicted by what
        was learnt without its fold.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.auditing import NewRows
    >>> rows = NewRows(np.array([[0.5, 1.0], [2.0, -1.0], [0.0, 3.0]]))
    >>> len(rows), rows.take(np.array([2])).X.tolist()
    (3, [[0.0, 3.0]])
    """

    X: np.ndarray
    table: Any = None
    pred_proba: np.ndarray | None = None
    folds: np.ndarray | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.X)

    def take(self, rows: Any) -> "NewRows":
        """Some of the rows, by their numbers."""
        return NewRows(
            self.X[rows],
            None if self.table is None else take_rows(self.table, rows),
            None if self.pred_proba is None else self.pred_proba[rows],
            None if self.folds is None else self.folds[rows],
        )


class Predictor(Protocol):
    """A fitted model: small, picklable, and without the rows it was learnt from."""

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Probability of each label for each of the rows, shape (n, n_classes)."""


class CrossFit(NamedTuple):
    """The result of ``OutOfFoldModel.cross_fit``: rows predicted, and how to predict others.

    Parameters
    ----------
    out_of_fold : array of shape (n, n_classes)
        Probability of each label for each row of the data, by fits without the row.
    predictor : object with a method ``predict_proba``
        It gets :class:`NewRows` and returns an array of shape (n, n_classes). What it says of a row
        must not depend on the rows beside it. It is pickled when rows are judged elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.auditing import CrossFit, NewRows, TrainingData
    >>> class Constant:
    ...     def __init__(self, fractions):
    ...         self.fractions = fractions
    ...     def predict_proba(self, rows):
    ...         return np.tile(self.fractions, (len(rows), 1))
    >>> class Frequencies:
    ...     name = "frequencies"
    ...     def out_of_fold_proba(self, data):
    ...         return self.cross_fit(data).out_of_fold
    ...     def cross_fit(self, data):
    ...         counts = np.bincount(data.codes, minlength=data.n_classes)
    ...         others = counts - np.eye(data.n_classes)[data.codes]
    ...         out_of_fold = others / others.sum(axis=1, keepdims=True)
    ...         return CrossFit(out_of_fold, Constant(counts / counts.sum()))
    >>> data = TrainingData(np.zeros((10, 2)), np.arange(10) // 4, n_classes=3, more_rows=True)
    >>> fit = Frequencies().cross_fit(data)
    >>> fit.predictor.predict_proba(NewRows(np.ones((1, 2))))
    array([[0.4, 0.4, 0.2]])
    """

    out_of_fold: np.ndarray
    predictor: Predictor


class OutOfFoldModel(Protocol):
    """A model of an audit: a name, and probabilities of labels that it has not learnt from.

    Any class with these two may stand among the ``estimators`` of :func:`errata.audit`. Of a table
    with more rows than an audit learns from (200,000) it sees drawn ones, and needs a third method
    ``cross_fit(data)``, which returns a :class:`CrossFit`, for the others.

    Examples
    --------
    >>> import numpy as np
    >>> class Frequencies:
    ...     name = "frequencies"
    ...     def out_of_fold_proba(self, data):
    ...         proba = np.empty((len(data.codes), data.n_classes))
    ...         for train, test in data.splits():
    ...             proba[test] = np.bincount(data.codes[train], minlength=data.n_classes)
    ...         return proba / proba.sum(axis=1, keepdims=True)
    """

    @property
    def name(self) -> str:
        """How reports call it."""

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Probability of each label for each row, shape (n, n_classes), by fits without the row."""


def cross_fit_proba(
    classifier: Any,
    table: Any,
    data: TrainingData,
    classes: np.ndarray | None = None,
    max_rows: int | None = None,
    n_splits: int = FOLDS,
) -> np.ndarray:
    """Probabilities of the rows of each fold by a clone fitted to the others, or to some."""
    proba = predict_out_of_fold(
        [classifier],
        table,
        data.codes,
        draw_training_rows(data.splits(n_splits), max_rows, data.random_state),
        n_classes=data.n_classes,
        classes=classes,
    )
    return certain_or_uniform(proba[0])


def cross_fit_classifier(
    classifier: Any,
    table: Any,
    data: TrainingData,
    classes: np.ndarray | None = None,
    max_rows: int | None = None,
    kept: Callable[[Any], Any] | None = None,
    n_splits: int = FOLDS,
) -> CrossFit:
    """The same, and a predictor of other rows. It looks at their features if ``table`` is None."""
    fitted = FittedClassifiers(classifier, table, data, classes, max_rows, kept, n_splits)
    if data.folds is not None:
        same_rows = NewRows(data.X, table, folds=data.folds)
        return CrossFit(fitted.predict_proba(same_rows), fitted)
    rows = data.X if table is None else table
    return CrossFit(cross_fit_proba(classifier, rows, data, classes, max_rows, n_splits), fitted)


class FittedClassifiers:
    """A classifier fitted to all rows, or clones of it to those outside each split of the folds.

    ``kept`` makes of a fitted classifier what is kept of it, which needs ``predict_proba`` alone.
    """

    def __init__(
        self,
        classifier: Any,
        table: Any,
        data: TrainingData,
        classes: np.ndarray | None,
        max_rows: int | None,
        kept: Callable[[Any], Any] | None,
        n_splits: int,
    ) -> None:
        self.n_classes = data.n_classes
        self.by_features = table is None  # and not by the table that the user gave
        self.split_of_fold = None  # for one fit to all rows
        splits = [(np.arange(len(data.codes)), np.empty(0, dtype=np.intp))]
        if data.folds is not None:
            splits = data.splits(n_splits)
            self.split_of_fold = split_of_fold(data.folds, n_splits)
        rows = data.X if table is None else table
        self.fits = []
        for train, _ in draw_training_rows(splits, max_rows, data.random_state):
            some = take_rows(rows, train)
            fit = FittedToCodes(classifier, some, data.codes[train], classes=classes)
            if kept is not None and fit.model is not None:
                fit.model = kept(fit.model)
            self.fits.append(fit)

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Probabilities by the classifier without the fold of each row, a column for each class."""
        if self.split_of_fold is None:
            return self._ask(self.fits[0], rows)
        split = self.split_of_fold[rows.folds]
        proba = np.empty((len(rows), self.n_classes))
        for k in np.unique(split):
            own = np.flatnonzero(split == k)
            proba[own] = self._ask(self.fits[k], rows.take(own))
        return proba

    def _ask(self, fit: FittedToCodes, rows: NewRows) -> np.ndarray:
        proba = fit.predict_proba(rows.X if self.by_features else rows.table)
        return certain_or_uniform(all_columns(proba, fit.codes, self.n_classes))


def all_columns(proba: np.ndarray, present: np.ndarray, n_classes: int) -> np.ndarray:
    """Columns for all classes, zero for those that no row has at the moment."""
    if np.array_equal(present, np.arange(n_classes)):
        return proba
    spread = np.zeros((len(proba), n_classes))
    spread[:, present] = proba
    return spread


def certain_or_uniform(proba: np.ndarray) -> np.ndarray:
    """Rows that sum to one; those about which nothing is known become uniform."""
    proba = np.nan_to_num(proba, nan=0.0)
    total = proba.sum(axis=1, keepdims=True)
    uniform = np.full_like(proba, 1 / proba.shape[1])
    return np.divide(proba, total, out=uniform, where=total > 0)


def single_precision(X: np.ndarray) -> np.ndarray:
    """Rows as trees see them; what is too large is infinite."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(X, dtype=np.float32)
