"""Classifiers under a robust loss: planes and curved borders between classes.

The convex relative of the loss is fitted first, as wherever the descent ends depends on where it
starts; from there on the objective never rises.
"""

from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

from ..._blocks import blocks, map_blocks
from ..._canonical import measure_spread
from ..._detector import DetectorMixin, compute_margin
from ..._validation import (
    check_choice,
    check_class_weights,
    check_count,
    check_labelled,
    check_positive,
    check_row_weights,
    check_rows,
)
from ..._warn import warn_user
from .._softmax import compute_scores
from ._losses import (
    GeneralizedCrossEntropy,
    MarginLoss,
    RampLoss,
    SavageLoss,
    SigmoidLoss,
    SoftmaxLoss,
    SymmetricCrossEntropy,
    TangentLoss,
)

LOSSES = {
    "generalized_cross_entropy": GeneralizedCrossEntropy,
    "symmetric_cross_entropy": SymmetricCrossEntropy,
    "ramp": RampLoss,
    "sigmoid": SigmoidLoss,
    "savage": SavageLoss,
    "tangent": TangentLoss,
}

BATCH = 2**22  # numbers held at once when scoring rows
FLAT = 1e-10  # of the largest: eigenvalues of the kernel that rounding alone may have made


class RobustLossModel(ClassifierMixin, DetectorMixin, BaseEstimator):
    """A classifier of scores, linear in some features, under a loss that rows cannot run away with.

    A subclass makes the features and keeps the coefficients that are found for them.
    """

    loss: Any
    C: float
    max_iter: int
    tol: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classes to labels of which some may be wrong, and judge each of them.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; scale them.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, order="C")
        return self._fit_codes(X, codes, sample_weight)

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray, sample_weight: Any = None) -> Self:
        """Fit to rows and labels that have passed the checks; ``classes_`` is set."""
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        check_class_weights(codes, self.classes_, weights)
        loss = check_loss(self.loss)
        C = check_positive("C", self.C)
        Z, penalty = self._make_features(X, weights)
        beta, objective, converged = fit_scores(
            loss,
            WeightedRows(Z, codes, C * weights[:, None], penalty),
            1 if len(self.classes_) == 2 else len(self.classes_),
            max_iter=check_count("max_iter", self.max_iter),
            tol=check_positive("tol", self.tol),
        )
        if not converged:
            warn_user(
                f"the descent did not settle within max_iter={self.max_iter} steps; raise it, or "
                "scale the features.",
                ConvergenceWarning,
            )
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective) - 1
        self._keep(beta)
        proba = loss.proba(compute_scores(Z, beta))
        self._conclude(compute_margin(proba, codes), codes, proba.argmax(axis=1))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (n,), or of each of more, shape (n, K)."""
        eta = self._scores(check_rows(self, X, dtype=float))
        return eta[:, 0] if eta.shape[1] == 1 else eta

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score."""
        eta = self._scores(check_rows(self, X, dtype=float))
        best = eta[:, 0] > 0 if eta.shape[1] == 1 else eta.argmax(axis=1)
        return self.classes_[best.astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K): good for ranking, too sure of itself."""
        eta = self._scores(check_rows(self, X, dtype=float))
        return check_loss(self.loss).proba(eta)

    def _make_features(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features to fit, and the penalty on the square of each coefficient."""
        raise NotImplementedError

    def _keep(self, beta: np.ndarray) -> None:
        """Set what :meth:`_scores` needs, from intercepts and coefficients of the features."""
        raise NotImplementedError

    def _scores(self, X: np.ndarray) -> np.ndarray:
        """Scores of rows that have passed the checks, shape (n, q)."""
        raise NotImplementedError


def check_loss(loss: Any) -> Any:
    """The loss itself, or the one of this name with its defaults."""
    if isinstance(loss, SoftmaxLoss | MarginLoss):
        loss.check()
        return loss
    if not isinstance(loss, str):
        raise ValueError(
            f"loss={loss!r} is not a loss; pass one of errata.tolerant.losses, or a name of "
            f"{', '.join(LOSSES)}."
        )
    return LOSSES[check_choice("loss", loss, tuple(LOSSES))]()


