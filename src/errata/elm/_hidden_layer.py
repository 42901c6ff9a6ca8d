"""A random hidden layer: drawn once, evaluated a block of rows at a time."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from .._blocks import blocks
from .._kernels import _activations as plain
from .._kernels import kernels
from .._random import draw_seed
from .._validation import check_choice, check_count, check_positive

ACTIVATIONS = ("erf", "tanh", "logistic")
RBF = "rbf"  # the one activation whose units have a centre instead of a direction
DISTRIBUTIONS = ("normal", "uniform")
FLOATS = [np.float64, np.float32]  # of the inputs; sums are always made in double precision

CHUNK_ENTRIES = 2**19  # what a thread activates at a time
LARGE = 2**20  # entries from which threads and compiled loops bring more than they cost


class HiddenLayer(NamedTuple):
    """``act(X V + c)``, the features of an extreme learning machine, less an optional shift.

    RBF features, exp(-gamma |x - z|²) around a centre z, are written in the same way, the
    exponent being 2 gamma x'z - gamma |z|² - gamma |x|².

    An intercept absorbs the shift. With it close to the mean of each unit, the sums of squares of
    units that hardly vary keep their digits when the mean is taken out of them.
    """

    weights: np.ndarray
    bias: np.ndarray
    activation: str
    shift: np.ndarray | None = None
    gamma: float = 0.0

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Hidden activations in double precision; computed in single precision for such ``X``."""
        if X.dtype != np.float32:
            return self._activated(X, np.matmul(X, self.weights, out=out))
        single = self._activated(X, X @ self.weights.astype(np.float32))
        if out is None:
            return single.astype(np.float64)
        out[...] = single
        return out

    def centered_on(self, X: np.ndarray) -> "HiddenLayer":
        """The same layer, shifted to vanish at the mean row of ``X``."""
        mean = X.mean(axis=0, dtype=np.float64, keepdims=True)
        return self._replace(shift=self._replace(shift=None)(mean)[0])

    def _activated(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Turn pre-activations into activations, in place and in as many threads as BLAS uses."""
        if self.gamma:
            Z -= self.gamma * np.einsum("ij,ij->i", X, X)[:, None]
        bias = self.bias.astype(Z.dtype)
        shift = np.zeros_like(bias) if self.shift is None else self.shift.astype(Z.dtype)
        large = Z.size >= LARGE
        activate = getattr(kernels("activations") if large else plain, f"{self.activation}_rows")
        if not large:
            activate(Z, bias, shift)
            return Z
        parts = [Z[block] for block in blocks(len(Z), CHUNK_ENTRIES, width=Z.shape[1])]
        with ThreadPoolExecutor(_blas_threads()) as pool:
            list(pool.map(lambda part: activate(part, bias, shift), parts))
        return Z


def _blas_threads() -> int:
    """As many as the matrix products use, so that limits set by the user or by joblib hold."""
    return max((library.num_threads for library in _blas_libraries()), default=1)


@cache
def _blas_libraries() -> list[Any]:
    """The BLAS libraries in use; finding them takes longer than asking for their threads."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def draw_layer(
    n_features: int,
    *,
    n_hidden: int,
    activation: str,
    weight_distribution: str,
    weight_scale: float | str,
    random_state: Any,
) -> HiddenLayer:
    """Draw a hidden layer: first all weights, then all biases."""
    m = check_count("n_hidden", n_hidden)
    check_choice("activation", activation, ACTIVATIONS)
    scale = _check_scale(weight_scale, n_features)
    random = generator(random_state)
    if check_choice("weight_distribution", weight_distribution, DISTRIBUTIONS) == "normal":
        V, c = random.normal(size=(n_features, m)), random.normal(size=m)
    else:
        V, c = random.uniform(-3, 3, size=(n_features, m)), random.uniform(-3, 3, size=m)
    return HiddenLayer(scale * V, scale * c, activation)


def draw_centers(
    X: np.ndarray,
    *,
    n_hidden: int,
    weight_scale: float | str,
    gamma: float | None,
    random_state: Any,
) -> HiddenLayer:
    """RBF features centred on rows of ``X``, as many as asked for or as there are rows.

    Without a ``gamma`` it is ``weight_scale``² divided by the median squared distance of rows.
    """
    random = generator(random_state)
    rows = random.choice(len(X), min(check_count("n_hidden", n_hidden), len(X)), replace=False)
    centers = X[rows].astype(np.float64)
    if gamma is None:
        gamma = _check_scale(weight_scale, X.shape[1]) ** 2 / _median_square(centers, random)
    else:
        check_positive("gamma", gamma, otherwise=", or None to derive it")
    return HiddenLayer(
        2 * gamma * centers.T, -gamma * np.einsum("ij,ij->i", centers, centers), RBF, gamma=gamma
    )


def _median_square(rows: np.ndarray, random: np.random.Generator) -> float:
    """Median squared distance between some pairs of different rows; one where all are equal."""
    one, other = rows[random.integers(len(rows), size=(2, 2000))]
    squares = ((one - other) ** 2).sum(axis=1)
    return float(np.median(squares[squares > 0])) if squares.any() else 1.0


def _check_scale(weight_scale: float | str, n_features: int) -> float:
    if isinstance(weight_scale, str) and weight_scale == "auto":
        return 1 / np.sqrt(1 + n_features)
    return check_positive("weight_scale", weight_scale, otherwise=' or "auto"')


def generator(random_state: Any) -> np.random.Generator:
    """The generator that a ``random_state`` of any kind stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, Integral):
        return np.random.default_rng(int(random_state))
    return np.random.default_rng(draw_seed(random_state))
