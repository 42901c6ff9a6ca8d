"""Logistic regression, reinforced."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..._validation import check_data, check_fraction, check_labelled, check_row_weights
from ..._warn import warn_user
from .._softmax import WeightedSoftmax, compute_log_proba, compute_scores, take_label_log_proba
from ._loop import Fit, ReinforcedEstimator, find_centre, require_every_class


class ReinforcedLogisticRegression(ClassifierMixin, ReinforcedEstimator):
    """Logistic regression that gives little weight to the labels it finds least likely.

    Reach for it when labels may be wrong and the classes are divided by something like a plane: a
    single wrong label far inside the other class bends an ordinary boundary more than any honest
    one. It assumes that the right labels outvote the wrong in the first, ordinary fit; where many
    are wrong, lower ``mean_weight``. Scale the features if ``C`` is to mean the same for all. Costs
    a few Newton steps, O(n d² K²), for each of some ten iterations; memory O(n K + d² K²), and less
    than that beyond 2000 coefficients, where L-BFGS takes over.

    Parameters
    ----------
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_: with "l1", labels less likely than 1/alpha lose weight, with
        "l2" those less likely than about 1/sqrt(alpha). The smaller, the more rows lose weight;
        infinity is ordinary logistic regression. "auto" chooses it anew at each iteration, so that
        the mean weight is ``mean_weight``.
    reinforcement_penalty : {"l1", "l2", "l1/2"}, default="l1"
        What a reinforcement costs (not the coefficients: that is ``C``). "l1" suits a few gross
        errors (most weights are exactly 1), "l2" many mild ones; "l1/2" gives a row up at once: its
        weight jumps from 1 to 0.2.
    mean_weight : float in (0, 1), default=0.95
        Fraction of the data that should support the model. Too high keeps errors in; too low costs
        little. Not used when ``reinforcement`` is a number.
    C : float, default=1000
        Inverse of the L2 penalty on the coefficients, as in
        :class:`sklearn.linear_model.LogisticRegression`; the intercepts are not penalised. Keep it
        finite: without the rows that lose their weight a plane may separate the classes, and then
        only a penalty keeps the coefficients finite.
    max_iter : int, default=100
        Maximum number of weighted fits. Half-way, "auto" stops choosing the reinforcement anew.
    tol : float, default=1e-4
        Stop when no weight moves by more.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    coef_ : array of shape (1, d) or (K, d)
        Coefficients of the second of two classes, or of each of more.
    intercept_ : array of shape (1,) or (K,)
        Intercepts.
    separable_ : bool
        Whether, with ``C=inf``, a plane separates the rows that carry weight. The coefficients were
        then stopped on their way to infinity.
    weights_ : array of shape (n,)
        Degree, in [0, 1], to which each label is normal.
    suspicion_ : array of shape (n,)
        ``1 - weights_``, to the sixth digit: what is added there ranks the rows of weight 1 by
        their likelihood. Not a probability: its mean is ``1 - mean_weight``, however many rows are
        wrong.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The likeliest class where a row is flagged, its own label elsewhere.
    log_likelihood_ : array of shape (n,)
        Log-probability of each label. Lowest = most suspicious.
    added_probabilities_ : array of shape (n,)
        What was added to each label's probability.
    reinforcement_, log_reinforcement_ : float
        The constant and its logarithm.
    mean_weight_ : float
        Mean of ``weights_``.
    objective_ : array
        Reinforced log-likelihood at each iteration, less the penalty on the coefficients. Never
        falls when ``reinforcement`` is a number.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Section 4.3 of [1]_: the weighted fit takes the iterates of (62), Newton's method, with steps
    halved where the likelihood would fall. More than two classes share one softmax.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> from errata.tolerant import ReinforcedLogisticRegression
    >>> X = [[-3.0], [-2.5], [-2.2], [-1.0], [0.5], [-0.6], [1.1], [2.4], [2.6], [4.0]]
    >>> y = ["ham"] * 5 + ["spam"] * 4 + ["ham"]              # the last one is wrong
    >>> model = ReinforcedLogisticRegression(mean_weight=0.9, C=10).fit(X, y)
    >>> model.flagged_.nonzero()[0], model.suggested_[model.flagged_]
    (array([9]), array(['spam'], dtype='<U4'))
    >>> model.predict([[-4.0], [4.0]])
    array(['ham', 'spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        C: float = 1000.0,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.reinforcement = reinforcement
        self.reinforcement_penalty = reinforcement_penalty
        self.mean_weight = mean_weight
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, w_init: Any = None
    ) -> "ReinforcedLogisticRegression":
        """Fit the boundary to the labels that agree on one.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        w_init : array-like of shape (n,), optional
            Weights in [0, 1] to start from instead of ones, for instance one minus the suspicion of
            another detector: a way out when many errors have shaped the ordinary fit.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, order="C")
        l2 = _convert_to_l2_penalty(self.C)
        centre = find_centre(X)
        centred = X - centre

        def maximise(weights: np.ndarray, start: np.ndarray | None) -> Fit:
            """Weighted logistic regression (62), and the log-probability of each label under it."""
            require_every_class(weights, codes, self.classes_)
            beta = WeightedSoftmax(centred, codes, weights, len(self.classes_), l2).fit(start)
            log_p = take_label_log_proba(compute_scores(centred, beta), codes)
            return beta, log_p, -l2 / 2 * float((beta[:, 1:] ** 2).sum())

        sample_weight = check_row_weights("sample_weight", sample_weight, len(codes))
        beta = self._reinforce(maximise, sample_weight=sample_weight, w_init=w_init)
        self.intercept_ = beta[:, 0] - beta[:, 1:] @ centre
        self.coef_ = beta[:, 1:]
        likeliest = compute_log_proba(compute_scores(centred, beta)).argmax(axis=1)
        self._conclude(self.suspicion_, codes, likeliest)
        kept = sample_weight * self.weights_
        fitted = WeightedSoftmax(centred, codes, kept, len(self.classes_), l2)
        self.separable_ = fitted.is_separated(beta)
        if self.separable_:
            warn_user(
                "a plane separates the rows that kept a weight, so that the coefficients have no "
                "maximum and were stopped on their way; pass a finite C.",
            )
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (n,), or of each of more, shape (n, K)."""
        check_is_fitted(self)
        X = check_data(self, X, dtype=float, reset=False)
        eta = compute_scores(X, self._beta())
        return eta[:, 0] if eta.shape[1] == 1 else eta

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Log-probability of each class, shape (n, K)."""
        check_is_fitted(self)
        X = check_data(self, X, dtype=float, reset=False)
        return compute_log_proba(compute_scores(X, self._beta()))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row."""
        log_proba = self.predict_log_proba(X)
        return self.classes_[log_proba.argmax(axis=1)]

    def _beta(self) -> np.ndarray:
        return np.column_stack([self.intercept_, self.coef_])


def _convert_to_l2_penalty(C: Any) -> float:
    inverse = check_fraction("C", C, high=np.inf)
    if inverse == 0:
        raise ValueError(f"C={C!r} must be a number above 0.")
    return 1 / inverse
