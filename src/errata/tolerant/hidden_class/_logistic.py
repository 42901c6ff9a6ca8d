"""Logistic regression of a hidden class, and with a loss that wrong labels leave unbiased.

One fit serves the likelihood of a noisy label and the unbiased loss. Both have the slope
``p - target`` in the scores, p being the probabilities of the classes: the target is what the label
says of the class. Two classes have one row of coefficients, the second's, as in
:mod:`errata.tolerant._softmax`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..._validation import check_count, check_fraction, check_positive
from ..._warn import warn_user
from .._softmax import compute_log_proba, compute_scores
from ._base import (
    HiddenClassClassifier,
    NoiseLearningClassifier,
    check_known_transition,
    compute_expectation,
    is_objective_settled,
)

# log P(class | x), (n, K) -> the loss of each row, (n,), and its target, (n, K)
Loss = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class LinearClassifier(HiddenClassClassifier):
    """Coefficients, and what they say of rows."""

    _sparse = True
    C: float
    fit_intercept: bool

    def _minimise(
        self,
        X: Any,
        weights: np.ndarray,
        loss: Loss,
        beta: np.ndarray | None = None,
        *,
        gtol: float = 1e-6,
        max_iter: int = 5000,
    ) -> tuple[np.ndarray, int]:
        """The coefficients of least loss that L-BFGS finds from ``beta``, and in how many steps.

        Half the squared coefficients over ``C`` are added to the weighted loss. The first column
        holds intercepts.
        """
        l2 = 1 / check_positive("C", self.C)
        n_classes = len(self.classes_)
        shape = (1 if n_classes == 2 else n_classes, X.shape[1] + 1)

        def compute_value_and_gradient(theta: np.ndarray) -> tuple[float, np.ndarray]:
            beta = theta.reshape(shape)
            log_proba = compute_log_proba(compute_scores(X, beta))
            row_loss, target = loss(log_proba)
            value = weights @ row_loss + l2 / 2 * (beta[:, 1:] ** 2).sum()
            # Of two classes only the second has parameters.
            surprise = (weights[:, None] * (np.exp(log_proba) - target))[:, -len(beta) :]
            of_intercepts = surprise.sum(axis=0) if self.fit_intercept else np.zeros(len(beta))
            of_coefficients = (X.T @ surprise).T + l2 * beta[:, 1:]
            return float(value), np.column_stack([of_intercepts, of_coefficients]).ravel()

        found = minimize(
            compute_value_and_gradient,
            np.zeros(shape).ravel() if beta is None else beta.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": max_iter,
                "maxfun": 20_000,
                "maxcor": 20,
                "gtol": gtol,
                "ftol": 1e-15,
            },
        )
        if found.nit >= max_iter:
            warn_user(
                f"the coefficients had not settled after {max_iter} steps; scale the features, or "
                "raise max_iter.",
                ConvergenceWarning,
            )
        return found.x.reshape(shape), int(found.nit)

    def _keep(self, beta: np.ndarray) -> None:
        self.intercept_ = beta[:, 0]
        self.coef_ = beta[:, 1:]

    def decision_function(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (n,), or of each of more, shape (n, K)."""
        eta = self._scores(X)
        return eta[:, 0] if eta.shape[1] == 1 else eta

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        return np.exp(compute_log_proba(self._scores(X)))

    def _scores(self, X: Any) -> np.ndarray:
        X = self._check_rows(X)
        return compute_scores(X, np.column_stack([self.intercept_, self.coef_]))


