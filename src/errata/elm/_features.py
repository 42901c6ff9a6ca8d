"""The hidden layer of an extreme learning machine as a transformer."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from .._validation import check_data, check_rows
from ._hidden_layer import FLOATS, HiddenLayer, draw_layer


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
        layer = draw_layer(self.n_features_in_, **self.get_params())
        self.hidden_weights_, self.hidden_bias_ = layer.weights, layer.bias
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
