"""Models of numeric targets that a user brings: regressors and predictions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ..._compat import take_rows
from ..._random import seeded_member
from ._models import default_target_models
from ._training import TargetData, TargetPredictor, row_weights


class BroughtPredictions(NamedTuple):
    """Models of numeric targets that the user brings."""

    estimator: Any = None  # a regressor that learns from the table
    predictions: np.ndarray | None = None  # out of sample, (n,) or (n, m)
    estimators: Sequence[Any] | None = None  # instead of the default models

    def for_rows(self, rows: np.ndarray) -> "BroughtPredictions":
        """The same for some of the rows."""
        told = self.predictions
        return self._replace(predictions=None if told is None else np.asarray(told)[rows])


NOTHING_BROUGHT = BroughtPredictions()


@dataclass(frozen=True)
class CrossFittedRegressor:
    """A regressor, fitted to errata's features or to a table of its own."""

    name: str
    regressor: Any
    table: Any = None  # errata's features if None

    def predict_unseen(self, data: TargetData) -> np.ndarray:
        """Costs a fit for each of five folds, and one more where rows have no target."""
        table = data.X if self.table is None else self.table
        regressor = seeded_member(self.regressor, data.random_state)
        told = np.empty(len(data.X))
        for train, test in data.folds():
            told[test] = _fitted(regressor, table, train, data).predict(take_rows(table, test))
        others = np.arange(len(data), len(data.X))
        if len(others):
            model = _fitted(regressor, table, np.arange(len(data)), data)
            told[others] = model.predict(take_rows(table, others))
        return told


def _fitted(regressor: Any, table: Any, rows: np.ndarray, data: TargetData) -> Any:
    """A clone fitted with weights, or without the rows that weigh little if it knows no weights."""
    weight = row_weights(data)[rows]
    if has_fit_parameter(regressor, "sample_weight"):
        params = {"sample_weight": weight}
    else:
        rows, params = rows[weight >= 0.5] if (weight >= 0.5).any() else rows, {}
    return clone(regressor).fit(take_rows(table, rows), data.targets[rows], **params)


@dataclass(frozen=True)
class GivenPredictions:
    """Predictions that the user has already, on the scale of the targets."""

    name: str
    told: np.ndarray

    def predict_unseen(self, data: TargetData) -> np.ndarray:
        """Nothing to fit."""
        return self.told


def target_models_of(
    brought: BroughtPredictions, table: Any, n_rows: int, *, features: bool
) -> list[TargetPredictor]:
    """Default models unless others are brought instead, the user's regressor and predictions.

    ``table`` is what the regressor learns from, in the order of the rows; predictions are on the
    scale of the targets, (n,) or (n, m).
    """
    models: list[TargetPredictor] = []
    if brought.estimators is not None:
        models += [_named_regressor(entry, place) for place, entry in enumerate(brought.estimators)]
    elif features:
        models += default_target_models(n_rows)
    if brought.estimator is not None:
        _check_regressor("estimator", brought.estimator)
        models.append(CrossFittedRegressor("your model", brought.estimator, table))
    if brought.predictions is not None:
        told = np.asarray(brought.predictions, dtype=float).reshape(len(brought.predictions), -1)
        names = [f"your predictions {k + 1}" for k in range(told.shape[1])]
        names = ["your predictions"] if len(names) == 1 else names
        models += [GivenPredictions(*named) for named in zip(names, told.T, strict=True)]
    if not models:
        raise ValueError("no model is left to check the targets: pass a table, or predictions.")
    return models


def _named_regressor(entry: Any, place: int) -> TargetPredictor:
    """A model as it is, or a regressor under its own name or that of its class."""
    if hasattr(entry, "predict_unseen"):
        return entry
    if isinstance(entry, tuple) and len(entry) == 2:
        name, regressor = entry
    else:
        name, regressor = f"{type(entry).__name__} {place + 1}", entry
    _check_regressor("estimators", regressor)
    return CrossFittedRegressor(name, regressor)


def _check_regressor(parameter: str, regressor: Any) -> None:
    if isinstance(regressor, type | str) or not hasattr(regressor, "predict"):
        raise ValueError(
            f"{parameter}={regressor!r} has no predict; pass a regressor such as "
            "sklearn.ensemble.RandomForestRegressor()."
        )
