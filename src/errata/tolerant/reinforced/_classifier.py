"""Any probabilistic classifier, reinforced."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression

from ..._validation import check_labelled, check_row_weights
from ._base import require_every_class
from ._loop import Fit
from ._wrapping import (
    WeightedFits,
    WrappingEstimator,
    check_classes_in_folds,
    check_pluggable,
)

_LEAST_PROBABILITY = 1e-300  # that of a label a tree has never seen in a leaf, say


class ReinforcedClassifier(ClassifierMixin, WrappingEstimator):
    """Make any probabilistic classifier give little weight to the labels it finds least likely.

    Reach for it when your classifier is good at the task and the labels are not all right. It is
    fitted some ten times, each time with less weight on the labels it found unlikely before. If the
    fit maximises a weighted likelihood (logistic regression, naive Bayes, neural networks) the
    theory of [1]_ applies; with trees, or support vectors that were calibrated, the weights are
    useful but nothing is proved. A classifier flexible enough to memorise labels finds them all
    likely, so that nothing is suspected: for such models (forests, nearest neighbours) pass
    ``cv=5``. Costs the fits, and with ``cv`` as many more as there are folds.

    Parameters
    ----------
    estimator : estimator, optional
        A classifier whose ``fit`` takes ``sample_weight`` and that has ``predict_proba``; an
        ordinary logistic regression when not given.
    cv : int or cross-validation splitter, optional
        Score each label out of fold, by fits that have not seen it. None scores it by the fit to
        all rows, as in the paper. Folds of a number are shuffled and alike in their labels.
    n_jobs : int, optional
        With ``cv``: how many folds are fitted at the same time; -1 for one per core.
    random_state : int, RandomState instance or None
        Shuffles the folds, and seeds the estimator where it has no seed of its own (one seed for
        all its fits).
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_: with "l1", labels less likely than 1/alpha lose weight, with
        "l2" those less likely than about 1/sqrt(alpha). The smaller, the more rows lose weight;
        infinity is the ordinary fit. "auto" chooses it anew at each iteration, so that the mean
        weight is ``mean_weight``.
    reinforcement_penalty : {"l1", "l2"}, default="l1"
        What a reinforcement costs. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones.
    mean_weight : float in (0, 1), default=0.95
        Fraction of the data that should support the model. Too high keeps errors in; too low costs
        little. Not used when ``reinforcement`` is a number.
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
    estimator_ : estimator
        The classifier, fitted with the last weights.
    classes_ : array of shape (K,)
        The distinct labels.
    weights_ : array of shape (n,)
        Degree, in [0, 1], to which each label is normal.
    suspicion_ : array of shape (n,)
        ``1 - weights_``, to the sixth digit: what is added there ranks the rows of weight 1 by
        their likelihood. Not a probability: its mean is ``1 - mean_weight``, however many rows are
        wrong.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The class that the fitted classifier predicts where a row is flagged, its own label
        elsewhere.
    log_likelihood_ : array of shape (n,)
        Log-probability of each label. Lowest = most suspicious.
    added_probabilities_ : array of shape (n,)
        What was added to each label's probability.
    reinforcement_, log_reinforcement_ : float
        The constant and its logarithm.
    mean_weight_ : float
        Mean of ``weights_``.
    objective_ : array
        Reinforced log-likelihood at each iteration. Never falls when ``reinforcement`` is a number,
        ``cv`` is None and each fit maximises the weighted likelihood and nothing else.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
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
    >>> model = ReinforcedClassifier(GaussianNB(), mean_weight=0.9).fit(X, noisy)
    >>> int(flipped.sum()), int(model.flagged_[flipped].sum()), int(model.flagged_.sum())
    (15, 14, 15)
    """

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        w_init: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the classifier to the labels that agree.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; sparse, or with missing values, if the estimator takes them so.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        groups : array-like of shape (n,), optional
            With ``cv``: rows of one group are held out together. Not used without.
        w_init : array-like of shape (n,), optional
            Weights in [0, 1] to start from instead of ones, for instance one minus the suspicion of
            another detector: a way out when many errors have shaped the ordinary fit.
        **fit_params
            What else the estimator asked for by metadata routing.
        """
        estimator = self._wrapped()
        check_pluggable(estimator, method="predict_proba", gives="how likely a label is")
        X, codes = check_labelled(self, X, y, min_classes=2, **self._input_checks())
        fits = self._weighted_fits(X, codes, stratify=True, groups=groups, fit_params=fit_params)
        check_classes_in_folds(fits, codes, self.classes_)
        self.estimator_ = self._reinforce(
            partial(fit_classifier, fits, X, codes, classes=self.classes_),
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
    fits: WeightedFits,
    X: Any,
    codes: np.ndarray,
    weights: np.ndarray,
    _: Any = None,
    *,
    classes: np.ndarray,
) -> Fit:
    """Fit with weights, and find the log-probability of each label."""
    require_every_class(weights, codes, classes)
    # Fitted to the labels, not to their codes, so that estimator_ speaks of the user's classes.
    return Fit(*fits(_label_log_proba, X, classes[codes], weights))


def _label_log_proba(model: Any, X: Any, labels: np.ndarray) -> np.ndarray:
    column = np.searchsorted(model.classes_, labels)
    p = np.take_along_axis(model.predict_proba(X), column[:, None], axis=1)[:, 0]
    return np.log(np.maximum(p.astype(float), _LEAST_PROBABILITY))
