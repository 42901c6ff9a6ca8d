"""Regression by an extreme learning machine."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from .._validation import check_data, check_sample_weight
from ._base import BaseELM
from ._hidden_layer import FLOATS


class ELMRegressor(RegressorMixin, BaseELM):
    """Non-linear regression at the price of a linear one, with its own exact cross-validation.

    A hidden layer of random units is drawn once; ridge regression learns the output layer, chooses
    its alpha and predicts every training row by a model that did not see it, all from one matrix of
    sums. Reach for it when data are many and features few and scaled. Speed is bought with some
    accuracy on some data, above all with hundreds of features, and results vary with the draw:
    report them over several seeds. Takes O(n m²) time and O(m² K) memory for m units, K folds.

    Parameters
    ----------
    n_hidden : int, default=1000
        Number m of hidden units. It may exceed the number of rows: alpha, not the number of
        units, keeps the model simple.
    activation : {"erf", "tanh", "logistic", "rbf"}, default="erf"
        What a unit does to its weighted sum. "rbf" takes RBF features instead, centred on rows
        drawn from X, at most as many as there are rows.
    weight_distribution : {"normal", "uniform"}, default="normal"
        Hidden weights and biases are drawn from N(0, s²) or from U(-3 s, 3 s), s being
        ``weight_scale``.
    weight_scale : float or "auto", default=1.0
        Scale s of the hidden weights; larger makes rougher functions. "auto" is 1 / sqrt(1 + d),
        for many features. RBF features are narrower by it, see ``gamma``.
    gamma : float, optional
        Of RBF features, ``exp(-gamma |x - z|²)``. When not given it is the square of
        ``weight_scale`` divided by the median squared distance between rows.
    alpha : float, "press", "gcv" or "kfold", default="press"
        L2 strength, as in :class:`sklearn.linear_model.Ridge`; larger makes smoother functions, 0
        is plain least squares of smallest norm. "press" takes the alpha with the smallest squared
        leave-one-out error, "gcv" approximates that without a second pass over the rows (weights
        count rows there: their mean should be one), "kfold" does the same for the folds of ``cv``.
    alphas : array-like, optional
        Values of alpha to choose from. By default 49 between 1e-8 and 1e4 times the mean eigenvalue
        of the Gram matrix, and four decades beyond when the best lies at an end.
    fit_intercept : bool, default=True
        Whether to learn an intercept, which is not penalised.
    cv : int, splitter, iterable of (train, test), False or None, default=None
        How training rows are predicted by models that did not see them: None leaves out one row at
        a time (one group, where ``fit`` gets ``groups``), a number or a splitter leaves out folds,
        False skips it (a plain fit). Rows that depend on each other in time need folds that keep
        them together.
    block_size : int, default=8192
        Rows whose hidden activations are held at once.
    random_state : int, RandomState, Generator or None
        Draws the hidden layer and deals out folds.

    Attributes
    ----------
    loo_predictions_ : array of shape (n,) or (n, n_targets)
        Each row as predicted by the model fitted to all others (``cv=None``).
    oof_predictions_ : array of shape (n,) or (n, n_targets)
        Each row as predicted by the model fitted to the other folds (with folds).
    leverage_ : array of shape (n,)
        How far each row decides its own fitted value, from near 0 to 1 (``cv=None``).
    coef_ : array of shape (n_hidden, n_targets)
        Output weights.
    intercept_ : array of shape (n_targets,)
    fold_coef_ : array of shape (n_folds, n_hidden, n_targets)
        Output weights of the model without each fold, where "kfold" chose alpha;
        ``fold_intercept_`` are its intercepts.
    hidden_weights_ : array of shape (d, n_hidden)
    hidden_bias_ : array of shape (n_hidden,)
    gamma_ : float
        Of the RBF features; zero for the other activations.
    alpha_ : float
        The L2 strength used.
    dof_ : float
        Effective number of parameters, the trace of the smoother.
    alphas_ : array of shape (n_alphas,)
        Values that were compared; their errors are in ``press_``, ``gcv_`` or ``kfold_``.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    With A = Hc'Hc + alpha I on centred activations Hc, row i has the leverage
    s_i = 1/n + h_i' A⁻¹ h_i, and the model without it predicts (t^_i - s_i t_i) / (1 - s_i). For
    folds, sums of the rows outside a fold are the sums of the other folds. Both are equal to
    fitting again, to rounding; alpha itself is chosen once, on all rows. An alpha so small that
    the Gram matrix is singular in floating point is handled by its eigenvalues. Where it lets a row
    decide its own fitted value, digits of the leave-one-out prediction are lost as 1 - s_i falls;
    below 1e-12 the prediction is NaN, and a warning says so.
    [1]_ describes extreme learning; the closed forms are ours.

    References
    ----------
    .. [1] Huang, Zhu and Siew. Extreme learning machine: theory and applications.
       Neurocomputing 70, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.elm import ELMRegressor
    >>> x = np.linspace(-3, 3, 200)[:, None]
    >>> y = np.sinc(x[:, 0]) + np.random.RandomState(0).normal(scale=0.1, size=200)
    >>> model = ELMRegressor(n_hidden=100, random_state=0).fit(x, y)
    >>> error = np.sqrt(np.mean((y - model.loo_predictions_) ** 2))
    >>> f"off by {error:.2f} out of sample, of which 0.1 is noise"
    'off by 0.10 out of sample, of which 0.1 is noise'
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "ELMRegressor":
        """Fit to targets ``y`` of shape (n,) or (n, n_targets).

        A weight of two counts like two copies, except that a row is left out with all its weight.
        Rows of one of the ``groups``, shape (n,), are left out together: with ``cv=None`` one group
        at a time, with a number of folds or a splitter by folds that keep groups together.
        """
        self._forget()
        X, T = self._check(X, y, ensure_min_samples=2)
        weight, codes = check_sample_weight(sample_weight, len(T)), np.zeros(len(T), dtype=int)
        predictions, folds = self._fit_output_layer(X, T, codes, weight, groups)
        if predictions is not None:
            name = "loo_predictions_" if folds is None else "oof_predictions_"
            setattr(self, name, self._shaped(predictions))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ELMRegressor":
        """Add rows; the output layer is solved for at the next prediction.

        The rows are not kept, so there are no out-of-sample predictions, and an alpha that is to be
        chosen is chosen by "gcv".
        """
        self._start_anew_after_fit()
        X, T = self._check(X, y, reset=not hasattr(self, "_record"))
        self._absorb(X, T, sample_weight)
        return self

    def _check(self, X: Any, y: Any, **checks: Any) -> tuple[np.ndarray, np.ndarray]:
        X, y = check_data(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True, **checks)
        self._one_output = y.ndim == 1
        return X, y.reshape(len(y), -1).astype(float)

    def _shaped(self, predictions: np.ndarray) -> np.ndarray:
        return predictions[:, 0] if self._one_output else predictions

    def predict(self, X: Any) -> np.ndarray:
        """Predict targets, in the shape that ``y`` had."""
        return self._shaped(self._scores(X))

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that there may be several targets."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