class RobustLogisticRegression(LinearClassifier, NoiseLearningClassifier):
    """Logistic regression that knows that labels may be wrong, and learns how often.

    The class follows a logistic model, the label is a noisy copy of it, and both are fitted
    together. Reach for it when something like a plane divides the classes and labels are wrong by
    class (NAR), one class more than the other: there an ordinary boundary is off, and this one is
    not. Noise that is the same for all classes hardly moves a boundary and is hard to tell from
    overlap, so expect no gain; a small ``C`` makes labels look right. With a known matrix,
    ``learn_transition=False`` is what the literature calls forward correction. Scale the features.
    Costs a few dozen rounds of L-BFGS, O(n d K) a step; memory O(n K) beside the features, which
    may be sparse.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the L2 penalty on the coefficients, as in
        :class:`sklearn.linear_model.LogisticRegression`; intercepts are not penalised.
    fit_intercept : bool, default=True
        Whether there are intercepts.
    noise : {"full", "per_class", "uniform"}, default="full"
        What is learnt of the transition matrix: every entry, one error rate for each class (all
        other labels alike), or one rate in all. The fewer rows and the more classes, the less can
        be learnt.
    transition : matrix of shape (K, K), NoiseModel or float, optional
        ``T[c, l] = P(label = l | class = c)``, in the order of the sorted labels (or of the classes
        that the NoiseModel names), or one error rate for all classes: where learning starts, or
        what is known.
    learn_transition : bool, default=True
        Whether T is learnt. False needs ``transition``.
    init_error : float, default=0.2
        Error rate that learning starts from, and that is thought likely beforehand.
    prior_strength : float, default=2
        How many rows of each class that belief is worth. 0 is maximum likelihood; more holds T
        fast where there are few rows.
    max_iter : int, default=200
        Maximum number of rounds.
    tol : float, default=1e-6
        Stop when the objective grows by less, relative to its size.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float or "estimate", optional
        Flag this fraction of the rows instead, the most suspicious first; "estimate" takes as many
        as are expected to be wrong, the sum of the suspicions.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    noise_transition_ : array of shape (K, K)
        T: how often each class has each label.
    error_rates_ : array of shape (K,)
        One minus its diagonal.
    suspicion_ : array of shape (n,)
        Probability that a label is wrong, as far as the model is right.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The likeliest class given features and label where a row is flagged, its own label
        elsewhere.
    coef_ : array of shape (1, d) or (K, d)
        Coefficients of the second of two classes, or of each of more.
    intercept_ : array of shape (1,) or (K,)
        Intercepts.
    log_likelihood_ : array of shape ``(n_iter_,)``
        Log-likelihood of the labels in each round.
    objective_ : array of shape ``(n_iter_,)``
        The same with the log-density of T beforehand, less the penalty; never falls.
    n_iter_ : int
        Number of rounds.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Minimises ``-sum_n s_n log sum_c p[n, c] T[c, y_n]`` plus the penalties. Its slope in the scores
    is ``s_n (p[n, c] - r[n, c])``, r being P(class | features, label): that of logistic regression
    with soft targets, except that the targets move with the coefficients. L-BFGS follows the true
    slope; T is maximised between its runs [1]_.

    References
    ----------
    .. [1] Bootkrajang and Kabán. Label-noise robust logistic regression and its applications.
       ECML PKDD, 2012.
    .. [2] Frénay and Verleysen. Classification in the presence of label noise: a survey. IEEE
       Transactions on Neural Networks and Learning Systems 25, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import RobustLogisticRegression
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(2000, 2))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> labels, _ = flip_labels(y[:1000], transition=[[0.6, 0.4], [0.05, 0.95]], random_state=0)
    >>> plain = LogisticRegression().fit(X[:1000], labels)
    >>> model = RobustLogisticRegression().fit(X[:1000], labels)
    >>> [round(m.score(X[1000:], y[1000:]), 2) for m in (plain, model)]
    [0.72, 0.98]
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        noise: str = "full",
        transition: Any = None,
        learn_transition: bool = True,
        init_error: float = 0.2,
        prior_strength: float = 2.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | str | None = None,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.noise = noise
        self.transition = transition
        self.learn_transition = learn_transition
        self.init_error = init_error
        self.prior_strength = prior_strength
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _fit_labels(self, X: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        right = partial(compute_label_loss, transition=np.eye(len(self.classes_)), codes=codes)
        beta, _ = self._minimise(X, weights, right)

        def fit_classes(_: np.ndarray, transition: np.ndarray) -> tuple[Any, np.ndarray, float]:
            """Maximise the likelihood of the labels under T, from where the last round ended.

            Responsibilities are not held while the coefficients move: they follow them.
            """
            nonlocal beta
            loss = partial(compute_label_loss, transition=transition, codes=codes)
            beta = self._minimise(X, weights, loss, beta)[0]
            penalty = 1 / self.C / 2 * float((beta[:, 1:] ** 2).sum())
            return beta, compute_log_proba(compute_scores(X, beta)), penalty

        settled = is_objective_settled if self.learn_transition else _stop_at_once
        params, _ = self._learn(fit_classes, codes, weights, settled)
        self._keep(params)


def compute_label_loss(
    log_proba: np.ndarray, transition: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How unlikely each label is under T, and what it says of the class."""
    responsibilities, log_likelihood = compute_expectation(log_proba, transition, codes)
    return -log_likelihood, responsibilities


