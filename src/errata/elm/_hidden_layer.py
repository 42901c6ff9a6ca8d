"""A random hidden layer: drawn once, evaluated by blocks of rows, and as a transformer."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from .._blocks import blocks
from .._compat import find_blas
from .._kernels import _activations as plain
from .._kernels import kernels
from .._random import draw_seed
from .._validation import check_choice, check_count, check_data, check_positive, check_rows

ACTIVATIONS = ("erf", "tanh", "logistic")
RBF = "rbf"  # the one activation whose units have a centre instead of a direction
DISTRIBUTIONS = ("normal", "uniform")
FLOATS = [np.float64, np.float32]  # of the inputs; sums are always made in double precision

CHUNK_ENTRIES = 2**19  # what a thread activates at a time
LARGE = 2**20  # entries from which threads and compiled loops bring more than they cost

KEPT_BYTES = 2**28


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

    @classmethod
    def draw(
        cls,
        n_features: int,
        *,
        n_hidden: int,
        activation: str,
        weight_distribution: str,
        weight_scale: float | str,
        random_state: Any,
    ) -> "HiddenLayer":
        """Draw a hidden layer: first all weights, then all biases."""
        m = check_count("n_hidden", n_hidden)
        check_choice("activation", activation, ACTIVATIONS)
        scale = _check_scale(weight_scale, n_features)
        random = make_generator(random_state)
        if check_choice("weight_distribution", weight_distribution, DISTRIBUTIONS) == "normal":
            V = random.normal(size=(n_features, m))
            c = random.normal(size=m)
        else:
            V = random.uniform(-3, 3, size=(n_features, m))
            c = random.uniform(-3, 3, size=m)
        return cls(scale * V, scale * c, activation)

    @classmethod
    def draw_around_rows(
        cls,
        X: np.ndarray,
        *,
        n_hidden: int,
        weight_scale: float | str,
        gamma: float | None,
        random_state: Any,
    ) -> "HiddenLayer":
        """RBF features centred on rows of ``X``, as many as asked for or as there are rows.

        Without a ``gamma`` it is ``weight_scale``² divided by the median squared distance of rows.
        """
        random = make_generator(random_state)
        rows = random.choice(len(X), min(check_count("n_hidden", n_hidden), len(X)), replace=False)
        centers = X[rows].astype(np.float64)
        if gamma is None:
            gamma = _check_scale(weight_scale, X.shape[1]) ** 2 / _estimate_median_square(
                centers, random
            )
        else:
            check_positive("gamma", gamma, otherwise=", or None to derive it")
        return cls(
            2 * gamma * centers.T,
            -gamma * np.einsum("ij,ij->i", centers, centers),
            RBF,
            gamma=gamma,
        )

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Hidden activations in double precision; computed in single precision for such ``X``."""
        if X.dtype != np.float32:
            return self._activate(X, np.matmul(X, self.weights, out=out))
        single = self._activate(X, X @ self.weights.astype(np.float32))
        if out is None:
            return single.astype(np.float64)
        out[...] = single
        return out

    def centered_on(self, X: np.ndarray) -> "HiddenLayer":
        """The same layer, shifted to vanish at the mean row of ``X``."""
        mean = X.mean(axis=0, dtype=np.float64, keepdims=True)
        return self._replace(shift=self._replace(shift=None)(mean)[0])

    def _activate(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
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
        with ThreadPoolExecutor(_count_blas_threads()) as pool:
            list(pool.map(lambda part: activate(part, bias, shift), parts))
        return Z


def _count_blas_threads() -> int:
    """As many as the matrix products use, so that limits set by the user or by joblib hold."""
    return max((library.num_threads for library in _find_product_blas()), default=1)


@cache
def _find_product_blas() -> list[Any]:
    """NumPy's BLAS, and what else was loaded at the first layer: looked for once, not per block."""
    controllers: list[Any] = find_blas().lib_controllers
    return controllers


def _estimate_median_square(rows: np.ndarray, random: np.random.Generator) -> float:
    """Median squared distance between some pairs of different rows; one where all are equal."""
    one, other = rows[random.integers(len(rows), size=(2, 2000))]
    squares = ((one - other) ** 2).sum(axis=1)
    return float(np.median(squares[squares > 0])) if squares.any() else 1.0


def _check_scale(weight_scale: float | str, n_features: int) -> float:
    if isinstance(weight_scale, str) and weight_scale == "auto":
        return 1 / np.sqrt(1 + n_features)
    return check_positive("weight_scale", weight_scale, otherwise=' or "auto"')


def make_generator(random_state: Any) -> np.random.Generator:
    """The generator that a ``random_state`` of any kind stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, Integral):
        return np.random.default_rng(int(random_state))
    return np.random.default_rng(draw_seed(random_state))


class HiddenRows:
    """All rows of a table, without holding their hidden activations when these are many.

    Up to ``KEPT_BYTES`` (256 MB) of activations are computed once and kept for the next pass; more
    are computed anew in every pass, a block at a time, so that memory stays O(block_size x m).
    Activations are to be read, not written; those of a block live until the next block.
    """

    def __init__(
        self,
        layer: HiddenLayer,
        X: np.ndarray,
        target: np.ndarray,
        weight: np.ndarray | None = None,
        *,
        block_size: int = 8192,
    ) -> None:
        self.layer = layer
        self.X = X
        self.target = target
        self.weight = weight
        self.block_size = block_size
        self.n = len(X)
        self.m = len(layer.bias)
        small = 8 * self.n * self.m <= KEPT_BYTES  # then two passes cost one activation
        self._kept = layer(X) if small else None
        self._buffer = np.empty((0 if small else min(block_size, self.n), self.m))

    def blocks(self, rows: np.ndarray | None = None) -> Iterator[tuple[Any, np.ndarray]]:
        """Places and activations of the rows named, or of all, in blocks of about the same size."""
        n = self.n if rows is None else len(rows)
        for block in blocks(n, self.block_size):
            places = block if rows is None else rows[block]
            yield places, self._activate(places, self._buffer)

    def take(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Activations of the rows named, or of all of them, at once."""
        return self._activate(slice(None) if rows is None else rows)

    def get_weight(self, rows: Any) -> np.ndarray | None:
        """Weights of the rows named, None where all weigh the same."""
        return None if self.weight is None else self.weight[rows]

    def _activate(self, rows: Any, buffer: np.ndarray | None = None) -> np.ndarray:
        if self._kept is not None:
            return self._kept[rows]
        X = self.X[rows]
        return self.layer(X, out=None if buffer is None else buffer[: len(X)])


class ELMFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Random features: the hidden layer of an extreme learning machine, divided by sqrt(m).

    A linear model on top of them is a network with one hidden layer of which only the output is
    learnt. Their inner product is the ELM kernel, an average over ``n_hidden`` units that settles
    as these become many. Scale the inputs first (zero mean and unit variance for normal weights,
    [-1, 1] for uniform ones): a unit fed with large numbers is a constant. With hundreds of inputs
    most units saturate, and the published results get worse; ``weight_scale="auto"`` counters it.

    Parameters
    ----------
    n_hidden : int, default=1000
        Number m of hidden units. More cost more and change less.
    activation : {"erf", "tanh", "logistic"}, default="erf"
        What a unit does to its weighted sum.
    weight_distribution : {"normal", "uniform"}, default="normal"
        Hidden weights and biases are drawn from N(0, s²) or from U(-3 s, 3 s), s being
        ``weight_scale``.
    weight_scale : float or "auto", default=1.0
        Scale s of the hidden weights (sigma_w in [1]_); larger makes rougher
        functions. "auto" is 1 / sqrt(1 + d), for many features.
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
    .. [1] Frénay and Verleysen. Parameter-insensitive kernel in extreme learning for non-linear
       support vector regression. Neurocomputing 74, 2011.
    .. [2] Frénay and Verleysen. Using SVMs with randomised feature spaces: an extreme learning
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
        weight_distribution: str = "normal",
        weight_scale: float | str = 1.0,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.weight_distribution = weight_distribution
        self.weight_scale = weight_scale
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "ELMFeatures":
        """Draw the weights for as many features as ``X`` has; nothing else is learnt from it."""
        check_data(self, X, dtype=FLOATS)
        layer = HiddenLayer.draw(self.n_features_in_, **self.get_params())
        self.hidden_weights_ = layer.weights
        self.hidden_bias_ = layer.bias
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the features, an array of shape (n, n_hidden)."""
        X = check_rows(self, X, dtype=FLOATS)
        H = HiddenLayer(self.hidden_weights_, self.hidden_bias_, self.activation)(X)
        H /= np.sqrt(H.shape[1])
        return H

    @property
    def _n_features_out(self) -> int:
        return len(self.hidden_bias_)
