"""Ridge regression on Gaussian RBF features, the quickest of the default models."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from .._validation import fit_to_codes
from ..elm import ELMClassifier
from ..elm._hidden_layer import RBF
from ..exceptions import SuspicionWarning
from ._cross_fitting import all_columns
from ._fitted_ridge import FittedRidge
from ._models import CrossFit, TrainingData
from ._settings import LEAVE_ONE_OUT, RBF_FEATURES, RIDGE_FOLDS


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