def _stop_at_once(tol: float, objectives: list[float], moved: float) -> bool:
    """Nothing else moves where T is known."""
    return True


class UnbiasedLogisticRegression(LinearClassifier):
    """Logistic regression with a loss that wrong labels leave unbiased, given how they are wrong.

    The loss of a label is so corrected that, on average over the labels a class may get, it is the
    loss of the class: fitting it to noisy labels is fitting log loss to right ones, plus variance.
    Reach for it when the transition matrix is known, from a second annotator say, and the model
    must stay convex (one optimum). ``RobustLogisticRegression(transition=T,
    learn_transition=False)`` uses the same knowledge with less variance and is the better choice
    for few rows or strong noise. Not where T is guessed: a wrong T biases the boundary. Costs one
    run of L-BFGS, O(n d K) a step; memory O(n K) beside the features, which may be sparse.

    Parameters
    ----------
    transition : matrix of shape (K, K), NoiseModel or float
        ``T[c, l] = P(label = l | class = c)``, in the order of the sorted labels (or of the classes
        that the NoiseModel names), or one error rate for all classes. Its inverse must exist.
    C : float, default=1.0
        Inverse of the L2 penalty on the coefficients, as in
        :class:`sklearn.linear_model.LogisticRegression`; intercepts are not penalised.
    fit_intercept : bool, default=True
        Whether there are intercepts.
    max_iter : int, default=200
        Maximum number of steps of L-BFGS.
    tol : float, default=1e-6
        Stop when no entry of the gradient is larger.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float or "estimate", optional
        Flag this fraction of the rows instead, the most suspicious first; "estimate" takes as many
        as are expected to be wrong, the sum of the suspicions.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    noise_transition_ : array of shape (K, K)
        T as given, one error rate spelt out.
    error_rates_ : array of shape (K,)
        One minus its diagonal.
    suspicion_ : array of shape (n,)
        Probability that a label is wrong, as far as the model is right.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The likeliest class given features and label where a row is flagged, its own label
        elsewhere.
    coef_ : array of shape (1, d) or (K, d)
        Coefficients of the second of two classes, or of each of more.
    intercept_ : array of shape (1,) or (K,)
        Intercepts.
    log_likelihood_ : array of shape (1,)
        Log-likelihood of the labels under the fitted model and T.
    n_iter_ : int
        Number of steps.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The loss of label l is ``-sum_c inv(T)[l, c] log p[c]``, so that ``sum_l T[c, l] loss[l]`` is
    ``-log p[c]``; for two classes this is equation (16) of [2]_. Rows of the inverse sum to one but
    have entries below zero, so the loss may be negative; in the scores it is convex all the same.

    References
    ----------
    .. [1] Natarajan, Dhillon, Ravikumar and Tewari. Learning with noisy labels. NIPS, 2013.
    .. [2] Frénay and Verleysen. Classification in the presence of label noise: a survey. IEEE
       Transactions on Neural Networks and Learning Systems 25, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import UnbiasedLogisticRegression
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(2000, 2))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> T = [[0.6, 0.4], [0.05, 0.95]]
    >>> labels, _ = flip_labels(y[:1000], transition=T, random_state=0)
    >>> plain = LogisticRegression().fit(X[:1000], labels)
    >>> model = UnbiasedLogisticRegression(T).fit(X[:1000], labels)
    >>> [round(m.score(X[1000:], y[1000:]), 2) for m in (plain, model)]
    [0.72, 0.98]
    """

    def __init__(
        self,
        transition: Any,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 200,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | str | None = None,
    ) -> None:
        self.transition = transition
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _fit_labels(self, X: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        T = check_known_transition(self.transition, self.classes_)
        # Of each label, how much the loss of each class counts: sums of one, some below 0.
        targets = np.linalg.inv(T)[codes]
        beta, self.n_iter_ = self._minimise(
            X,
            weights,
            partial(compute_unbiased_loss, targets=targets),
            gtol=check_fraction("tol", self.tol, high=np.inf),
            max_iter=check_count("max_iter", self.max_iter),
        )
        self._keep(beta)
        responsibilities, log_likelihood = compute_expectation(
            compute_log_proba(compute_scores(X, beta)), T, codes
        )
        self.log_likelihood_ = np.array([weights @ log_likelihood])
        self._report_noise(T, responsibilities, codes)


def compute_unbiased_loss(
    log_proba: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log loss whose expectation over the labels of a class is the log loss of the class."""
    return -np.einsum("nc,nc->n", targets, log_proba), targets
