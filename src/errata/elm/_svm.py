"""What support vector machines on ELM kernels share: the kernel, and the choice of a solver."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize

from .._blocks import blocks, map_blocks
from .._validation import check_choice, check_count, check_positive, check_rows
from .._warn import warn_user
from ._features import ELMFeatures
from ._kernel import asymptotic_elm_kernel, elm_kernel

# What LIBSVM allows itself. scikit-learn lifts it, and a tolerance below rounding is never met.
GRAM_ITERATIONS = 10_000_000
# Up to so many rows, times C, a Gram matrix and LIBSVM are faster than features and LIBLINEAR: for
# each row and unit the one takes n products, the other a pass of which it needs some 100 times C.
# Measured on 13 data sets and other sizes, see docs/evidence/reproductions/elm-solver.md.
GRAM_ROWS = 1000


class BaseELMSVM(BaseEstimator):
    """A support vector machine but for its target."""

    def __init__(
        self,
        *,
        kernel: str = "asymptotic",
        n_hidden: int = 1000,
        activation: str = "erf",
        weight_distribution: str = "normal",
        weight_scale: float = 1.0,
        C: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 10_000,
        max_gram_bytes: int = 2**27,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_hidden = n_hidden
        self.activation = activation
        self.weight_distribution = weight_distribution
        self.weight_scale = weight_scale
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.max_gram_bytes = max_gram_bytes
        self.random_state = random_state

    def _fit_on(
        self, X: np.ndarray, target: np.ndarray, weight: np.ndarray | None, unit: float = 1.0
    ) -> None:
        """Fit; ``unit`` is what errors are small or large in comparison with."""
        if weight is not None:  # LIBSVM drops rows without weight and then miscounts the others
            X, target, weight = X[weight > 0], target[weight > 0], weight[weight > 0]
        self.solver_ = self._choose_solver(len(X), unit)
        if self.solver_ == "linear" or self.kernel == "finite":
            self.features_ = self._make_features().fit(X)
        inputs = self._training_inputs(X)
        self.estimator_ = self._make_estimator().fit(inputs, target, weight)
        self.n_iter_ = int(np.max(self.estimator_.n_iter_))

    def _choose_solver(self, n: int, unit: float = 1.0) -> str:
        check_choice("kernel", self.kernel, ("asymptotic", "finite"))
        check_choice("solver", self.solver, ("auto", "gram", "linear"))
        # Checked whatever the solver: a limit that makes no sense should not pass unnoticed.
        fits = 8 * n**2 <= check_count("max_gram_bytes", self.max_gram_bytes)
        if self.solver == "gram" and not fits:
            raise ValueError(
                f"the Gram matrix of {n} rows takes {8 * n**2} bytes, more than max_gram_bytes="
                f'{self.max_gram_bytes}; raise that limit or pass solver="linear".'
            )
        if self.solver != "auto":
            return self.solver
        few = n <= GRAM_ROWS * max(1.0, check_positive("C", self.C) / unit)
        if fits and (few or self.kernel == "asymptotic"):
            return "gram"
        if self.kernel == "asymptotic":
            self._warn_of_the_stand_in(n)
        return "linear"

    def _warn_of_the_stand_in(self, n: int) -> None:
        warn_user(
            f"{n} rows are too many for a Gram matrix of max_gram_bytes={self.max_gram_bytes}: "
            f"{self.n_hidden} drawn units stand in for the asymptotic kernel. "
            'Pass solver="linear" to agree, or raise max_gram_bytes.',
            UserWarning,
        )

    def _make_features(self) -> ELMFeatures:
        limit = self.kernel == "asymptotic"  # the limit of erf units with normal weights
        return ELMFeatures(
            n_hidden=self.n_hidden,
            activation="erf" if limit else self.activation,
            weight_distribution="normal" if limit else self.weight_distribution,
            weight_scale=self.weight_scale,
            random_state=self.random_state,
        )

    def _make_estimator(self) -> Any:
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        """Parameters of the solver but for its loss."""
        common = {"C": self.C, "tol": self.tol}
        if self.solver_ == "gram":
            return common | {"kernel": "precomputed", "max_iter": GRAM_ITERATIONS}
        return common | {"max_iter": self.max_iter, "random_state": self.random_state}

    def _training_inputs(self, X: np.ndarray) -> np.ndarray:
        if self.solver_ == "gram":
            self.X_fit_ = X
            return self._inputs(X)
        # LIBLINEAR penalises the intercept, so leave it next to nothing to do. A large
        # intercept_scaling would lift the penalty instead, but keeps it from converging.
        phi = self._explicit(X)
        self.feature_mean_ = phi.mean(axis=0)
        phi -= self.feature_mean_
        return phi

    def _inputs(self, X: np.ndarray) -> np.ndarray:
        """What the solver is fed with: centred features, or rows of a Gram matrix."""
        if self.solver_ == "linear":
            return self._explicit(X) - self.feature_mean_
        if self.kernel == "finite":
            return elm_kernel(X, self.X_fit_, features=self.features_)
        return asymptotic_elm_kernel(X, self.X_fit_, weight_scale=self.weight_scale)

    def _explicit(self, X: np.ndarray) -> np.ndarray:
        """Features whose inner products are the kernel, or come near the asymptotic one."""
        phi = self.features_.transform(X)
        return normalize(phi, copy=False) if self.kernel == "asymptotic" else phi

    def _predict_blocks(self, method: str, X: Any) -> np.ndarray:
        """Call a method of the solver on new rows, as many at a time as the memory limit allows."""
        X = check_rows(self, X, dtype=float)
        predict = getattr(self.estimator_, method)
        width = self.n_hidden if self.solver_ == "linear" else len(self.X_fit_)
        parts = blocks(len(X), self.max_gram_bytes, width=8 * width)
        return map_blocks(lambda block: predict(self._inputs(X[block])), parts)