class RobustLossClassifier(RobustLossModel):
    """A linear classifier whose loss is bounded: labels far on the wrong side cannot bend it.

    Reach for it instead of logistic regression when labels are wrong at random, or when a few gross
    errors lie far out, and something like a plane divides the classes. It assumes that right labels
    outvote wrong ones everywhere near the plane; where one class is wrong much more often than
    another it is biased like any model without a noise model. On few and clean rows it gains
    nothing. Costs O(n d K) for each of some hundred steps, memory O(n (d + K)).

    Parameters
    ----------
    loss : str or loss, default="generalized_cross_entropy"
        What a label costs that the model does not agree with: "generalized_cross_entropy",
        "symmetric_cross_entropy", "ramp", "sigmoid", "savage" or "tangent", or one of these with
        parameters of your own, as in ``loss=GeneralizedCrossEntropy(q=0.5)``. The page on tolerant
        models says which to choose.
    C : float, default=1.0
        Weight of the losses against half the squared coefficients, as in
        :class:`sklearn.linear_model.LogisticRegression`; the intercepts are not penalised. The
        smaller, the smoother.
    max_iter : int, default=1000
        Maximum number of steps of the descent (of fits, for the ramp).
    tol : float, default=1e-6
        The descent ends when no slope of the mean loss exceeds it.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (another class is more probable) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.

    Attributes
    ----------
    coef_ : array of shape (1, d) or (K, d)
        Coefficients of the second of two classes, or of each of more.
    intercept_ : array of shape (1,) or (K,)
        Intercepts.
    suspicion_ : array of shape (n,)
        (1 + p' - p) / 2, p being the probability of the label and p' that of the most probable
        other class, by ``predict_proba`` on the training rows. A score from 0 to 1, not a
        probability: the model has seen the labels, though a bounded loss lets it disagree.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the most probable class for those, the label itself elsewhere.
    classes_ : array of shape (K,)
        The distinct labels.
    objective_ : array of shape ``(n_iter_ + 1,)``
        The objective at the fit of the convex relative, and after each step. It never rises.
    n_iter_ : int
        Number of steps.

    Notes
    -----
    The objective, C times the sum of the losses plus half the squared coefficients, is not convex,
    so that the descent (L-BFGS) starts from the fit of the loss's convex relative: logistic
    regression, or the squared hinge for the ramp, which is then fitted by turns to the rows below
    the cap (the concave-convex procedure). A softmax over all classes is fitted for the two
    cross-entropies, one score per class against the rest for the others. A class that lies
    between others has no plane against the rest, and a bounded loss gives it up: take one of the
    cross-entropies there.
    ``predict_proba`` is the softmax of the scores for the two cross-entropies, and for the others
    what the loss is made for (Savage, tangent) or the logistic function of each score against the
    rest, made to sum to one. A bounded loss makes any of them too sure: they rank well, and
    :class:`sklearn.calibration.CalibratedClassifierCV` makes them probabilities.

    References
    ----------
    .. [1] Frénay and Verleysen. Classification in the presence of label noise: a survey. IEEE
       Transactions on Neural Networks and Learning Systems 25, 2014. Section VII-B.
    .. [2] Ghosh, Manwani and Sastry. Making risk minimization tolerant to label noise.
       Neurocomputing 160, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from errata.tolerant import RobustLossClassifier
    >>> X = np.r_[np.linspace(-3, -0.5, 10), np.linspace(0.5, 3, 10), 10, 12][:, None]
    >>> y = ["ham"] * 10 + ["spam"] * 10 + ["ham"] * 2        # the last two are wrong, and far out
    >>> LogisticRegression().fit(X, y).score(X[:20], y[:20])
    0.55
    >>> model = RobustLossClassifier().fit(X, y)
    >>> model.flagged_.nonzero()[0], model.score(X[:20], y[:20])
    (array([20, 21]), 1.0)
    """

    def __init__(
        self,
        loss: Any = "generalized_cross_entropy",
        *,
        C: float = 1.0,
        max_iter: int = 1000,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _make_features(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Columns of one scale and around zero: the descent is slow when units differ.
        self._mean, spread = measure_spread(X, weights)
        self._unit = np.where(spread > 0, spread, 1.0)
        return (X - self._mean) / self._unit, self._unit**-2

    def _keep(self, beta: np.ndarray) -> None:
        self.coef_ = beta[:, 1:] / self._unit
        self.intercept_ = beta[:, 0] - self.coef_ @ self._mean

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_.T + self.intercept_


class KernelRobustLossClassifier(RobustLossModel):
    """A kernel classifier whose loss is bounded: a support vector machine that can give rows up.

    Reach for it where you would take :class:`sklearn.svm.SVC` and labels are wrong at random, the
    more of them the better the case. It assumes that right labels outvote wrong ones everywhere
    within the reach of the kernel; it does not know that one class may be wrong more often than
    another. Scale the features. Up to ``n_components`` rows the kernel is exact; beyond, that many
    rows drawn at random span the function (Nystroem). Costs O(n m² + m³ + n m K s) for m such rows
    and some hundred steps s, and holds two tables of n x m numbers, 16 n m bytes.

    Parameters
    ----------
    loss : str or loss, default="generalized_cross_entropy"
        What a label costs that the model does not agree with: "generalized_cross_entropy",
        "symmetric_cross_entropy", "ramp", "sigmoid", "savage" or "tangent", or one of these with
        parameters of your own, as in ``loss=GeneralizedCrossEntropy(q=0.5)``. The page on tolerant
        models says which to choose.
    C : float, default=3.0
        Weight of the losses against half the squared norm of the function, as in
        :class:`sklearn.svm.SVC`; the intercepts are not penalised. The
        smaller, the smoother.
    kernel : str or callable, default="rbf"
        Any kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels` but "precomputed".
    gamma : "scale", "auto" or float, default="scale"
        Of the kernel, ``exp(-gamma |x - z|²)`` for "rbf". "scale" is one over the number of
        features times their variance, "auto" one over the number of features. The larger, the more
        local, and the more easily wrong labels are learnt.
    n_components : int, default=500
        Number of rows that span the function, at most.
    max_iter : int, default=1000
        Maximum number of steps of the descent (of fits, for the ramp).
    tol : float, default=1e-6
        The descent ends when no slope of the mean loss exceeds it.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (another class is more probable) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Draws the rows that span the function, where not all of them do.

    Attributes
    ----------
    components_ : array of shape (m, d)
        The rows that span the function.
    dual_coef_ : array of shape (1, m) or (K, m)
        Weight of the kernel of each of these.
    intercept_ : array of shape (1,) or (K,)
        Intercepts.
    gamma_ : float
        The gamma that was used.
    suspicion_ : array of shape (n,)
        (1 + p' - p) / 2, p being the probability of the label and p' that of the most probable
        other class, by ``predict_proba`` on the training rows. A score from 0 to 1, not a
        probability: the model has seen the labels, though a bounded loss lets it disagree.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the most probable class for those, the label itself elsewhere.
    classes_ : array of shape (K,)
        The distinct labels.
    objective_ : array of shape ``(n_iter_ + 1,)``
        The objective at the fit of the convex relative, and after each step. It never rises.
    n_iter_ : int
        Number of steps.

    Notes
    -----
    The objective, C times the sum of the losses plus half the squared norm, is not convex,
    so that the descent (L-BFGS) starts from the fit of the loss's convex relative: logistic
    regression, or the squared hinge for the ramp, which is then fitted by turns to the rows below
    the cap (the concave-convex procedure). A softmax over all classes is fitted for the two
    cross-entropies, one score per class against the rest for the others.
    ``predict_proba`` is the softmax of the scores for the two cross-entropies, and for the others
    what the loss is made for (Savage, tangent) or the logistic function of each score against the
    rest, made to sum to one. A bounded loss makes any of them too sure: they rank well, and
    :class:`sklearn.calibration.CalibratedClassifierCV` makes them probabilities.

    References
    ----------
    .. [1] Frénay and Verleysen. Classification in the presence of label noise: a survey. IEEE
       Transactions on Neural Networks and Learning Systems 25, 2014. Section VII-B.
    .. [2] Williams and Seeger. Using the Nyström method to speed up kernel machines. NIPS 2000.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.metrics import roc_auc_score
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import KernelRobustLossClassifier
    >>> X, y = make_moons(1400, noise=0.2, random_state=0)
    >>> labels, flipped = flip_labels(y[:400], 0.3, random_state=0)
    >>> model = KernelRobustLossClassifier().fit(X[:400], labels)
    >>> round(model.score(X[400:], y[400:]), 2), round(roc_auc_score(flipped, model.suspicion_), 2)
    (0.96, 0.99)
    """

    def __init__(
        self,
        loss: Any = "generalized_cross_entropy",
        *,
        C: float = 3.0,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        n_components: int = 500,
        max_iter: int = 1000,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _make_features(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.gamma_ = _check_gamma(self.gamma, X, weights)
        spanning = np.flatnonzero(weights)
        size = check_count("n_components", self.n_components)
        if len(spanning) > size:
            random = check_random_state(self.random_state)
            spanning = np.sort(random.choice(spanning, size, replace=False))
        self.components_ = X[spanning]
        self._map = _compute_whitening(self._gram(self.components_))
        Z = self._gram(X) @ self._map
        return Z, np.ones(Z.shape[1])

    def _keep(self, beta: np.ndarray) -> None:
        self.dual_coef_ = beta[:, 1:] @ self._map.T
        self.intercept_ = beta[:, 0]
        del self._map  # as large as the kernel, and of no more use

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return map_blocks(
            lambda rows: self._gram(X[rows]) @ self.dual_coef_.T + self.intercept_,
            blocks(len(X), BATCH, width=len(self.components_)),
        )

    def _gram(self, X: np.ndarray) -> np.ndarray:
        if callable(self.kernel):
            return np.asarray(self.kernel(X, self.components_))
        return pairwise_kernels(
            X, self.components_, metric=self.kernel, filter_params=True, gamma=self.gamma_
        )


def _compute_whitening(K: np.ndarray) -> np.ndarray:
    """The matrix W that makes features K W of a kernel K, so that their inner products are K."""
    values, vectors = eigh(K)
    kept = values > FLAT * values[-1]
    return vectors[:, kept] / np.sqrt(values[kept])


def _check_gamma(gamma: Any, X: np.ndarray, weights: np.ndarray) -> float:
    if not isinstance(gamma, str):
        return check_positive("gamma", gamma, otherwise=', or "scale" or "auto"')
    if check_choice("gamma", gamma, ("scale", "auto")) == "auto":
        return 1 / X.shape[1]
    row_means = X.mean(axis=1)
    mean = np.average(row_means, weights=weights)
    variance = np.average(((X - mean) ** 2).mean(axis=1), weights=weights)
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


# Coefficients (q, 1 + d), intercepts first; the objective at each step; whether it settled.
Descent = tuple[np.ndarray, list[float], bool]


class WeightedRows:
    """Features, label codes, weight of each row (and score), and of each squared coefficient."""

    def __init__(
        self, Z: np.ndarray, codes: np.ndarray, weights: np.ndarray, penalty: np.ndarray
    ) -> None:
        self.Z = Z
        self.codes = codes
        self.weights = weights
        self.penalty = penalty

    def compute_objective(self, loss: Any, beta: np.ndarray) -> float:
        """The sum of weighted losses and half the weighted squared coefficients."""
        losses = self.weights * loss.value(compute_scores(self.Z, beta), self.codes)
        return float(losses.sum() + (self.penalty * beta[:, 1:] ** 2).sum() / 2)

    def compute_gradient(self, loss: Any, beta: np.ndarray) -> np.ndarray:
        """Its derivative by the coefficients."""
        slope = self.weights * loss.slope(compute_scores(self.Z, beta), self.codes)
        return np.column_stack([slope.sum(axis=0), slope.T @ self.Z + self.penalty * beta[:, 1:]])


def fit_scores(
    loss: Any, rows: WeightedRows, n_scores: int, *, max_iter: int, tol: float
) -> Descent:
    """Descend on the sum of weighted losses and half the penalty, from the fit of its relative."""
    zeros = np.zeros((n_scores, rows.Z.shape[1] + 1))
    start, _, _ = descend(loss.convex, rows, zeros, max_iter=max_iter, tol=tol)
    step = _descend_in_turns if hasattr(loss, "counts") else descend
    return step(loss, rows, start, max_iter=max_iter, tol=tol)


def descend(
    loss: Any, rows: WeightedRows, beta: np.ndarray, *, max_iter: int, tol: float
) -> Descent:
    """L-BFGS, with the objective at each of its steps."""
    total = rows.weights.sum()  # so that tol means the same for any number of rows

    def compute_both(theta: np.ndarray) -> tuple[float, np.ndarray]:
        current = theta.reshape(beta.shape)
        slope = rows.compute_gradient(loss, current)
        return rows.compute_objective(loss, current) / total, slope.ravel() / total

    values = [rows.compute_objective(loss, beta)]
    options = {"maxiter": max_iter, "maxfun": 5 * max_iter, "maxcor": 30, "gtol": tol, "ftol": 0}
    found = minimize(
        compute_both,
        beta.ravel(),
        jac=True,
        method="L-BFGS-B",
        options=options,
        callback=lambda intermediate_result: values.append(total * intermediate_result.fun),
    )
    # A line search that fails is at the precision of the objective: as low as it gets.
    return found.x.reshape(beta.shape), values, found.status != 1


def _descend_in_turns(
    loss: Any, rows: WeightedRows, beta: np.ndarray, *, max_iter: int, tol: float
) -> Descent:
    """Fit the convex loss to the rows below the cap, until these are the same as before.

    The concave-convex procedure: with the capped rows at their cap, the convex loss of the others
    is above the objective, and touches it where the last fit ended.
    """
    values = [rows.compute_objective(loss, beta)]
    before = None
    for _ in range(max_iter):
        counted = loss.counts(compute_scores(rows.Z, beta), rows.codes)
        if before is not None and np.array_equal(counted, before):
            return beta, values, True
        below = WeightedRows(rows.Z, rows.codes, rows.weights * counted, rows.penalty)
        beta, _, _ = descend(loss.convex, below, beta, max_iter=max_iter, tol=tol)
        values.append(rows.compute_objective(loss, beta))
        before = counted
    return beta, values, False
