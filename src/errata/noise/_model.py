"""The noise model: how often a class is labelled as another, and how common the classes are."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._validation import check_count, check_fraction, check_labels, check_prior, check_transition
from ._inject import flip_labels

# Beyond this condition number a solution of T' prior = label_prior is mostly rounding error.
_SINGULAR = 1e10


class NoiseModel:
    """How labels come from classes: ``transition[c, l] = P(label = l | class = c)``.

    Use it to describe noise before injecting it (:meth:`uniform`, :meth:`pairwise`,
    :meth:`cyclic`, or any matrix), to inject it (:func:`flip_labels` takes a model), and to undo
    its effect on class priors and confusion matrices. It describes noise that depends on the class
    at most (NCAR and NAR); noise that depends on the features needs :func:`flip_labels` with
    ``flip_proba``.

    Parameters
    ----------
    transition : array-like of shape (n_classes, n_classes)
        Rows are classes, columns are labels, every row sums to one. (cleanlab's ``noise_matrix``
        is the transpose.)
    prior : array-like of shape (n_classes,), optional
        Fraction of each class, normalised here. Needed by whatever depends on how common classes
        are.
    classes : sequence, optional
        Names of the classes in the order of the rows; when not given, the rows stand for the sorted
        labels of whatever the model is applied to.

    Attributes
    ----------
    transition, prior, classes : arrays
        As given, checked; the last two are None when they were not given.

    Examples
    --------
    >>> model = NoiseModel([[0.95, 0.05], [0.05, 0.95]], prior=[0.1, 0.9])
    >>> model.label_prior                 # a tenth of the rows becomes a seventh of the labels
    array([0.14, 0.86])
    >>> model.correct_prior([0.14, 0.86])
    array([0.1, 0.9])
    >>> round(model.error_rate, 3)
    0.05
    """

    def __init__(self, transition: Any, prior: Any = None, classes: Any = None) -> None:
        self.transition = check_transition(transition)
        self.prior = None if prior is None else check_prior(prior, len(self.transition))
        self.classes = None if classes is None else np.asarray(classes)
        if self.classes is not None:
            self._check_classes(self.classes)

    def _check_classes(self, classes: np.ndarray) -> None:
        k = len(self.transition)
        if classes.shape != (k,):
            raise ValueError(f"classes names {classes.size} classes, but transition has {k} rows.")
        if len(set(classes.tolist())) < k:
            raise ValueError("classes names a class twice.")

    def __repr__(self) -> str:
        rates = self.error_rates
        return (
            f"NoiseModel({len(rates)} classes, "
            f"error rates from {rates.min():.3g} to {rates.max():.3g})"
        )

    @classmethod
    def uniform(cls, n_classes: int, rate: Any, **names: Any) -> "NoiseModel":
        """Each class errs with ``rate`` (one, or one per class), towards all others equally."""
        k = check_count("n_classes", n_classes, low=2)
        if np.ndim(rate) and np.shape(rate) != (k,):
            raise ValueError(f"rate must be one number, or one for each of the {k} classes.")
        rates = np.array([check_fraction("rate", r) for r in np.broadcast_to(rate, k).tolist()])
        spread = np.repeat(rates[:, None] / (k - 1), k, axis=1)
        np.fill_diagonal(spread, 1 - rates)
        return cls(spread, **names)

    @classmethod
    def pairwise(
        cls, n_classes: int, pairs: Iterable[tuple[int, int]], rate: float, **names: Any
    ) -> "NoiseModel":
        """Only the listed pairs of classes are confused, both ways, with ``rate``."""
        k = check_count("n_classes", n_classes, low=2)
        rate = check_fraction("rate", rate)
        transition = np.zeros((k, k))
        for a, b in pairs:
            if a == b or not (0 <= a < k and 0 <= b < k):
                raise ValueError(
                    f"pair ({a}, {b}) must name two different classes from 0 to {k - 1}."
                )
            transition[a, b] = transition[b, a] = rate
        return cls(_fill_diagonal(transition), **names)

    @classmethod
    def cyclic(cls, n_classes: int, rate: float, **names: Any) -> "NoiseModel":
        """Each class is taken for the next one, the last for the first, with ``rate``."""
        k = check_count("n_classes", n_classes, low=2)
        rate = check_fraction("rate", rate)
        return cls(_fill_diagonal(rate * np.roll(np.eye(k), 1, axis=1)), **names)

    @classmethod
    def from_pairs(cls, true: Any, labels: Any) -> "NoiseModel":
        """Count how the ``labels`` of rows relate to their ``true`` classes, where both are known.

        A class with no row keeps its label: nothing was seen to go wrong.
        """
        true = np.asarray(true)
        labels = np.asarray(labels)
        if true.shape != labels.shape:
            raise ValueError(
                f"true has shape {true.shape}, labels {labels.shape}; they must agree."
            )
        classes, codes = check_labels(np.concatenate([true, labels]), name="true and labels")
        k = len(classes)
        counts = np.bincount(codes[: len(true)] * k + codes[len(true) :], minlength=k * k)
        counts = counts.reshape(k, k).astype(float)
        prior = counts.sum(axis=1)
        counts[prior == 0] = np.eye(k)[prior == 0]
        return cls(counts / counts.sum(axis=1, keepdims=True), prior=prior, classes=classes)

    @property
    def error_rates(self) -> np.ndarray:
        """P(label differs from class | class), one per class."""
        return 1 - np.diag(self.transition)

    @property
    def error_rate(self) -> float:
        """P(label differs from class), over all classes."""
        return float(self._get_prior() @ self.error_rates)

    @property
    def joint(self) -> np.ndarray:
        """P(class = c and label = l); the entries sum to one."""
        return self._get_prior()[:, None] * self.transition

    @property
    def label_prior(self) -> np.ndarray:
        """P(label = l): how common the classes are by their labels."""
        return self._get_prior() @ self.transition

    @property
    def class_given_label(self) -> np.ndarray:
        """P(class = c | label = l), columns summing to one; nan for a label that never occurs."""
        joint = self.joint
        total = joint.sum(axis=0)
        return np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0)

    @property
    def inverse(self) -> np.ndarray:
        """The inverse of ``transition``, where there is one."""
        if np.linalg.cond(self.transition) > _SINGULAR:
            raise ValueError(
                "the transition matrix has no usable inverse: some classes are labelled alike, "
                "so the labels cannot tell them apart."
            )
        return np.linalg.inv(self.transition)

    def sample(self, y: Any, **how: Any) -> tuple[np.ndarray, np.ndarray]:
        """Noisy labels for the classes ``y`` and the mask of what changed; see flip_labels."""
        return flip_labels(y, transition=self, **how)

    def correct_prior(self, label_prior: Any) -> np.ndarray:
        """Class prior behind the fractions (or counts) of labels seen under this noise.

        Solves ``transition.T @ prior = label_prior``; where the solution is not a distribution, the
        most likely distribution is found by expectation-maximisation instead.
        """
        fractions = check_prior(label_prior, len(self.transition))
        if np.linalg.cond(self.transition) <= _SINGULAR:
            # The labels of a finite sample may have fractions that no prior would give.
            prior = np.linalg.solve(self.transition.T, fractions)
            if prior.min() >= -1e-12:
                return np.clip(prior, 0, None) / np.clip(prior, 0, None).sum()
        return self._most_likely_prior(fractions)

    def correct_confusion(self, confusion: Any, *, clip: bool = False) -> np.ndarray:
        """Counts of (predicted, class) behind counts of (predicted, label).

        Holds when predictions and labels err independently given the class. Small samples may give
        negative counts, which are kept unless ``clip``.
        """
        # In expectation counts of (predicted, label) are those of (predicted, class) times T.
        corrected = np.asarray(confusion, dtype=float) @ self.inverse
        return np.clip(corrected, 0, None) if clip else corrected

    def _get_prior(self) -> np.ndarray:
        if self.prior is None:
            raise ValueError("this needs the class prior; build the model with prior=[...].")
        return self.prior

    def _most_likely_prior(self, fractions: np.ndarray) -> np.ndarray:
        # The proportions of a mixture whose components, the rows of T, are known. EM crawls where
        # a class has next to no prior; a step costs K² operations, so there may be many.
        prior = np.full(len(fractions), 1 / len(fractions))
        for _ in range(100_000):
            expected = prior @ self.transition
            ratio = np.divide(fractions, expected, out=np.zeros_like(fractions), where=expected > 0)
            updated = prior * (self.transition @ ratio)
            updated /= updated.sum()
            if np.abs(updated - prior).max() < 1e-12:
                return updated
            prior = updated
        return prior


def _fill_diagonal(transition: np.ndarray) -> np.ndarray:
    """Fill in P(label = class) so that rows sum to one."""
    kept = 1 - transition.sum(axis=1)
    if kept.min() < -1e-12:
        raise ValueError(
            f"class {int(kept.argmin())} is in so many pairs that its error rate is "
            f"{1 - kept.min():.3g}; lower the rate."
        )
    return transition + np.diag(np.maximum(kept, 0))
