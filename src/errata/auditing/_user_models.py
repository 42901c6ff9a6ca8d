"""Models that a user brings: classifiers, probabilities, and models of another kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._compat import take_rows
from .._random import seeded_member
from ..tables._columns import is_arrow_table
from ._cross_fitting import certain_or_uniform, cross_fit_classifier, cross_fit_proba
from ._inputs import Inputs
from ._models import CrossFit, NewRows, OutOfFoldModel, TrainingData


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

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs one fit more."""
        classifier = seeded_member(self.classifier, data.random_state)
        return cross_fit_classifier(classifier, self.table, data, self.classes)

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

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """The user has those of other rows, too."""
        return CrossFit(self.proba, AsGiven())

    def for_rows(self, rows: np.ndarray) -> "GivenProbabilities":
        """The same model for some of the rows."""
        return replace(self, proba=self.proba[rows])


class AsGiven:
    """Rows as the user's probabilities predict them."""

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Nothing to compute."""
        return np.asarray(rows.pred_proba)


def models_of_user(
    inputs: Inputs, estimator: Any, pred_proba: np.ndarray | None
) -> list[OutOfFoldModel]:
    """The classifier and the probabilities, which were checked, that the user brings, as models."""
    brought: list[OutOfFoldModel] = []
    if estimator is not None:
        brought.append(_model_of_user(inputs, estimator))
    if pred_proba is not None:
        if len(inputs.audited) < len(pred_proba):
            pred_proba = certain_or_uniform(pred_proba[np.ix_(inputs.audited, inputs.present)])
        brought.append(GivenProbabilities(pred_proba))
    return brought


def _model_of_user(inputs: Inputs, estimator: Any) -> CrossFitted:
    check_classifier("estimator", estimator)
    if inputs.model_table is None:
        raise ValueError("an estimator needs a table to learn from, but X is None.")
    features = None if inputs.features is None else inputs.features.X
    table = take_rows(estimator_table(inputs.model_table, features), inputs.audited)
    return CrossFitted("your model", estimator, table, inputs.classes[inputs.present])


def estimator_table(table: Any, features: Any) -> Any:
    """What the user's estimator learns from and predicts: the table, or errata's features of it.

    Of the columns of a text file, only errata's features are numbers.
    """
    of_columns = isinstance(table, Mapping) or is_arrow_table(table)
    return features if of_columns and features is not None else table


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
    check_classifier("estimators", classifier)
    return CrossFitted(name, classifier)


def check_classifier(parameter: str, classifier: Any) -> None:
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
