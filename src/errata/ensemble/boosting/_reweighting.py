"""The loop of AdaBoost and its relatives: fit, weigh by the error, give wrong rows more weight."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..._kernels import kernels
from ..._warn import warn_user
from ._base import BoostedClassifier
from ._base_learners import BaseLearner, constant_base
from ._decision import FittedBase, Term

PERFECT = 1e-12  # an error this small is none


class Round(NamedTuple):
    """A base estimator, its weight in the decision (alpha) and weighted error (epsilon)."""

    base: FittedBase
    alpha: float
    error: float


class Distribution:
    """Weights of rows that sum to one, as AdaBoost moves them."""

    def __init__(self, start: np.ndarray, codes: np.ndarray) -> None:
        self.start, self.codes = start, codes
        with np.errstate(divide="ignore"):  # no weight stays none
            # Weights are kept as logarithms: products over hundreds of rounds overflow.
            self.logarithms = np.log(start)

    def after(self, outputs: np.ndarray, step: float) -> np.ndarray | None:
        """The weights once the logarithms of wrong rows have grown by ``step``; None to stop."""
        return self._grown(outputs, step)

    def _grown(self, outputs: np.ndarray, step: float) -> np.ndarray:
        return kernels("trees").reweigh(self.logarithms, outputs, self.codes, step)


class ReweightingBooster(BoostedClassifier):
    """A booster whose base classifiers vote, and whose rows gain weight where these are wrong.

    A subclass says how much a vote counts (``_alpha``), up to which error it is worth having
    (``_largest_error``), what becomes of a vote without error (``_perfect``), and, if it is not
    AdaBoost's, how the weights move (``_distribution``).
    """

    def _boost(self, learner: BaseLearner, codes: np.ndarray, weights: np.ndarray) -> list[Term]:
        n_classes = len(self.classes_)
        rounds = list(self._rounds(learner, self._distribution(weights, codes)))
        if not rounds:
            warn_user(
                "The first base estimator is no better than guessing; "
                "predicting the commonest class.",
            )
            counts = np.bincount(codes, weights, n_classes)
            commonest = constant_base(int(counts.argmax()), codes)
            rounds = [Round(commonest, 1.0, 1 - float(counts.max()))]
        self.estimator_weights_ = np.array([alpha for _, alpha, _ in rounds])
        self.estimator_errors_ = np.array([error for _, _, error in rounds])
        # Two classes need one column, in which they pull against each other.
        table = np.array([[-1.0], [1.0]]) if n_classes == 2 else np.eye(n_classes)
        return [Term(r.base.estimator, r.alpha * table, t, r.alpha) for t, r in enumerate(rounds)]

    def _rounds(self, learner: BaseLearner, distribution: Distribution) -> Iterator[Round]:
        codes, n_classes = distribution.codes, len(self.classes_)
        misfit = kernels("trees").misfit
        weights = distribution.start
        for t in range(self.n_estimators):
            base = learner.classify(codes, n_classes, weights)
            error = misfit(base.outputs, codes, weights)
            # Up to rounding: a digit below guessing, alphas of nearly 0 would fill all rounds.
            if error >= self._largest_error() * (1 - PERFECT):
                if t == 0 and error < (1 - 1 / n_classes) * (1 - PERFECT):
                    yield self._only_vote(base, error)
                return
            if error <= PERFECT:
                yield from self._perfect(base, error, t)
                return
            alpha = self._alpha(error, t)
            yield Round(base, alpha, error)
            moved = distribution.after(base.outputs, self._step(alpha))
            if moved is None:
                return
            weights = moved

    def _distribution(self, start: np.ndarray, codes: np.ndarray) -> Distribution:
        return Distribution(start, codes)

    def _alpha(self, error: float, t: int) -> float:
        """Weight in the decision of the base estimator of round ``t``, the first being 0."""
        return samme_weight(error, len(self.classes_))

    def _largest_error(self) -> float:
        """A base estimator with this error is worth nothing."""
        return 1 - 1 / len(self.classes_)

    def _perfect(self, base: FittedBase, error: float, t: int) -> Iterator[Round]:
        """The last round, if any, once a base estimator makes no error."""
        raise NotImplementedError

    def _step(self, alpha: float) -> float:
        # With two classes alpha is half of SAMME's, and right rows lose what wrong ones gain.
        return 2 * alpha if len(self.classes_) == 2 else alpha

    def _only_vote(self, base: FittedBase, error: float) -> Round:
        warn_user(
            f"The first base estimator has a weighted error of {error:.2f}, too much to boost; it "
            "stays the only one. Deeper trees (max_depth) may do better."
        )
        return Round(base, 1.0, error)


def samme_weight(error: float, n_classes: int) -> float:
    """alpha: the weight of a base estimator with this weighted error in the decision."""
    odds = np.log((1 - error) / error)
    return float(0.5 * odds if n_classes == 2 else odds + np.log(n_classes - 1))
