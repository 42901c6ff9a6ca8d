"""An extreme learning machine: a random hidden layer, and an output layer by ridge regression."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .._validation import check_choice, check_count
from ..exceptions import SuspicionWarning
from ._checks import check_alpha, check_alphas, check_weights
from ._features import ACTIVATIONS, RADIAL, HiddenLayer, draw_centers, draw_layer, generator
from ._fit import CONSTANT, Sums, choose_ridge, gather, predict_outside
from ._gram import GramRecord, record_of
from ._out_of_sample import make_folds
from ._ridge import RidgeModel
from ._rows import TrainingRows

FLOATS = [np.float64, np.float32]


class ExtremeLearningMachine(BaseEstimator):
    """What regressor and classifier share: everything but the coding of the target."""

    n_hidden: int
    activation: str
    weights: str
    sigma_w: float | str
    alpha: float | str
    alphas: Any
    fit_intercept: bool
    cv: Any
    block_size: int
    random_state: Any

    def _learn(
        self, X: np.ndarray, T: np.ndarray, codes: np.ndarray, sample_weight: Any
    ) -> tuple[np.ndarray | None, list[np.ndarray] | None]:
        """Fit the output layer; return out-of-sample predictions (None if not wanted) and folds."""
        alpha, alphas = self._check_ridge()
        random = generator(self.random_state)
        layer = self._draw(X, random)
        folds = make_folds(self.cv, X, codes, random) if self._wants_folds else None
        rows = self._rows(layer, X, T, sample_weight)
        sums = gather(
            rows, folds or (), fit_intercept=self.fit_intercept, record_all=alpha in (0, "kfold")
        )
        model = self._solve(sums, layer, alpha, alphas, rows)
        if self.cv is False:
            return None, None
        predictions, leverage = predict_outside(model, sums, rows)
        if leverage is not None:
            self.leverage_ = leverage
            _warn_of_undefined(predictions)
        return predictions, folds

    @property
    def _wants_folds(self) -> bool:
        return self.cv is not None and self.cv is not False

    def _draw(self, X: np.ndarray, random: np.random.Generator) -> HiddenLayer:
        drawn: dict[str, Any] = {"n_hidden": self.n_hidden, "sigma_w": self.sigma_w}
        if check_choice("activation", self.activation, (*ACTIVATIONS, RADIAL)) == RADIAL:
            layer = draw_centers(X, random_state=random, **drawn)
        else:
            drawn |= {"activation": self.activation, "weights": self.weights}
            layer = draw_layer(X.shape[1], random_state=random, **drawn)
        self.hidden_weights_, self.hidden_bias_ = layer.weights, layer.bias
        self.hidden_gamma_ = layer.gamma
        return layer.centered_on(X) if self.fit_intercept else layer

    def _rows(
        self, layer: HiddenLayer, X: np.ndarray, T: np.ndarray, sample_weight: Any
    ) -> TrainingRows:
        weight = check_weights(sample_weight, len(X))
        size = check_count("block_size", self.block_size)
        return TrainingRows(layer, X, T, weight, block_size=size)

    def _check_ridge(self) -> tuple[float | str, np.ndarray | None]:
        """``alpha`` and ``alphas``, when they make sense together with ``cv``."""
        alpha = check_alpha(self.alpha)
        if alpha == "kfold" and not self._wants_folds:
            raise ValueError('alpha="kfold" needs folds to compare ridges on; pass cv=5.')
        return alpha, check_alphas(self.alphas)

    def _solve(
        self,
        sums: Sums,
        layer: HiddenLayer,
        alpha: float | str,
        alphas: np.ndarray | None,
        rows: TrainingRows | None = None,
    ) -> RidgeModel:
        """Let a rule choose the ridge where it is to; set what describes the output layer."""
        _warn_if_constant(sums)
        if isinstance(alpha, str):
            alpha, tried = choose_ridge(alpha, alphas, sums, rows)
            for name, values in tried.items():
                setattr(self, f"{name}_", values)
        model = sums.system.solved(alpha)
        shift = 0 if layer.shift is None else layer.shift @ model.coef
        self.alpha_, self.dof_ = alpha, model.degrees_of_freedom
        self.coef_, self.intercept_ = model.coef, model.intercept - shift
        return model

    def _absorb(self, X: np.ndarray, T: np.ndarray, sample_weight: Any) -> None:
        """Add rows to the sums; the output layer waits until it is asked for."""
        self._check_ridge()  # and not only then
        if not hasattr(self, "_record"):
            self._layer = self._draw(X, generator(self.random_state))
            self._record = GramRecord.empty(len(self._layer.bias), T.shape[1])
        rows = self._rows(self._layer, X, T, sample_weight)
        self._record = self._record.merge(record_of(rows))
        if hasattr(self, "coef_"):
            del self.coef_  # out of date until _finalize

    def _finalize(self) -> None:
        """Solve for the output layer if rows have been added since the last time."""
        check_is_fitted(self, "hidden_weights_")
        if not hasattr(self, "coef_"):
            alpha, alphas = self._check_ridge()
            system = self._record.system(fit_intercept=self.fit_intercept)
            self._solve(Sums(system, [], [], []), self._layer, alpha, alphas)

    def _forget(self) -> None:
        """Drop what an earlier fit has learnt."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_record"]:
            delattr(self, name)

    def _start_anew_after_fit(self) -> None:
        if hasattr(self, "hidden_weights_") and not hasattr(self, "_record"):
            warnings.warn(
                "fit keeps no sums that rows could be added to: partial_fit starts anew.",
                SuspicionWarning,
                stacklevel=3,
            )
            self._forget()

    def _scores(self, X: Any) -> np.ndarray:
        """Outputs for new rows, shape (n, q)."""
        self._finalize()
        X = validate_data(self, X, reset=False, dtype=FLOATS, order="C")
        layer = HiddenLayer(
            self.hidden_weights_, self.hidden_bias_, self.activation, gamma=self.hidden_gamma_
        )
        starts = range(0, len(X), self.block_size)
        blocks = [layer(X[i : i + self.block_size]) @ self.coef_ for i in starts]
        return np.concatenate(blocks) + self.intercept_


def _warn_if_constant(sums: Sums) -> None:
    if sums.system.mean_eigenvalue <= CONSTANT * sums.system.weight:
        warnings.warn(
            "the hidden units do not vary over the rows, so all rows are predicted alike; "
            "scale X (for instance with StandardScaler) or raise sigma_w.",
            SuspicionWarning,
            stacklevel=5,
        )


def _warn_of_undefined(predictions: np.ndarray) -> None:
    undefined = int(np.isnan(predictions).any(axis=1).sum())
    if undefined:
        warnings.warn(
            f"{undefined} of {len(predictions)} rows cannot be predicted without themselves: the "
            "ridge is too small for so many hidden units. Raise alpha or lower n_hidden.",
            SuspicionWarning,
            stacklevel=4,
        )
