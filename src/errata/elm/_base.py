"""What classifier and regressor share: a random hidden layer, and ridge regression on it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._blocks import blocks, map_blocks
from .._validation import (
    check_alpha_or_rule,
    check_alphas,
    check_choice,
    check_count,
    check_rows,
    check_sample_weight,
)
from .._warn import warn_user
from ._fit import CONSTANT, Sums, choose_alpha, gather, predict_outside
from ._gram import GramRecord, record_of
from ._hidden_layer import (
    ACTIVATIONS,
    FLOATS,
    RBF,
    HiddenLayer,
    draw_centers,
    draw_layer,
    generator,
)
from ._out_of_sample import held_out_folds
from ._ridge import RidgeModel
from ._rows import HiddenRows


class BaseELM(BaseEstimator):
    """An extreme learning machine, but for the coding of its target."""

    def __init__(
        self,
        *,
        n_hidden: int = 1000,
        activation: str = "erf",
        weight_distribution: str = "normal",
        weight_scale: float | str = 1.0,
        gamma: float | None = None,
        alpha: float | str = "press",
        alphas: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        block_size: int = 8192,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.weight_distribution = weight_distribution
        self.weight_scale = weight_scale
        self.gamma = gamma
        self.alpha = alpha
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.block_size = block_size
        self.random_state = random_state

    def _fit_output_layer(
        self,
        X: np.ndarray,
        T: np.ndarray,
        codes: np.ndarray,
        weight: np.ndarray | None,
        groups: Any,
    ) -> tuple[np.ndarray | None, list[np.ndarray] | None]:
        """Fit the output layer; return out-of-sample predictions (None if not wanted) and folds."""
        alpha, alphas = self._check_alpha(groups is not None)
        random = generator(self.random_state)
        layer = self._draw(X, random)
        folds = held_out_folds(self.cv, X, codes, groups, random)
        rows = self._rows(layer, X, T, weight)
        # Plain least squares and "kfold" need the sums of every fold, however small.
        sums = gather(
            rows, folds or (), fit_intercept=self.fit_intercept, record_all=alpha in (0, "kfold")
        )
        model = self._solve(sums, layer, alpha, alphas, rows)
        if self.cv is False:
            return None, None
        outside = predict_outside(model, sums, rows)
        if outside.leverage is not None:
            self.leverage_ = outside.leverage
            _warn_of_undefined(outside.predictions)
        if alpha == "kfold":
            self._keep_folds(layer, outside.folds)
        return outside.predictions, folds

    def _draw(self, X: np.ndarray, random: np.random.Generator) -> HiddenLayer:
        common: dict[str, Any] = {
            "n_hidden": self.n_hidden,
            "weight_scale": self.weight_scale,
            "random_state": random,
        }
        if check_choice("activation", self.activation, (*ACTIVATIONS, RBF)) == RBF:
            layer = draw_centers(X, gamma=self.gamma, **common)
        else:
            layer = draw_layer(
                X.shape[1],
                activation=self.activation,
                weight_distribution=self.weight_distribution,
                **common,
            )
        self.hidden_weights_, self.hidden_bias_ = layer.weights, layer.bias
        self.gamma_ = layer.gamma
        # Without an intercept nothing would give the shift back.
        return layer.centered_on(X) if self.fit_intercept else layer

    def _rows(
        self, layer: HiddenLayer, X: np.ndarray, T: np.ndarray, weight: np.ndarray | None
    ) -> HiddenRows:
        size = check_count("block_size", self.block_size)
        return HiddenRows(layer, X, T, weight, block_size=size)

    def _check_alpha(self, grouped: bool = False) -> tuple[float | str, np.ndarray | None]:
        """``alpha`` and ``alphas``, when they make sense together with ``cv``."""
        alpha = check_alpha_or_rule(self.alpha)
        if alpha == "kfold" and (self.cv is False or (self.cv is None and not grouped)):
            raise ValueError('alpha="kfold" needs folds to compare alphas on; pass cv=5.')
        return alpha, check_alphas(self.alphas)

    def _solve(
        self,
        sums: Sums,
        layer: HiddenLayer,
        alpha: float | str,
        alphas: np.ndarray | None,
        rows: HiddenRows | None = None,
    ) -> RidgeModel:
        """Let a rule choose alpha where it is to; set what describes the output layer."""
        _warn_if_constant(sums)
        if isinstance(alpha, str):
            alpha, tried = choose_alpha(alpha, alphas, sums, rows)
            for name, values in tried.items():
                setattr(self, f"{name}_", values)
        model = sums.system.solved(alpha)
        self.alpha_, self.dof_ = alpha, model.degrees_of_freedom
        self.coef_ = model.coef
        self.intercept_ = model.intercept - _of_shift(layer, model.coef)
        return model

    def _keep_folds(
        self, layer: HiddenLayer, outputs: Sequence[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        """Set the output layers of the models without each fold, which "kfold" has all of."""
        self.fold_coef_ = np.stack([coef for coef, _ in outputs])
        self.fold_intercept_ = np.stack(
            [intercept - _of_shift(layer, coef) for coef, intercept in outputs]
        )

    def _absorb(self, X: np.ndarray, T: np.ndarray, sample_weight: Any) -> None:
        """Add rows to the sums; the output layer waits until it is asked for."""
        self._check_alpha()  # and not only then
        if not hasattr(self, "_record"):
            self._layer = self._draw(X, generator(self.random_state))
            self._record = GramRecord.empty(len(self._layer.bias), T.shape[1])
        rows = self._rows(self._layer, X, T, check_sample_weight(sample_weight, len(X)))
        self._record = self._record.merge(record_of(rows))
        if hasattr(self, "coef_"):
            del self.coef_  # out of date until _finalize

    def _finalize(self) -> None:
        """Solve for the output layer if rows have been added since the last time."""
        check_is_fitted(self, "hidden_weights_")
        if not hasattr(self, "coef_"):
            alpha, alphas = self._check_alpha()
            system = self._record.system(fit_intercept=self.fit_intercept)
            self._solve(Sums(system, [], [], []), self._layer, alpha, alphas)

    def _forget(self) -> None:
        """Drop what an earlier fit has learnt."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_record"]:
            delattr(self, name)

    def _start_anew_after_fit(self) -> None:
        if hasattr(self, "hidden_weights_") and not hasattr(self, "_record"):
            warn_user("fit keeps no sums that rows could be added to: partial_fit starts anew.")
            self._forget()

    def _scores(self, X: Any) -> np.ndarray:
        """Outputs for new rows, shape (n, q)."""
        self._finalize()
        X = check_rows(self, X, dtype=FLOATS, order="C")
        layer = HiddenLayer(
            self.hidden_weights_, self.hidden_bias_, self.activation, gamma=self.gamma_
        )

        def outputs(block: slice) -> np.ndarray:
            return layer(X[block]) @ self.coef_ + self.intercept_

        return map_blocks(outputs, blocks(len(X), self.block_size))


def _of_shift(layer: HiddenLayer, coef: np.ndarray) -> Any:
    """What the shift, which keeps digits, adds to outputs; users see the units as they are."""
    return 0 if layer.shift is None else layer.shift @ coef


def _warn_if_constant(sums: Sums) -> None:
    if sums.system.mean_eigenvalue <= CONSTANT * sums.system.weight:
        warn_user(
            "the hidden units do not vary over the rows, so all rows are predicted alike; "
            "scale X (for instance with StandardScaler) or raise weight_scale."
        )


def _warn_of_undefined(predictions: np.ndarray) -> None:
    undefined = int(np.isnan(predictions).any(axis=1).sum())
    if undefined:
        warn_user(
            f"{undefined} of {len(predictions)} rows cannot be predicted without themselves: "
            "alpha is too small for so many hidden units. Raise alpha or lower n_hidden."
        )
