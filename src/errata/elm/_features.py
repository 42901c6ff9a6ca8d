"""The random hidden layer: drawn once, evaluated a block of rows at a time."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from .._kernels import _activations as plain
from .._kernels import kernels
from .._validation import check_choice, check_count

ACTIVATIONS = ("erf", "tanh", "logistic")
RADIAL = "gauss"  # the one activation whose units have a centre instead of a direction
DISTRIBUTIONS = ("normal", "uniform")

CHUNK_ENTRIES = 2**19  # what a thread activates at a time
LARGE = 2**20  # entries from which threads and compiled loops bring more than they cost


class HiddenLayer(NamedTuple):
    """``act(X V + c)``, the features of an extreme learning machine, less an optional shift.

    Gaussian units, exp(-gamma |x - z|²) around a centre z, are written in the same way, the
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
        rows = max(1, CHUNK_ENTRIES // Z.shape[1])
        parts = [Z[start : start + rows] for start in range(0, len(Z), rows)]
        with ThreadPoolExecutor(_blas_threads()) as pool:
            list(pool.map(lambda part: activate(part, bias, shift), parts))
        return Z


def _blas_threads() -> int:
    """As many as the matrix products use, so that limits set by the user or by joblib hold."""
    return max((library.num_threads for library in _blas_libraries()), default=1)


@cache
def _blas_libraries() -> list[Any]:
    """What BLAS there is; looking for it takes longer than asking it for its threads."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def draw_layer(
    n_features: int,
    *,
    n_hidden: int,
    activation: str,
    weights: str,
    sigma_w: float | str,
    random_state: Any,
) -> HiddenLayer:
    """Draw a hidden layer: first all weights, then all biases."""
    m = check_count("n_hidden", n_hidden)
    check_choice("activation", activation, ACTIVATIONS)
    scale = _check_sigma(sigma_w, n_features)
    random = generator(random_state)
    if check_choice("weights", weights, DISTRIBUTIONS) == "normal":
        V, c = random.normal(size=(n_features, m)), random.normal(size=m)
    else:
        V, c = random.uniform(-3, 3, size=(n_features, m)), random.uniform(-3, 3, size=m)
    return HiddenLayer(scale * V, scale * c, activation)


def draw_centers(
    X: np.ndarray, *, n_hidden: int, sigma_w: float | str, random_state: Any
) -> HiddenLayer:
    """Gaussian units centred on rows of ``X``, as many as asked for or as there are rows.

    Their width is the median distance between rows, divided by ``sigma_w``.
    """
    random = generator(random_state)
    rows = random.choice(len(X), min(check_count("n_hidden", n_hidden), len(X)), replace=False)
    centers = X[rows].astype(np.float64)
    gamma = _check_sigma(sigma_w, X.shape[1]) ** 2 / _median_square(centers, random)
    return HiddenLayer(
        2 * gamma * centers.T, -gamma * np.einsum("ij,ij->i", centers, centers), RADIAL, gamma=gamma
    )


def _median_square(rows: np.ndarray, random: np.random.Generator) -> float:
    """Median squared distance between some pairs of different rows; one where all are equal."""
    one, other = rows[random.integers(len(rows), size=(2, 2000))]
    squares = ((one - other) ** 2).sum(axis=1)
    return float(np.median(squares[squares > 0])) if squares.any() else 1.0


def _check_sigma(sigma_w: float | str, n_features: int) -> float:
    if isinstance(sigma_w, str) and sigma_w == "scale":
        return 1 / np.sqrt(1 + n_features)
    number = isinstance(sigma_w, Real) and not isinstance(sigma_w, bool)
    if not number or not 0 < float(sigma_w) < np.inf:
        raise ValueError(f'sigma_w={sigma_w!r} must be a positive number or "scale".')
    return float(sigma_w)


def generator(random_state: Any) -> np.random.Generator:
    """The generator that a ``random_state`` of any kind stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, Integral):
        return np.random.default_rng(int(random_state))
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


class ELMFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Random features: the hidden layer of an extreme learning machine, divided by sqrt(m).

    A linear model on top of them is a network with one hidden layer of which only the output is
    learnt. Their inner product is the ELM kernel, an average over ``n_hidden`` units that settles
    as these become many. Scale the inputs first (zero mean and unit variance for normal weights,
    [-1, 1] for uniform ones): a unit fed with large numbers is a constant. With hundreds of inputs
    most units saturate, and the published results get worse; ``sigma_w="scale"`` counters it.

    Parameters
    ----------
    n_hidden : int, default=1000
        Number m of hidden units. More cost more and change less.
    activation : {"erf", "tanh", "logistic"}, default="erf"
        What a unit does to its weighted sum.
    weights : {"normal", "uniform"}, default="normal"
        Weights and biases are drawn from N(0, sigma_w²) or from U(-3 sigma_w, 3 sigma_w).
    sigma_w : float or "scale", default=1.0
        Spread of the weights; larger makes rougher functions. "scale" is 1 / sqrt(1 + d).
    random_state : int, RandomState, Generator or None
        Draws the weights. With an integer the same weights come back.

    Attributes
    ----------
    hidden_weights_ : array of shape (d, n_hidden)
    hidden_bias_ : array of shape (n_hidden,)
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Frénay and Verleysen. Using SVMs with randomised feature spaces: an extreme learning
       approach. ESANN 2010.

    Examples
    --------
    >>> from errata.elm import ELMFeatures
    >>> X = [[0.0, 0.0], [1.0, 2.0], [1.1, 1.9]]
    >>> phi = ELMFeatures(n_hidden=5000, random_state=0).fit_transform(X)
    >>> (phi @ phi.T).round(2)
    array([[0.47, 0.21, 0.22],
           [0.21, 0.74, 0.74],
           [0.22, 0.74, 0.74]])
    """

    def __init__(
        self,
        *,
        n_hidden: int = 1000,
        activation: str = "erf",
        weights: str = "normal",
        sigma_w: float | str = 1.0,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.weights = weights
        self.sigma_w = sigma_w
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "ELMFeatures":
        """Draw the weights for as many features as ``X`` has; nothing else is learnt from it."""
        validate_data(self, X, dtype=[np.float64, np.float32])
        layer = draw_layer(self.n_features_in_, **self.get_params())
        self.hidden_weights_, self.hidden_bias_ = layer.weights, layer.bias
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the features, an array of shape (n, n_hidden)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        H = HiddenLayer(self.hidden_weights_, self.hidden_bias_, self.activation)(X)
        H /= np.sqrt(H.shape[1])
        return H

    @property
    def _n_features_out(self) -> int:
        return len(self.hidden_bias_)
