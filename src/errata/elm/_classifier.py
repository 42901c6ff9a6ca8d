"""Classification by an extreme learning machine, which checks the labels it is fitted to."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from .._detector import DetectorMixin
from .._validation import (
    check_data,
    check_labelled,
    check_labels,
    check_no_missing_labels,
    check_sample_weight,
)
from ._base import BaseELM
from ._hidden_layer import FLOATS
from ._labels import (
    fit_temperature,
    one_hot,
    probabilities,
    score_labels,
    undecided_where_undefined,
    warn_of_rare_classes,
)


class ELMClassifier(ClassifierMixin, DetectorMixin, BaseELM):
    """Classify by ridge regression on random units, and check every label by a model without it.

    Reach for it to look through the labels of much data at the price of one linear fit: each row is
    scored by the model fitted to all other rows, or to the other folds, exactly and without fitting
    again. It assumes scaled features, not hundreds of them, and wrong labels that do not agree with
    each other: many wrong labels side by side are learnt like right ones. Leave-one-out scores
    scatter with fewer than some 50 rows, and results vary with the draw of the hidden layer:
    compare several seeds. Takes O(n m²) time and O(m² K) memory for m units and K folds.

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
        Scale s of the hidden weights; larger makes rougher borders. "auto" is 1 / sqrt(1 + d), for
        many features. RBF features are narrower by it, see ``gamma``.
    gamma : float, optional
        Of RBF features, ``exp(-gamma |x - z|²)``. When not given it is the square of
        ``weight_scale`` divided by the median squared distance between rows.
    alpha : float, "press", "gcv" or "kfold", default="press"
        L2 strength, as in :class:`sklearn.linear_model.Ridge`; larger makes smoother borders, 0 is
        plain least squares of smallest norm. "press" takes the alpha with the smallest squared
        leave-one-out error, "gcv" approximates
        that without a second pass over the rows (weights count rows there: their mean should be
        one), "kfold" does the same for the folds of ``cv``.
    alphas : array-like, optional
        Values of alpha to choose from. By default 49 between 1e-8 and 1e4 times the mean eigenvalue
        of the Gram matrix, and four decades beyond when the best lies at an end.
    fit_intercept : bool, default=True
        Whether to learn an intercept, which is not penalised. Scores of a row sum to one with it.
    cv : int, splitter, iterable of (train, test), False or None, default=None
        How labels are checked: None leaves out one row at a time (one group, where ``fit`` gets
        ``groups``), a number (stratified folds) or a splitter leaves out folds, False does not
        check them (a plain fit). Rows that depend on each other in time need folds that keep them
        together.
    block_size : int, default=8192
        Rows whose hidden activations are held at once.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. With neither this nor ``contamination``, a row is
        flagged if another class scores higher than its label.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState, Generator or None
        Draws the hidden layer and deals out folds.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Probability of any class but the label, by the model that did not see the row.
        Calibrated as a forecast of labels, and made for ranking: it counts honest overlap of the
        classes too, so it is not the probability that the label is wrong.
    flagged_ : array of bool of shape (n,)
        Rows flagged as mislabelled.
    suggested_ : array of shape (n,)
        The class with the highest score where a row is flagged, its own label elsewhere.
    margin_ : array of shape (n,)
        Score of the label less the highest score of another class; below zero, that class is more
        likely.
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
    fold_coef_ : array of shape (n_folds, n_hidden, n_classes)
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
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Targets are one for the label and zero for the other classes. With A = Hc'Hc + alpha I on
    centred activations Hc, row i has the leverage s_i = 1/n + h_i' A⁻¹ h_i, and the model without
    it scores (t^_i - s_i t_i) / (1 - s_i). For folds, the sums of the rows outside a fold are the
    sums of the other folds. Both are equal to fitting again, to rounding; alpha itself is chosen
    once, on all rows. An alpha so small that the Gram matrix is singular in floating point is
    handled by its eigenvalues. Where it lets a row decide its own fitted value, digits of the
    leave-one-out score are lost as 1 - s_i falls; below 1e-12 the score is NaN, and a warning says
    so.

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
    >>> from errata.elm import ELMClassifier
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
        weight_distribution: str = "normal",
        weight_scale: float | str = 1.0,
        gamma: float | None = None,
        alpha: float | str = "press",
        alphas: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        block_size: int = 8192,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_hidden=n_hidden,
            activation=activation,
            weight_distribution=weight_distribution,
            weight_scale=weight_scale,
            gamma=gamma,
            alpha=alpha,
            alphas=alphas,
            fit_intercept=fit_intercept,
            cv=cv,
            block_size=block_size,
            random_state=random_state,
        )
        self.threshold = threshold
        self.contamination = contamination

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "ELMClassifier":
        """Fit to the labels ``y`` and check each of them by the other rows.

        A weight of two counts like two copies, except that a row is left out with all its weight.
        Rows of one of the ``groups``, shape (n,), are left out together: with ``cv=None`` one group
        at a time, with a number of folds or a splitter by folds that keep groups together.
        """
        self._forget()
        X, codes = check_labelled(
            self, X, y, min_classes=2, dtype=FLOATS, order="C", ensure_min_samples=2
        )
        return self._fit_codes(X, codes, sample_weight, groups)

    def _fit_codes(
        self, X: np.ndarray, codes: np.ndarray, sample_weight: Any = None, groups: Any = None
    ) -> "ELMClassifier":
        """Fit to rows and labels that have passed the checks."""
        weight = check_sample_weight(sample_weight, len(codes))
        T = one_hot(codes, len(self.classes_))
        scores, folds = self._fit_output_layer(X, T, codes, weight, groups)
        self.temperature_: float | None = None
        if scores is not None:
            warn_of_rare_classes(codes, self.classes_, folds, weight)
            setattr(self, "loo_predictions_" if folds is None else "oof_predictions_", scores)
            self._check_labels(undecided_where_undefined(scores), codes, weight)
        return self

    def _check_labels(
        self, scores: np.ndarray, codes: np.ndarray, weight: np.ndarray | None
    ) -> None:
        temperature = self.temperature_ = fit_temperature(scores, codes, weight)
        suspicion, self.margin_, suggested = score_labels(scores, codes, temperature)
        self._conclude(suspicion, codes, suggested)
        if self.threshold is None and self.contamination is None:
            self.flagged_ = suggested != codes
            self.suggested_ = self.classes_[suggested]

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "ELMClassifier":
        """Add rows; the output layer is solved for at the next prediction.

        The rows are not kept, so labels are not checked, and an alpha that is to be chosen is
        chosen by "gcv". The first call names all ``classes`` that will ever come.
        """
        known = self._known_classes(classes)
        self._start_anew_after_fit()
        X, y = check_data(self, X, y, dtype=FLOATS, order="C", reset=not hasattr(self, "_record"))
        check_no_missing_labels(y)
        codes = np.searchsorted(known, y)
        unknown = known[np.minimum(codes, len(known) - 1)] != y
        if unknown.any():
            raise ValueError(
                f"y holds the label {y[unknown].tolist()[0]!r}, which is not among the classes "
                f"named in the first call of partial_fit ({', '.join(map(repr, known.tolist()))})."
            )
        self.classes_, self.temperature_ = known, None
        self._absorb(X, one_hot(codes, len(known)), sample_weight)
        return self

    def _known_classes(self, classes: Any) -> np.ndarray:
        if classes is None:
            if hasattr(self, "classes_"):
                return self.classes_
            raise ValueError("the first call of partial_fit needs classes, all that will come.")
        named = check_labels(classes, name="classes", min_classes=2)[0]
        if hasattr(self, "_record") and not np.array_equal(named, self.classes_):
            raise ValueError(
                f"classes={named.tolist()!r} are not those of the first call of partial_fit, "
                f"{self.classes_.tolist()!r}; name all that will ever come in the first call."
            )
        return named

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
