"""Extreme learning machines: a random hidden layer, and an output layer by ridge regression."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._suspicion import SuspicionMixin
from .._validation import check_count, check_labelled, check_labels
from ..exceptions import SuspicionWarning
from ._checks import check_alpha, check_alphas, check_weights
from ._features import HiddenLayer, draw_layer, generator
from ._gram import GramRecord
from ._labels import (
    fill_undefined,
    fit_temperature,
    judge,
    one_hot,
    probabilities,
    warn_of_lonely_classes,
)
from ._learn import CONSTANT, Sums, choose_ridge, gather, predict_outside, record_of
from ._outside import make_folds
from ._ridge import RidgeModel
from ._rows import TrainingRows

FLOATS = [np.float64, np.float32]


class _ExtremeLearningMachine(BaseEstimator):
    """What classifier and regressor share: everything but the coding of the target."""

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
        return predictions, folds

    @property
    def _wants_folds(self) -> bool:
        return self.cv is not None and self.cv is not False

    def _draw(self, X: np.ndarray, random: np.random.Generator) -> HiddenLayer:
        layer = draw_layer(
            X.shape[1],
            n_hidden=self.n_hidden,
            activation=self.activation,
            weights=self.weights,
            sigma_w=self.sigma_w,
            random_state=random,
        )
        self.hidden_weights_, self.hidden_bias_ = layer.weights, layer.bias
        return layer.centered_on(X) if self.fit_intercept else layer

    def _rows(
        self, layer: HiddenLayer, X: np.ndarray, T: np.ndarray, sample_weight: Any
    ) -> TrainingRows:
        weight = check_weights(sample_weight, len(X))
        size = check_count("block_size", self.block_size)
        return TrainingRows(layer, X, T, weight, block_size=size)

    def _check_ridge(self) -> tuple[float | str, np.ndarray | None]:
        """``alpha`` and ``alphas``, when they make sense together with ``cv``."""
        if self.alpha == "kfold" and not self._wants_folds:
            raise ValueError('alpha="kfold" needs folds to compare ridges on; pass cv=5.')
        return check_alpha(self.alpha), check_alphas(self.alphas)

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
        layer = HiddenLayer(self.hidden_weights_, self.hidden_bias_, self.activation)
        starts = range(0, len(X), self.block_size)
        blocks = [layer(X[i : i + self.block_size]) @ self.coef_ for i in starts]
        return np.concatenate(blocks) + self.intercept_


class ELMRegressor(RegressorMixin, _ExtremeLearningMachine):
    """Non-linear regression at the price of a linear one, with its own exact cross-validation.

    A hidden layer of random units is drawn once; ridge regression learns the output layer, chooses
    its ridge and predicts every training row by a model that did not see it, all from one matrix of
    sums. Reach for it when data are many and features few and scaled. Speed is bought with some
    accuracy on some data, above all with hundreds of features, and results vary with the draw:
    report them over several seeds. Takes O(n m²) time and O(m² K) memory for m units, K folds.

    Parameters
    ----------
    n_hidden : int, default=1000
        Number m of hidden units. It may exceed the number of rows: the ridge, not the number of
        units, keeps the model simple.
    activation : {"erf", "tanh", "logistic"}, default="erf"
        What a unit does to its weighted sum.
    weights : {"normal", "uniform"}, default="normal"
        Weights and biases are drawn from N(0, sigma_w²) or from U(-3 sigma_w, 3 sigma_w).
    sigma_w : float or "scale", default=1.0
        Spread of the weights; larger makes rougher functions. "scale" is 1 / sqrt(1 + d), for many
        features.
    alpha : float, "press", "gcv" or "kfold", default="press"
        The ridge; larger makes smoother functions, 0 is plain least squares of smallest norm.
        "press" takes the one with the smallest squared leave-one-out error, "gcv" approximates
        that without a second pass over the rows, "kfold" does the same for the folds of ``cv``.
    alphas : array-like, optional
        Ridges to choose from. By default 49 between 1e-8 and 1e4 times the mean eigenvalue of the
        Gram matrix, and four decades beyond when the best lies at an end.
    fit_intercept : bool, default=True
        Whether to learn an intercept, which is not penalised.
    cv : int, splitter, iterable of (train, test), False or None, default=None
        How training rows are predicted by models that did not see them: None leaves out one row at
        a time, a number or a splitter leaves out folds, False skips it (a plain fit). Rows that
        depend on each other, in time or in groups, need folds that keep them together.
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
    hidden_weights_ : array of shape (d, n_hidden)
    hidden_bias_ : array of shape (n_hidden,)
    alpha_ : float
        The ridge used.
    dof_ : float
        Effective number of parameters, the trace of the smoother.
    alphas_ : array of shape (n_alphas,)
        Ridges that were compared; their errors are in ``press_``, ``gcv_`` or ``kfold_``.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    With A = Hc'Hc + alpha I on centred activations Hc, row i has the leverage
    s_i = 1/n + h_i' A⁻¹ h_i, and the model without it predicts (t^_i - s_i t_i) / (1 - s_i). For
    folds, sums of the rows outside a fold are the sums of the other folds. Both are equal to
    fitting again, to rounding; the ridge itself is chosen once, on all rows. A ridge so small that
    the Gram matrix is singular in floating point is handled by its eigenvalues.
    [1]_ describes extreme learning; the closed forms are ours.

    References
    ----------
    .. [1] Huang, Zhu and Siew. Extreme learning machine: theory and applications.
       Neurocomputing 70, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.extreme import ELMRegressor
    >>> x = np.linspace(-3, 3, 200)[:, None]
    >>> y = np.sinc(x[:, 0]) + np.random.RandomState(0).normal(scale=0.1, size=200)
    >>> model = ELMRegressor(n_hidden=100, random_state=0).fit(x, y)
    >>> error = np.sqrt(np.mean((y - model.loo_predictions_) ** 2))
    >>> f"off by {error:.2f} out of sample, of which 0.1 is noise"
    'off by 0.10 out of sample, of which 0.1 is noise'
    """

    def __init__(
        self,
        *,
        n_hidden: int = 1000,
        activation: str = "erf",
        weights: str = "normal",
        sigma_w: float | str = 1.0,
        alpha: float | str = "press",
        alphas: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        block_size: int = 8192,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.weights = weights
        self.sigma_w = sigma_w
        self.alpha = alpha
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.block_size = block_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ELMRegressor":
        """Fit to targets ``y`` of shape (n,) or (n, n_targets)."""
        self._forget()
        X, T = self._check(X, y, ensure_min_samples=2)
        predictions, folds = self._learn(X, T, np.zeros(len(T), dtype=int), sample_weight)
        if predictions is not None:
            name = "loo_predictions_" if folds is None else "oof_predictions_"
            setattr(self, name, self._shaped(predictions))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ELMRegressor":
        """Add rows; the output layer is solved for at the next prediction.

        The rows are not kept, so there are no out-of-sample predictions, and a ridge that is to be
        chosen is chosen by "gcv".
        """
        self._start_anew_after_fit()
        X, T = self._check(X, y, reset=not hasattr(self, "_record"))
        self._absorb(X, T, sample_weight)
        return self

    def _check(self, X: Any, y: Any, **checks: Any) -> tuple[np.ndarray, np.ndarray]:
        X, y = validate_data(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True, **checks)
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


class ELMClassifier(ClassifierMixin, SuspicionMixin, _ExtremeLearningMachine):
    """Classify by ridge regression on random units, and judge every label by a model without it.

    Reach for it to look through the labels of much data at the price of one linear fit: each row is
    scored by the model fitted to all other rows, or to the other folds, exactly and without fitting
    again. It assumes scaled features, not hundreds of them, and wrong labels that do not agree with
    each other: many wrong labels side by side are learnt like right ones. Leave-one-out scores
    scatter with fewer than some 50 rows, and results vary with the draw of the hidden layer:
    compare several seeds. Takes O(n m²) time and O(m² K) memory for m units and K folds.

    Parameters
    ----------
    n_hidden : int, default=1000
        Number m of hidden units. It may exceed the number of rows: the ridge, not the number of
        units, keeps the model simple.
    activation : {"erf", "tanh", "logistic"}, default="erf"
        What a unit does to its weighted sum.
    weights : {"normal", "uniform"}, default="normal"
        Weights and biases are drawn from N(0, sigma_w²) or from U(-3 sigma_w, 3 sigma_w).
    sigma_w : float or "scale", default=1.0
        Spread of the weights; larger makes rougher borders. "scale" is 1 / sqrt(1 + d), for many
        features.
    alpha : float, "press", "gcv" or "kfold", default="press"
        The ridge; larger makes smoother borders, 0 is plain least squares of smallest norm.
        "press" takes the one with the smallest squared leave-one-out error, "gcv" approximates
        that without a second pass over the rows, "kfold" does the same for the folds of ``cv``.
    alphas : array-like, optional
        Ridges to choose from. By default 49 between 1e-8 and 1e4 times the mean eigenvalue of the
        Gram matrix, and four decades beyond when the best lies at an end.
    fit_intercept : bool, default=True
        Whether to learn an intercept, which is not penalised. Scores of a row sum to one with it.
    cv : int, splitter, iterable of (train, test), False or None, default=None
        How labels are judged: None leaves out one row at a time, a number (stratified folds) or a
        splitter leaves out folds, False does not judge them (a plain fit). Rows that depend on each
        other, in time or in groups, need folds that keep them together.
    block_size : int, default=8192
        Rows whose hidden activations are held at once.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``share`` is given, a row is
        flagged if another class scores higher than its label.
    share : float, optional
        Flag this share of the rows instead, the most suspicious first.
    random_state : int, RandomState, Generator or None
        Draws the hidden layer and deals out folds.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Probability, in the eyes of the model that did not see the row, of any class but its label.
        Calibrated as a forecast of labels, and made for ranking: it counts honest overlap of the
        classes too, so it is not the probability that the label is wrong.
    flagged_ : array of bool of shape (n,)
        The suspects.
    suggested_ : array of shape (n,)
        The class with the highest score where a row is flagged, its own label elsewhere.
    margin_ : array of shape (n,)
        Score of the label less the highest score of another class; negative for suspects.
    loo_predictions_ : array of shape (n, n_classes)
        Scores of each row by the model fitted to all others (``cv=None``).
    oof_predictions_ : array of shape (n, n_classes)
        Scores of each row by the model fitted to the other folds (with folds).
    temperature_ : float or None
        What out-of-sample scores are divided by to become probabilities, see Notes; None when
        there are none.
    leverage_ : array of shape (n,)
        How far each row decides its own fitted value, from near 0 to 1 (``cv=None``).
    coef_ : array of shape (n_hidden, n_classes)
        Output weights.
    intercept_ : array of shape (n_classes,)
    hidden_weights_ : array of shape (d, n_hidden)
    hidden_bias_ : array of shape (n_hidden,)
    alpha_ : float
        The ridge used.
    dof_ : float
        Effective number of parameters, the trace of the smoother.
    alphas_ : array of shape (n_alphas,)
        Ridges that were compared; their errors are in ``press_``, ``gcv_`` or ``kfold_``.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Targets are one for the label and zero for the other classes. With A = Hc'Hc + alpha I on
    centred activations Hc, row i has the leverage s_i = 1/n + h_i' A⁻¹ h_i, and the model without
    it scores (t^_i - s_i t_i) / (1 - s_i). For folds, the sums of the rows outside a fold are the
    sums of the other folds. Both are equal to fitting again, to rounding; the ridge itself is
    chosen once, on all rows. A ridge so small that the Gram matrix is singular in floating point is
    handled by its eigenvalues.

    Probabilities are softmax(score / temperature), the temperature being the one at which the
    out-of-sample scores make the labels most likely [2]_. They forecast labels, mistakes included.

    References
    ----------
    .. [1] Huang, Zhu and Siew. Extreme learning machine: theory and applications.
       Neurocomputing 70, 2006.
    .. [2] Guo, Pleiss, Sun and Weinberger. On calibration of modern neural networks. ICML 2017;
       the smoothing of labels is Platt's (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from errata.extreme import ELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0  # a setosa and a virginica change places
    >>> model = ELMClassifier(n_hidden=200, random_state=0).fit(scale(X), y)
    >>> model.suspicion_.argsort()[::-1][:2].tolist()
    [100, 3]
    >>> model.suggested_[[100, 3]].tolist()
    [2, 0]
    """

    def __init__(
        self,
        *,
        n_hidden: int = 1000,
        activation: str = "erf",
        weights: str = "normal",
        sigma_w: float | str = 1.0,
        alpha: float | str = "press",
        alphas: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        block_size: int = 8192,
        threshold: float | None = None,
        share: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.weights = weights
        self.sigma_w = sigma_w
        self.alpha = alpha
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.block_size = block_size
        self.threshold = threshold
        self.share = share
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ELMClassifier":
        """Fit to the labels ``y`` and judge each of them by the other rows."""
        self._forget()
        X, codes = check_labelled(
            self, X, y, min_classes=2, dtype=FLOATS, order="C", ensure_min_samples=2
        )
        T = one_hot(codes, len(self.classes_))
        scores, folds = self._learn(X, T, codes, sample_weight)
        self.temperature_: float | None = None
        if scores is not None:
            warn_of_lonely_classes(codes, self.classes_, folds)
            setattr(self, "loo_predictions_" if folds is None else "oof_predictions_", scores)
            self._judge(fill_undefined(scores), codes, sample_weight)
        return self

    def _judge(self, scores: np.ndarray, codes: np.ndarray, sample_weight: Any) -> None:
        weight = check_weights(sample_weight, len(codes))
        temperature = self.temperature_ = fit_temperature(scores, codes, weight)
        suspicion, self.margin_, suggested = judge(scores, codes, temperature)
        self._conclude(suspicion, codes, suggested)
        if self.threshold is None and self.share is None:
            self.flagged_ = suggested != codes
            self.suggested_ = self.classes_[suggested]

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "ELMClassifier":
        """Add rows; the output layer is solved for at the next prediction.

        The rows are not kept, so labels are not judged, and a ridge that is to be chosen is chosen
        by "gcv". The first call names all ``classes`` that will ever come.
        """
        known = self._known_classes(classes)
        self._start_anew_after_fit()
        X, y = validate_data(
            self, X, y, dtype=FLOATS, order="C", reset=not hasattr(self, "_record")
        )
        codes = np.searchsorted(known, y)
        strangers = known[np.minimum(codes, len(known) - 1)] != y
        if strangers.any():
            raise ValueError(
                f"y holds the label {y[strangers].tolist()[0]!r}, which is not among the classes "
                f"named in the first call of partial_fit ({', '.join(map(repr, known.tolist()))})."
            )
        self.classes_, self.temperature_ = known, None
        self._absorb(X, one_hot(codes, len(known)), sample_weight)
        return self

    def _known_classes(self, classes: Any) -> np.ndarray:
        if hasattr(self, "classes_"):
            return self.classes_
        if classes is None:
            raise ValueError("the first call of partial_fit needs classes, all that will come.")
        return check_labels(classes, name="classes", min_classes=2)[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, shape (n, n_classes); for two classes, that of the second less the first."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, shape (n, n_classes).

        Scores divided by ``temperature_`` under a softmax, which the out-of-sample scores have
        calibrated. After ``cv=False`` or ``partial_fit`` there are none: then scores are cut to
        [0, 1] and made to sum to one, and are not calibrated.
        """
        scores = self._scores(X)
        return probabilities(scores, self.temperature_)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class with the highest score."""
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]


def _warn_if_constant(sums: Sums) -> None:
    if sums.system.mean_eigenvalue <= CONSTANT * sums.system.weight:
        warnings.warn(
            "the hidden units do not vary over the rows, so all rows are predicted alike; "
            "scale X (for instance with StandardScaler) or raise sigma_w.",
            SuspicionWarning,
            stacklevel=5,
        )
