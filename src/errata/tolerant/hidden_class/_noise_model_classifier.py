"""Any probabilistic classifier of a hidden class.

A row that is of class c with probability r is shown to the classifier as a row of that class with
weight r, once for each class that it may be of.
"""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import check_random_state

from ..._compat import take_rows
from ..._crossfit import (
    Fold,
    deal_by_content,
    encode_groups,
    find_not_learnable,
    warn_of_not_learnable,
)
from ..._random import clone_keeping_seeds
from ..._routing import WrapperMixin, route_fit, take_params_of_rows, takes_sample_weight
from ..._validation import check_fraction, check_labelled
from ._base import NoiseLearningClassifier, is_transition_settled

_LEAST_PROBABILITY = 1e-6  # of a class: a leaf without it must not rule it out for ever


class NoiseModelClassifier(WrapperMixin, NoiseLearningClassifier):
    """Make any probabilistic classifier learn in spite of wrong labels, and how many there are.

    The classifier says how likely each class is, a transition matrix how classes are labelled; both
    are learnt in turn, each row being shown to the classifier as of every class that it may be of,
    in part. Reach for it when your classifier is good at the task and the labels are not. It
    assumes that errors depend on the class at most (NCAR, NAR). Errors near the boundary are taken
    for overlap, and symmetric noise is hard to tell from it: the matrix is then found too clean,
    yet the fit may still gain. Not for classifiers whose probabilities mean nothing. Costs ``cv``
    fits to n K rows at most in each round, and one fit in the end; memory that of the features
    stacked for one fit.

    Parameters
    ----------
    estimator : classifier, optional
        Has ``predict_proba`` and takes ``sample_weight``; when not given, a logistic
        regression, made to follow kernel features. In a pipeline put the NoiseModelClassifier last,
        around the last step, so that what comes before is fitted once.
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
    cross_fit : bool or "auto", default="auto"
        Whether rows are judged by fits that have not seen them. A flexible classifier repeats the
        labels it was shown, and every label then looks right. "auto" is False for
        :class:`~sklearn.naive_bayes.GaussianNB`, True for all others.
    cv : int or splitter, default=5
        Number of folds, or any splitter of scikit-learn that tests each row once.
    max_iter : int, default=50
        Maximum number of rounds.
    tol : float, default=1e-3
        Stop when no entry of T moves by more; where T is known, no probability of a class.
    prune_below : float, default=1e-3
        A row is not shown as of classes that it is less likely of.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float or "estimate", optional
        Flag this fraction of the rows instead, the most suspicious first; "estimate" takes as many
        as are expected to be wrong, the sum of the suspicions.
    n_jobs : int, optional
        Number of folds fitted at a time, -1 for as many as there are cores.
    random_state : int, RandomState or None, default=None
        Decides on the folds, and on what an estimator without a seed of its own draws (one seed for
        all its fits).

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows, each of its classes in part. It alone predicts.
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
    log_likelihood_ : array of shape ``(n_iter_,)``
        Log-likelihood of the labels in each round.
    objective_ : array of shape ``(n_iter_,)``
        The same with the log-density of T beforehand. Out of fold neither need rise.
    n_iter_ : int
        Number of rounds.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    In each round, with p the (out-of-fold) probabilities of the classes, ``r[n, c]`` is
    proportional to ``p[n, c] T[c, y_n]`` and ``T[c, l]`` to ``A[c, l]`` plus the sum of
    ``s_n r[n, c]`` over the rows labelled l, where A is ``prior_strength`` times the matrix of
    ``init_error``. The model is that of [1]_, made for Gaussian classes; equations 3.4, 3.14 and
    3.15 of [2]_.

    References
    ----------
    .. [1] Lawrence and Schölkopf. Estimating a kernel Fisher discriminant in the presence of label
       noise. ICML, 2001.
    .. [2] Frénay. Uncertainty and label noise in machine learning. PhD thesis, Université
       catholique de Louvain, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import NoiseModelClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> T = [[0.6, 0.4, 0], [0, 1, 0], [0, 0, 1]]
    >>> labels, wrong = flip_labels(y, transition=T, random_state=0)
    >>> plain = GaussianNB().fit(X, labels)
    >>> model = NoiseModelClassifier(GaussianNB()).fit(X, labels)
    >>> [round(m.score(X, y), 2) for m in (plain, model)]
    [0.94, 0.98]
    >>> model.error_rates_.round(1)
    array([0.4, 0. , 0. ])
    """

    # Folds need groups where they are given, so that no one has to ask for them.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        noise: str = "full",
        transition: Any = None,
        learn_transition: bool = True,
        init_error: float = 0.2,
        prior_strength: float = 2.0,
        cross_fit: bool | str = "auto",
        cv: Any = 5,
        max_iter: int = 50,
        tol: float = 1e-3,
        prune_below: float = 1e-3,
        threshold: float | None = None,
        contamination: float | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.noise = noise
        self.transition = transition
        self.learn_transition = learn_transition
        self.init_error = init_error
        self.prior_strength = prior_strength
        self.cross_fit = cross_fit
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.prune_below = prune_below
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Learn classes from labels of which some are wrong.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; sparse, or with missing values, if the estimator takes them so.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        groups : array-like of shape (n,), optional
            Rows of one group are held out together.
        **fit_params
            What else the estimator asked for by metadata routing.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, **self._checks())
        groups = encode_groups(groups, codes)
        params = route_fit(self, fit_params)
        return self._fit_codes(X, codes, sample_weight, groups, params)

    def _fit_codes(
        self,
        X: Any,
        codes: np.ndarray,
        sample_weight: Any = None,
        groups: np.ndarray | None = None,
        params: dict[str, Any] | None = None,
    ) -> Self:
        """Fit rows and labels that have passed the checks; ``classes_`` is set."""
        _check_estimator(self._get_wrapped())
        weights = self._check_weights(codes, sample_weight)
        random = check_random_state(self.random_state)
        fits = SoftFits(
            # One seed for all the fits: if each drew anew, T would never stop moving.
            clone_keeping_seeds(self._get_wrapped(), random),
            X,
            codes,
            weights,
            self.classes_,
            self._folds(X, codes, groups, random) if self._is_cross_fitted() else None,
            params or {},
            check_fraction("prune_below", self.prune_below),
            self.n_jobs,
        )
        _, responsibilities = self._learn(fits.step, codes, weights, is_transition_settled)
        self.estimator_ = fits.fit(responsibilities)
        return self

    def _folds(
        self, X: Any, codes: np.ndarray, groups: np.ndarray | None, random: Any
    ) -> list[Fold]:
        folds = deal_by_content(self.cv, X, codes, groups, random)
        warn_of_not_learnable(find_not_learnable(codes, folds))
        return folds

    def _is_cross_fitted(self) -> bool:
        if self.cross_fit == "auto":
            return not isinstance(self._get_wrapped(), GaussianNB)
        if isinstance(self.cross_fit, bool):
            return self.cross_fit
        raise ValueError(f'cross_fit={self.cross_fit!r} must be True, False or "auto".')

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        X = self._check_rows(X)
        return predict_aligned(self.estimator_, X, self.classes_)

    def _get_wrapped(self) -> Any:
        if self.estimator is None:
            return LogisticRegression(C=3, max_iter=1000)
        return self.estimator


