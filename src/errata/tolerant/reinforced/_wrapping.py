"""Any scikit-learn classifier, regressor or density estimator, reinforced."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, DensityMixin, RegressorMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KernelDensity
from sklearn.utils import check_consistent_length

from ..._crossfit import Fold, find_not_learnable, make_folds
from ..._random import clone_keeping_seeds
from ..._routing import WrapperMixin, route_fit, take_params_of_rows, takes_sample_weight
from ..._validation import check_data, check_labelled, check_row_weights, check_rows
from ._loop import (
    Fit,
    ReinforcedEstimator,
    compute_gaussian_log_density,
    compute_scale_floor,
    estimate_scale,
    report_scale,
    require_every_class,
)

# (fitted estimator, X, y) -> one number per row: a log-likelihood, or a residual.
Score = Callable[[Any, Any, Any], np.ndarray]

_LEAST_PROBABILITY = 1e-300  # that of a label a tree has never seen in a leaf, say


def _fit_weighted(
    estimator: Any, X: Any, y: np.ndarray | None, weights: np.ndarray, params: dict[str, Any]
) -> Any:
    """Fit a clone; a row of weight zero stays with its label, so that no class is forgotten."""
    if y is not None:
        return clone(estimator).fit(X, y, sample_weight=weights, **params)
    used = np.flatnonzero(weights > 0)  # kernel densities take the logarithm of weights
    params = take_params_of_rows(params, len(weights), used)
    return clone(estimator).fit(X[used], sample_weight=weights[used], **params)


class WrappingEstimator(WrapperMixin, ReinforcedEstimator):
    """A reinforced estimator around another, whose demands on ``X`` it passes on."""

    # Folds need groups where they are given, so that no one has to ask for them.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.reinforcement = reinforcement
        self.reinforcement_penalty = reinforcement_penalty
        self.mean_weight = mean_weight
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _make_folds(self, X: Any, y: np.ndarray, *, stratify: bool, groups: Any) -> Any:
        if self.cv is None:
            return None  # the paper's way: rows are scored by the fit that saw them
        if groups is not None:
            check_consistent_length(X, groups)
            groups = np.unique(groups, return_inverse=True)[1]
        return make_folds(
            self.cv, y, X=X, groups=groups, stratify=stratify, random_state=self.random_state
        )

    def _make_weighted_fit(
        self,
        X: Any,
        y: np.ndarray | None,
        score: Score,
        folds: list[Fold] | None,
        fit_params: dict[str, Any],
    ) -> Callable[[np.ndarray], tuple[Any, np.ndarray]]:
        """A function that fits the estimator with weights, again and again, and scores its rows.

        Given weights, it returns a fit to all rows, and one number per row from that fit or from
        fits that lack its fold.
        """
        # One seed for all the fits: if each drew anew, the weights would never stop moving.
        estimator = clone_keeping_seeds(self._get_wrapped(), self.random_state)
        params = route_fit(self, fit_params)

        def fit(weights: np.ndarray) -> tuple[Any, np.ndarray]:
            model = _fit_weighted(estimator, X, y, weights, params)
            if folds is None:
                return model, score(model, X, y)
            fitted = Parallel(n_jobs=self.n_jobs)(
                delayed(_fit_weighted)(
                    estimator,
                    X[train],
                    None if y is None else y[train],
                    weights[train],
                    take_params_of_rows(params, len(weights), train),
                )
                for train, _ in folds
            )
            scores = np.empty(len(weights))
            for (_, test), without in zip(folds, fitted, strict=True):
                scores[test] = score(without, X[test], None if y is None else y[test])
            return model, scores

        return fit

    def _check_input(self, X: Any, y: Any = "no_validation", **checks: Any) -> Any:
        """Check features, and responses if there are any, that the estimator is fitted to."""
        return check_data(self, X, y, ensure_min_samples=2, **self._checks(), **checks)

    def _ask(self, method: str, X: Any) -> np.ndarray:
        """Call ``method`` of the fitted estimator on checked rows."""
        X = check_rows(self, X, **self._checks())
        return getattr(self.estimator_, method)(X)


def check_pluggable(estimator: Any, *, method: str, gives: str) -> None:
    """Raise unless the estimator can be fitted with weights and has a likelihood."""
    name = type(estimator).__name__
    if not hasattr(estimator, method):
        raise TypeError(
            f"{name} has no {method}, so it cannot tell {gives}; choose an estimator that has."
        )
    if not takes_sample_weight(estimator):
        raise TypeError(
            f"{name}.fit takes no sample_weight, so rows cannot lose weight; choose an estimator "
            "that takes it. If this is a pipeline, reinforce its last step instead, "
            "make_pipeline(..., Reinforced...(last_step)), or enable metadata routing and let the "
            "last step ask for it with set_fit_request(sample_weight=True)."
        )


def check_classes_in_folds(
    folds: list[Fold] | None, codes: np.ndarray, classes: np.ndarray
) -> None:
    """Raise when a class is missing from the training rows of the fold that tests it."""
    lacking = folds is not None and find_not_learnable(codes, folds)
    if np.any(lacking):
        rare = classes[codes[lacking]][0]
        raise ValueError(
            f"every row of the class {rare} falls into one fold, so that fits without them do not "
            "know it; take fewer folds, or merge the class with another."
        )


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
    reinforcement_penalty : {"l1", "l2", "l1/2"}, default="l1"
        What a reinforcement costs. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones; "l1/2" gives a row up at once: its weight jumps from 1 to 0.2.
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
        estimator = self._get_wrapped()
        check_pluggable(estimator, method="predict_proba", gives="how likely a label is")
        X, codes = check_labelled(self, X, y, min_classes=2, **self._checks())
        folds = self._make_folds(X, codes, stratify=True, groups=groups)
        check_classes_in_folds(folds, codes, self.classes_)
        # Fitted to the labels, not to their codes, so that estimator_ speaks of the user's classes.
        labels = self.classes_[codes]
        fit = self._make_weighted_fit(X, labels, _predict_label_log_proba, folds, fit_params)

        def maximise(weights: np.ndarray, _: Any) -> Fit:
            require_every_class(weights, codes, self.classes_)
            return *fit(weights), 0.0

        self.estimator_ = self._reinforce(
            maximise,
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

    def _get_wrapped(self) -> Any:
        # Newton's method fits to the last digit: noise in the fits would keep weights moving.
        return (
            LogisticRegression(solver="newton-cholesky")
            if self.estimator is None
            else self.estimator
        )


def _predict_label_log_proba(model: Any, X: Any, labels: np.ndarray) -> np.ndarray:
    column = np.searchsorted(model.classes_, labels)
    p = np.take_along_axis(model.predict_proba(X), column[:, None], axis=1)[:, 0]
    return np.log(np.maximum(p.astype(float), _LEAST_PROBABILITY))


class ReinforcedRegressor(RegressorMixin, WrappingEstimator):
    """Make any regressor give little weight to the rows that fit worst.

    Reach for it when your regressor is good at the task and a few responses are wrong. Gaussian
    noise of one width is put around its predictions, and it is fitted some ten times, each time
    with less weight on the rows far from it. If the fit minimises a weighted squared error the
    theory of [1]_ applies; otherwise the weights are useful but nothing is proved. A regressor
    flexible enough to pass through every row leaves no residual to suspect: for such models
    (forests, boosted trees) pass ``cv=5``. Costs the fits, and with ``cv`` as many more as there
    are folds.

    Parameters
    ----------
    estimator : estimator, optional
        A regressor whose ``fit`` takes ``sample_weight``; ordinary least squares when not given.
    cv : int or cross-validation splitter, optional
        Score each row out of fold, by fits that have not seen it. None scores it by the fit to all
        rows, as in the paper. Folds of a number are shuffled.
    n_jobs : int, optional
        With ``cv``: how many folds are fitted at the same time; -1 for one per core.
    random_state : int, RandomState instance or None
        Shuffles the folds, and seeds the estimator where it has no seed of its own (one seed for
        all its fits).
    consistent_scale : bool, default=False
        Divide ``scale_`` by the factor (0.88 at a mean weight of 0.95 with "l1") by which taking
        weight off the tails narrows the noise of clean data. Too wide when those rows are errors.
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_, in the unit of ``y`` ("l1") or its square ("l2"). The smaller,
        the more rows lose weight; infinity is the ordinary fit. "auto" chooses it anew at each
        iteration, so that the mean weight is ``mean_weight``.
    reinforcement_penalty : {"l1", "l2", "l1/2"}, default="l1"
        What a reinforcement costs. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones; "l1/2" gives a row up at once: its weight jumps from 1 to 0.2.
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
        The regressor, fitted with the last weights.
    scale_ : float
        Standard deviation of the noise.
    weights_ : array of shape (n,)
        Degree, in [0, 1], to which each row is normal.
    suspicion_ : array of shape (n,)
        ``1 - weights_``, to the sixth digit: what is added there ranks the rows of weight 1 by
        their likelihood. Not a probability: its mean is ``1 - mean_weight``, however many rows are
        wrong.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    log_likelihood_ : array of shape (n,)
        Log-density of each row. Lowest = most suspicious.
    added_probabilities_ : array of shape (n,)
        What was added to each row's density.
    reinforcement_, log_reinforcement_ : float
        The constant and its logarithm.
    mean_weight_ : float
        Mean of ``weights_``.
    objective_ : array
        Reinforced log-likelihood at each iteration. Never falls when ``reinforcement`` is a number,
        ``cv`` is None and each fit minimises the weighted squared error and nothing else.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
    collapsed_ : bool
        Whether the noise shrank to nothing.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from errata.tolerant import ReinforcedRegressor
    >>> x = np.arange(40.0)
    >>> y = np.where(x < 20, 1.0, 3.0) + 0.1 * np.cos(5 * x)  # a step
    >>> y[30] = -6.0
    >>> tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    >>> model = ReinforcedRegressor(tree).fit(x[:, None], y)
    >>> np.flatnonzero(model.flagged_)
    array([30])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = None,
        consistent_scale: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        super().__init__(
            estimator,
            cv=cv,
            n_jobs=n_jobs,
            random_state=random_state,
            reinforcement=reinforcement,
            reinforcement_penalty=reinforcement_penalty,
            mean_weight=mean_weight,
            max_iter=max_iter,
            tol=tol,
            threshold=threshold,
            contamination=contamination,
        )
        self.consistent_scale = consistent_scale

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
        """Fit the regressor to the rows that agree.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; sparse, or with missing values, if the estimator takes them so.
        y : array-like of shape (n,)
            Responses.
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
        estimator = self._get_wrapped()
        check_pluggable(estimator, method="predict", gives="how far a row is from it")
        X, y = self._check_input(X, y, y_numeric=True)
        y = y.astype(float)
        sample_weight = check_row_weights("sample_weight", sample_weight, len(y))
        floor = compute_scale_floor(y, sample_weight)
        folds = self._make_folds(X, y, stratify=False, groups=groups)
        fit = self._make_weighted_fit(X, y, _compute_residuals, folds, fit_params)

        def maximise(weights: np.ndarray, _: Any) -> Fit:
            """Fit with weights, and find the density of each residual under Gaussian noise."""
            model, residuals = fit(weights)
            scale = estimate_scale(residuals, weights, floor=floor)
            return (model, scale), compute_gaussian_log_density(residuals, scale), 0.0

        self.estimator_, scale = self._reinforce(
            maximise, sample_weight=sample_weight, w_init=w_init
        )
        report_scale(self, scale, floor=floor)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The prediction of the fitted regressor for each row."""
        return self._ask("predict", X)

    def _get_wrapped(self) -> Any:
        return LinearRegression() if self.estimator is None else self.estimator


