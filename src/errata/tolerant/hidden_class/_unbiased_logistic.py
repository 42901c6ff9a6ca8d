"""Logistic regression with a loss that wrong labels leave unbiased."""

from functools import partial
from typing import Any

import numpy as np

from ..._validation import check_count, check_fraction
from .._softmax import class_log_proba, scores
from ._em import Labels, expectation
from ._linear import LinearClassifier
from ._linear_fit import minimise
from ._noise import known_transition


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

    def _fit_labels(self, X: Any, labels: Labels) -> None:
        T = known_transition(self.transition, self.classes_)
        task = self._task(X, labels)
        loss = partial(unbiased_loss, targets=targets_of_labels(T)[labels.codes])
        beta, self.n_iter_ = minimise(
            task,
            loss,
            task.start(),
            gtol=check_fraction("tol", self.tol, high=np.inf),
            max_iter=check_count("max_iter", self.max_iter),
        )
        self._keep(beta)
        responsibilities, log_likelihood = expectation(
            class_log_proba(scores(X, beta)), T, labels.codes
        )
        self.log_likelihood_ = np.array([labels.weights @ log_likelihood])
        self._report_noise(T, responsibilities, labels.codes)


def targets_of_labels(transition: np.ndarray) -> np.ndarray:
    """Of each label, how much the loss of each class counts: rows that sum to one, some below 0."""
    return np.linalg.inv(transition)


def unbiased_loss(log_proba: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log loss whose expectation over the labels of a class is the log loss of the class."""
    return -np.einsum("nc,nc->n", targets, log_proba), targets
