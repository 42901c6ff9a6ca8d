"""Models: each gives every row a probability of each label, without having learnt from that row.

Such out-of-fold probabilities are all that the rest of the audit knows of the columns. A model is
any object with a name and a method ``out_of_fold_proba``. Here are what models learn from, the
models that a user brings, and how classifiers are cross-fitted; errata's own are in
``_default_models``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from .._compat import take_rows
from .._crossfit import Fold, make_folds, out_of_fold_proba, with_fewer_rows
from .._random import seeded_member
from ..tables._columns import is_arrow_table
from ._groups import renumbered
from ._inputs import Inputs, check_pred_proba
from ._settings import FOLDS


@dataclass(frozen=True)
class TrainingData:
    """What the models of an audit learn from.

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

    def splits(self, n_splits: int = FOLDS) -> list[Fold]:
        """Training and test rows: stratified folds, which keep the rows of a group together."""
        return make_folds(n_splits, self.codes, groups=self.groups, random_state=self.random_state)

    def for_rows(self, rows: np.ndarray) -> "TrainingData":
        """The same for some of the rows."""
        groups = renumbered(self.groups, rows)
        return replace(self, X=self.X[rows], codes=self.codes[rows], groups=groups)


class OutOfFoldModel(Protocol):
    """A model of an audit: a name, and probabilities of labels that it has not learnt from.

    Any class with these two may stand among the ``estimators`` of :func:`errata.audit`.

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


@dataclass(frozen=True)
class CrossFitted:
    """A classifier, fitted to errata's features or to a table of its own."""

    name: str
    classifier: Any
    table: Any = None  # errata's features if None
    classes: np.ndarray | None = None  # what the classifier knows the codes as

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs a fit for each of five folds."""
        table = data.X if self.table is None else self.table
        classifier = seeded_member(self.classifier, data.random_state)
        return cross_fit_proba(classifier, table, data, self.classes)

    def for_rows(self, rows: np.ndarray) -> "CrossFitted":
        """The same model for some of the rows."""
        return self if self.table is None else replace(self, table=take_rows(self.table, rows))


@dataclass(frozen=True)
class GivenProbabilities:
    """Probabilities that the user has already."""

    proba: np.ndarray
    name: str = "your probabilities"

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Nothing to fit."""
        return self.proba

    def for_rows(self, rows: np.ndarray) -> "GivenProbabilities":
        """The same model for some of the rows."""
        return replace(self, proba=self.proba[rows])


def models_of_user(inputs: Inputs, estimator: Any, pred_proba: Any) -> list[OutOfFoldModel]:
    """The classifier and the probabilities that the user brings, as models."""
    brought: list[OutOfFoldModel] = []
    if estimator is not None:
        brought.append(_model_of_user(inputs, estimator))
    if pred_proba is not None:
        proba = check_pred_proba(pred_proba, inputs.classes, len(inputs.codes))
        if len(inputs.audited) < len(proba):
            proba = certain_or_uniform(proba[np.ix_(inputs.audited, inputs.present)])
        brought.append(GivenProbabilities(proba))
    return brought


def _model_of_user(inputs: Inputs, estimator: Any) -> CrossFitted:
    _check_classifier("estimator", estimator)
    if inputs.model_table is None:
        raise ValueError("an estimator needs a table to learn from, but X is None.")
    table = inputs.model_table
    if (isinstance(table, Mapping) or is_arrow_table(table)) and inputs.features is not None:
        table = inputs.features.X  # columns of a text file: only errata's features are numbers
    table = take_rows(table, inputs.audited)
    return CrossFitted("your model", estimator, table, inputs.classes[inputs.present])


def named_models(estimators: Sequence[Any]) -> list[OutOfFoldModel]:
    """Classifiers, pairs of name and classifier, and models of the user's own kind, as models."""
    if isinstance(estimators, str) or not isinstance(estimators, Sequence):
        raise ValueError(
            f"estimators={estimators!r} must be a list of classifiers or of (name, classifier) "
            "pairs."
        )
    models: list[OutOfFoldModel] = []
    for entry in estimators:
        models.append(entry if hasattr(entry, "out_of_fold_proba") else _named(entry, models))
    repeated = [name for name, times in Counter(m.name for m in models).items() if times > 1]
    if repeated:
        raise ValueError(f"the names of estimators must differ, but {repeated[0]!r} is repeated.")
    return models


def _named(entry: Any, others: Sequence[OutOfFoldModel]) -> CrossFitted:
    """The classifier under its own name, or under that of its class, which is made unique."""
    if isinstance(entry, tuple) and len(entry) == 2:
        name, classifier = entry
    else:
        name, classifier = type(entry).__name__, entry
        taken = sum(model.name.partition(" ")[0] == name for model in others)
        name = f"{name} {taken + 1}" if taken else name
    _check_classifier("estimators", classifier)
    return CrossFitted(name, classifier)


def _check_classifier(parameter: str, classifier: Any) -> None:
    if isinstance(classifier, str):
        raise ValueError(
            f"{parameter} holds the text {classifier!r}; pass the classifier itself, for instance "
            "sklearn.neighbors.KNeighborsClassifier()."
        )
    if not hasattr(classifier, "predict_proba"):
        raise ValueError(
            f"{parameter}={type(classifier).__name__} has no predict_proba; pass a classifier that "
            "gives probabilities."
        )


def cross_fit_proba(
    classifier: Any,
    table: Any,
    data: TrainingData,
    classes: np.ndarray | None = None,
    max_rows: int | None = None,
) -> np.ndarray:
    """Probabilities of the rows of each fold by a clone fitted to the others, or to some."""
    folds = data.splits()
    if max_rows is not None:
        folds = with_fewer_rows(folds, max_rows, data.random_state)
    proba = out_of_fold_proba(
        [classifier], table, data.codes, folds, n_classes=data.n_classes, classes=classes
    )
    return certain_or_uniform(proba[0])


def all_columns(proba: np.ndarray, present: np.ndarray, n_classes: int) -> np.ndarray:
    """Columns for all classes, zero for those that no row has at the moment."""
    if len(present) == n_classes:
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