def _compute_residuals(model: Any, X: Any, y: np.ndarray) -> np.ndarray:
    return y - model.predict(X).astype(float)


class ReinforcedDensity(DensityMixin, WrappingEstimator):
    """Make any density estimator give little weight to the rows it finds least likely.

    Reach for it when there are no labels and a few rows do not belong: they are those that the
    density of the others leaves no room for. The estimator is fitted some ten times, each time with
    less weight on unlikely rows. If the fit maximises a weighted likelihood the theory of [1]_
    applies; that of a kernel density does not, and every row raises its own density, so that
    ``cv=5`` tells rows apart more sharply. Costs the fits, and with ``cv`` as many more as there
    are folds.

    Parameters
    ----------
    estimator : estimator, optional
        An estimator whose ``fit`` takes ``sample_weight`` and whose ``score_samples`` gives
        log-densities; :class:`sklearn.neighbors.KernelDensity` when not given. Its bandwidth is in
        the unit of the features, so scale them.
    cv : int or cross-validation splitter, optional
        Score each row out of fold, by fits that have not seen it. None scores it by the fit to all
        rows, as in the paper. Folds of a number are shuffled.
    n_jobs : int, optional
        With ``cv``: how many folds are fitted at the same time; -1 for one per core.
    random_state : int, RandomState instance or None
        Shuffles the folds, and seeds the estimator where it has no seed of its own (one seed for
        all its fits).
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_, in the unit of one over a density of ``X`` (its square for
        "l2"). The smaller, the more rows lose weight; infinity is the ordinary fit. "auto" chooses
        it anew at each iteration, so that the mean weight is ``mean_weight``.
    reinforcement_penalty : {"l1", "l2", "l1/2"}, default="l1"
        What a reinforcement costs. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones; "l1/2" gives a row up at once: its weight jumps from 1 to 0.2.
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
        The density estimator, fitted with the last weights.
    weights_ : array of shape (n,)
        Degree, in [0, 1], to which each row is normal.
    suspicion_ : array of shape (n,)
        ``1 - weights_``, to the sixth digit: what is added there ranks the rows of weight 1 by
        their likelihood. Not a probability: its mean is ``1 - mean_weight``, however many rows are
        wrong.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    log_likelihood_ : array of shape (n,)
        Log-density of each row. Lowest = most suspicious.
    added_probabilities_ : array of shape (n,)
        What was added to each row's density.
    reinforcement_, log_reinforcement_ : float
        The constant and its logarithm. With many features ``reinforcement_`` may be inf or 0.
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
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from errata.tolerant import ReinforcedDensity
    >>> X = np.append(np.linspace(0, 1, 30), 1.9)[:, None]
    >>> model = ReinforcedDensity(KernelDensity(bandwidth=0.2)).fit(X)
    >>> np.flatnonzero(model.flagged_)
    array([30])
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        w_init: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the density to the rows that agree.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows; sparse, or with missing values, if the estimator takes them so.
        y : None
            Ignored.
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
        estimator = self._get_wrapped()
        check_pluggable(estimator, method="score_samples", gives="how likely a row is")
        X = self._check_input(X)
        no_labels = np.zeros(X.shape[0])  # make_folds counts the rows by them
        folds = self._make_folds(X, no_labels, stratify=False, groups=groups)
        fit = self._make_weighted_fit(X, None, _predict_log_density, folds, fit_params)
        self.estimator_ = self._reinforce(
            lambda weights, _: (*fit(weights), 0.0),
            sample_weight=check_row_weights("sample_weight", sample_weight, X.shape[0]),
            w_init=w_init,
        )
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-density of each row."""
        return self._ask("score_samples", X)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-density of the rows."""
        return float(self.score_samples(X).mean())

    def _get_wrapped(self) -> Any:
        return KernelDensity() if self.estimator is None else self.estimator


def _predict_log_density(model: Any, X: Any, _: None) -> np.ndarray:
    return np.asarray(model.score_samples(X), dtype=float)
