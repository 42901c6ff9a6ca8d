"""Ridge regression on Gaussian RBF features, the quickest of the default models."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from .._blocks import blocks, map_blocks
from .._validation import fit_to_codes
from ..elm import ELMClassifier
from ..elm._hidden_layer import RBF, HiddenLayer
from ..exceptions import SuspicionWarning
from ._cross_fitting import all_columns
from ._models import CrossFit, NewRows, TrainingData, split_of_fold
from ._settings import LEAVE_ONE_OUT, RBF_FEATURES, RIDGE_FOLDS

ACTIVATED = 2**18  # hidden activations held at once
FARTHEST = 1e100  # squares of what is farther could overflow


@dataclass(frozen=True)
class RBFRidge:
    """Ridge regression on Gaussian RBF features around drawn rows; left out in closed form."""

    name: str
    sharpness: float
    n_hidden: int = RBF_FEATURES

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs O(n m²) for m features."""
        return _out_of_fold(self._fitted(data), data.n_classes)

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs no more: the model of all rows, and those without each fold, are there already."""
        model = self._fitted(data)
        return CrossFit(_out_of_fold(model, data.n_classes), FittedRidge.of(model, data))

    def _fitted(self, data: TrainingData) -> ELMClassifier:
        many, grouped = len(data.codes) > LEAVE_ONE_OUT, data.is_grouped
        model = ELMClassifier(
            n_hidden=self.n_hidden,
            activation=RBF,
            weight_scale=self.sharpness,
            alpha="kfold" if grouped else "gcv" if many else "press",
            cv=data.splits(RIDGE_FOLDS) if many or grouped else None,
            random_state=data.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspicionWarning)  # rare classes: the user was told
            return fit_to_codes(model, data.X, data.codes)  # the labels were checked before


def _out_of_fold(model: ELMClassifier, n_classes: int) -> np.ndarray:
    scores = model.loo_predictions_ if model.cv is None else model.oof_predictions_
    single = (scores / model.temperature_).astype(np.float32)  # many classes fill the memory
    proba = softmax(np.nan_to_num(single, copy=False, nan=1 / n_classes), axis=1)
    return all_columns(proba, model.classes_, n_classes)


@dataclass(frozen=True)
class FittedRidge:
    """Output weights on a hidden layer: those fitted to all rows, or to those outside each fold."""

    layer: HiddenLayer
    coef: np.ndarray  # (1 or splits, m, q), over the temperature
    intercept: np.ndarray  # (1 or splits, q), over the temperature
    split_of_fold: np.ndarray | None
    classes: np.ndarray  # those that it knows, q
    n_classes: int

    @classmethod
    def of(cls, model: ELMClassifier, data: TrainingData) -> "FittedRidge":
        """What of a fitted model is needed for other rows."""
        layer = HiddenLayer(model.hidden_weights_, model.hidden_bias_, RBF, gamma=model.gamma_)
        if data.folds is None:
            outputs, split = (model.coef_[None], model.intercept_[None]), None
        else:
            outputs = model.fold_coef_, model.fold_intercept_
            split = split_of_fold(data.folds, RIDGE_FOLDS)
        coef, intercept = (values / model.temperature_ for values in outputs)
        return cls(layer, coef, intercept, split, model.classes_, data.n_classes)

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """In double precision, as weights of wide features are large and cancel each other."""
        X = np.clip(rows.X, -FARTHEST, FARTHEST, dtype=np.float64)
        parts = blocks(len(X), ACTIVATED, width=len(self.layer.bias))

        def told(block: slice) -> np.ndarray:
            folds = None if rows.folds is None else rows.folds[block]
            return self.proba(self.layer(X[block]), folds)

        return map_blocks(told, parts)

    def proba(self, hidden: np.ndarray, folds: np.ndarray | None) -> np.ndarray:
        """Probabilities of some rows by their hidden activations."""
        proba = softmax(self._scores(hidden, folds), axis=1)
        return all_columns(proba, self.classes, self.n_classes)

    def _scores(self, hidden: np.ndarray, folds: np.ndarray | None) -> np.ndarray:
        if self.split_of_fold is None:
            return hidden @ self.coef[0] + self.intercept[0]
        split = self.split_of_fold[folds]
        scores = np.empty((len(hidden), len(self.classes)))
        for k in np.unique(split):
            scores[split == k] = hidden[split == k] @ self.coef[k] + self.intercept[k]
        return scores