def _check_estimator(estimator: Any) -> None:
    name = type(estimator).__name__
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} has no predict_proba, so it cannot tell how likely a class is; choose a "
            f"classifier that has, or wrap it: CalibratedClassifierCV({name}())."
        )
    if not takes_sample_weight(estimator):
        raise TypeError(
            f"{name}.fit takes no sample_weight, so rows cannot be of a class in part; choose a "
            "classifier that takes it. If this is a pipeline, put the NoiseModelClassifier in "
            "place of its last step, around it."
        )


class SoftFits(NamedTuple):
    """How to fit the classifier again and again, and how to ask it about the rows."""

    estimator: Any
    X: Any
    codes: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    folds: list[Fold] | None  # None: rows are judged by a fit that saw them
    params: dict[str, Any]  # what else its fit asked for, by metadata routing
    prune_below: float
    n_jobs: int | None

    def step(
        self, responsibilities: np.ndarray, transition: np.ndarray
    ) -> tuple[None, np.ndarray, float]:
        """P(class | x) of each row, by a fit to the responsibilities of all rows or other folds."""
        if self.folds is None:
            proba = predict_aligned(self.fit(responsibilities), self.X, self.classes)
        else:
            proba = self._out_of_fold(responsibilities, self.folds)
        if np.isnan(proba).any():
            raise ValueError(
                f"{type(self.estimator).__name__} gives probabilities that are no numbers; columns "
                "without any variation do that to some classifiers: drop them, or choose another."
            )
        proba = np.maximum(proba, _LEAST_PROBABILITY)
        return None, np.log(proba / proba.sum(axis=1, keepdims=True)), 0.0

    def fit(self, responsibilities: np.ndarray, rows: np.ndarray | None = None) -> Any:
        """The classifier fitted to these rows, or to all."""
        n = len(responsibilities)
        rows = np.arange(n) if rows is None else rows
        counted = (responsibilities > self.prune_below) & (self.weights > 0)[:, None]
        position, code = np.nonzero(counted[rows])
        stacked = rows[position]
        weights = self.weights[stacked] * responsibilities[stacked, code]
        return clone(self.estimator).fit(
            take_rows(self.X, stacked),
            self.classes[code],
            sample_weight=weights,
            **take_params_of_rows(self.params, n, stacked),
        )

    def _out_of_fold(self, responsibilities: np.ndarray, folds: list[Fold]) -> np.ndarray:
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_predict_held_out)(self, responsibilities, *fold) for fold in folds
        )
        proba = np.empty_like(responsibilities)
        for (_, test), of_fold in zip(folds, found, strict=True):
            proba[test] = of_fold
        # A label that only its own fold has cannot be judged; it is believed.
        rare = find_not_learnable(self.codes, folds)
        proba[rare] = np.eye(len(self.classes))[self.codes[rare]]
        return proba


def _predict_held_out(
    fits: SoftFits, responsibilities: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    mass = responsibilities[train].sum(axis=0)
    if (mass > fits.prune_below).sum() == 1:  # some classifiers refuse to learn one class
        return np.tile(mass / mass.sum(), (len(test), 1))
    return predict_aligned(fits.fit(responsibilities, train), take_rows(fits.X, test), fits.classes)


def predict_aligned(model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """Its probabilities in the order of ``classes``; of a class it does not know, 0."""
    proba = model.predict_proba(X)
    if len(model.classes_) == len(classes):
        return proba
    aligned = np.zeros((len(proba), len(classes)))
    aligned[:, np.searchsorted(classes, model.classes_)] = proba
    return aligned
