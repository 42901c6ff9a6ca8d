"""Any probabilistic classifier, reinforced."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression

from .._detector import DetectorMixin
from .._validation import check_labelled, check_labels, check_row_weights
from ._base import require_every_class
from ._generic import Folds, WrappingEstimator, check_pluggable, fit_and_judge, make_folds
from ._loop import Fit

_LEAST_PROBABILITY = 1e-300  # that of a label a tree has never seen in a leaf, say


class ReinforcedClassifier(DetectorMixin, ClassifierMixin, WrappingEstimator):
    """Make any probabilistic classifier give up on the labels it finds least likely, by degrees.

    Reach for it when your classifier is good at the task and the labels are not all right. It is
    fitted some ten times, each time with less weight on the labels it disbelieved before. If the
    fit maximises a weighted likelihood (logistic regression, naive Bayes, neural networks) the
    theory of [1]_ applies; with trees, or support vectors that were calibrated, the weights are
    useful but nothing is proved. A classifier flexible enough to learn labels by heart believes
    them all, so that nothing is suspected: give such a one (a forest, nearest neighbours) ``cv=5``.
    Costs the fits, and with ``cv`` as many more as there are folds.

    Parameters
    ----------
    estimator : estimator, optional
        A classifier whose ``fit`` takes ``sample_weight`` and that has ``predict_proba``; an
        ordinary logistic regression when not given.
    cv : int or cross-validation splitter, optional
        Judge each label by fits that have not seen its fold. None judges by the fit itself, as in
        the paper.
    penalty : {"l1", "l2"}, default="l1"
        Price of a reinforcement. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones.
    alpha : float or "auto", default="auto"
        Reinforcement constant. With "l1", labels less likely than 1/alpha lose weight, with "l2"
        those less likely than about 1/sqrt(alpha). The smaller, the more rows are let go; infinity
        is the ordinary fit. "auto" chooses it anew at each iteration, so that the mean weight is
        ``target``.
    target : float in (0, 1), default=0.95
        Share of the data that should support the model. Too high keeps errors in; too low costs
        little. Not used when ``alpha`` is a number.
    max_iter : int, default=100
        At most so many weighted fits. Half-way, "auto" stops moving alpha.
    tol : float, default=1e-4
        Stop when no weight moves by more.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.

    Attributes
    ----------
    estimator_ : estimator
        The classifier, fitted with the last weights.
    classes_ : array of shape (K,)
        The distinct labels.
    weights_ : array of shape (n,)
        Degree, in [0, 1], to which each label is normal.
    suspicion_ : array of shape (n,)
        ``1 - weights_``, to the sixth digit: what is added there ranks the rows of weight 1 by
        their likelihood. Not a probability: its mean is ``1 - target``, however many are wrong.
    flagged_ : array of bool of shape (n,)
        The suspects.
    suggested_ : array of shape (n,)
        The class that the fitted classifier predicts where a row is flagged, its own label
        elsewhere.
    log_likelihood_ : array of shape (n,)
        Log-probability of each label. Lowest = most suspicious.
    reinforcements_ : array of shape (n,)
        What was added to each label's probability.
    alpha_, log_alpha_ : float
        Reinforcement constant and its logarithm.
    mean_weight_ : float
        Mean of ``weights_``.
    objective_ : array
        Reinforced log-likelihood at each iteration. It never falls when ``alpha`` is a number,
        ``cv`` is None and each fit maximises the weighted likelihood and nothing else.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights came to rest.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import ReinforcedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> noisy, flipped = flip_labels(y, 0.1, random_state=0)
    >>> model = ReinforcedClassifier(GaussianNB(), target=0.9).fit(X, noisy)
    >>> int(flipped.sum()), int(model.flagged_[flipped].sum()), int(model.flagged_.sum())
    (15, 14, 15)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = None,
        penalty: str = "l1",
        alpha: float | str = "auto",
        target: float = 0.95,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.penalty = penalty
        self.alpha = alpha
        self.target = target
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, w_init: Any = None
    ) -> "ReinforcedClassifier":
        """Fit the classifier to the labels that agree.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; sparse, or with missing values, if the estimator takes them so.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        w_init : array-like of shape (n,), optional
            Weights in [0, 1] to start from instead of ones, for instance one minus the suspicion of
            another detector: a way out when many errors have shaped the ordinary fit.
        """
        estimator = self._wrapped()
        check_pluggable(estimator, method="predict_proba", gives="how likely a label is")
        X, codes = check_labelled(self, X, y, **self._input_checks())
        check_labels(self.classes_, min_classes=2)
        labels = self.classes_[codes]
        folds = make_folds(self.cv, X, labels, classifier=True)
        self.estimator_ = self._reinforce(
            partial(fit_classifier, estimator, X, codes, classes=self.classes_, folds=folds),
            sample_weight=check_row_weights("sample_weight", sample_weight, len(codes)),
            w_init=w_init,
        )
        predicted = np.searchsorted(self.classes_, self.estimator_.predict(X))
        self._conclude(self.suspicion_, codes, predicted)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class that the fitted classifier predicts for each row."""
        return self._ask("predict", X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        return self._ask("predict_proba", X)

    def _wrapped(self) -> Any:
        # Newton's method fits to the last digit: noise in the fits would keep weights moving.
        return (
            LogisticRegression(solver="newton-cholesky")
            if self.estimator is None
            else self.estimator
        )


def fit_classifier(
    estimator: Any,
    X: Any,
    codes: np.ndarray,
    weights: np.ndarray,
    _: Any = None,
    *,
    classes: np.ndarray,
    folds: Folds | None,
) -> Fit:
    """Fit with weights, and find the log-probability of each label."""
    require_every_class(weights, codes, classes)
    return Fit(*fit_and_judge(estimator, _label_log_proba, X, classes[codes], weights, folds))


def _label_log_proba(model: Any, X: Any, labels: np.ndarray) -> np.ndarray:
    column = np.searchsorted(model.classes_, labels)
    p = np.take_along_axis(model.predict_proba(X), column[:, None], axis=1)[:, 0]
    return np.log(np.maximum(p.astype(float), _LEAST_PROBABILITY))
