"""Logistic regression of a hidden class."""

from functools import partial
from typing import Any

import numpy as np

from .._softmax import class_log_proba, scores
from ._base import NoiseLearningClassifier
from ._em import ClassFit, Labels, Turn, expectation, objective_settled
from ._linear import LinearClassifier
from ._linear_fit import LinearTask, minimise


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

    def _fit_labels(self, X: Any, labels: Labels) -> None:
        settled = objective_settled if self.learn_transition else _at_once
        last = self._learn(LogisticStep(self._task(X, labels), labels.codes), labels, settled)
        self._keep(last.fit.params)


class LogisticStep:
    """The class step: coefficients that maximise the likelihood of the labels under T.

    Responsibilities are not held while the coefficients move: they follow them.
    """

    def __init__(self, task: LinearTask, codes: np.ndarray) -> None:
        self.task, self.codes = task, codes
        as_if_right = partial(label_loss, transition=np.eye(task.n_classes), codes=codes)
        self.beta, _ = minimise(task, as_if_right, task.start())

    def __call__(self, responsibilities: np.ndarray, transition: np.ndarray) -> ClassFit:
        """Coefficients for this T, from those of the round before."""
        loss = partial(label_loss, transition=transition, codes=self.codes)
        self.beta, _ = minimise(self.task, loss, self.beta)
        penalty = self.task.l2 / 2 * float((self.beta[:, 1:] ** 2).sum())
        return ClassFit(self.beta, class_log_proba(scores(self.task.X, self.beta)), penalty)


def label_loss(
    log_proba: np.ndarray, transition: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How unlikely each label is under T, and what it says of the class."""
    responsibilities, log_likelihood = expectation(log_proba, transition, codes)
    return -log_likelihood, responsibilities


def _at_once(tol: float, before: Turn | None, now: Turn) -> bool:
    """Nothing else moves where T is known."""
    return True
