"""Weak learners for boosting: small compiled trees, or any estimator of scikit-learn.

A learner holds the training rows and is asked again and again, each time with other weights:
``classify`` for a rule that gives classes, ``regress`` for one that gives numbers. Either way it
answers with a hypothesis: what it says of the training rows and, through :func:`add_up`, of others.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches

from ..._kernels import kernels
from ..._random import seeded_clone

BINNED_FROM = 100_000  # rows; sorting out bins loses little then, and is several times faster
N_BINS = 255
ROUNDING = 1e-12  # decisions this small, as a share of what they could be, are none
BATCH = 2**22  # numbers held at once when deciding on rows


class Hypothesis(NamedTuple):
    """A fitted weak learner and its outputs on the training rows, codes of classes or numbers."""

    member: Any
    outputs: np.ndarray


class Tree(NamedTuple):
    """A small tree: where its inner nodes cut, and what its leaves say."""

    features: np.ndarray
    thresholds: np.ndarray
    leaves: np.ndarray


class Term(NamedTuple):
    """What a member adds to the decision, and in which round it came in.

    ``values`` (class, q) is looked up by the class that the member gives; a member that gives
    numbers has one row, by which they are multiplied. ``reach`` is the most that the term can do
    for or against a class, as far as training rows tell.
    """

    member: Any
    values: np.ndarray
    round: int
    reach: float


def make_term(hypothesis: Hypothesis, values: np.ndarray, round: int) -> Term:
    """A term of the decision."""
    spread = np.abs(values[:, 0]) if values.shape[1] == 1 else np.ptp(values, axis=1)
    outputs = hypothesis.outputs
    largest = 1.0 if outputs.dtype.kind == "i" else np.abs(outputs).max()
    return Term(hypothesis.member, values, round, float(spread.max() * largest))


def constant(code: int, codes: np.ndarray) -> Hypothesis:
    """A rule that always gives the same class."""
    stump = Tree(np.zeros(1, dtype=np.int32), np.full(1, np.inf), np.full(2, code))
    return Hypothesis(stump, np.full_like(codes, code))


def preferred(decision: np.ndarray, reach: float | np.ndarray) -> np.ndarray:
    """The code that a decision (n, q) is for: the second of two equals, the first of several.

    Equal up to rounding, which grows with what was added up (at most ``reach``) and not with what
    it comes to. Else the order of rows would decide ties, and after a round of boosting they are
    common.
    """
    rounding = ROUNDING * reach
    if decision.shape[1] == 1:
        return (decision[:, 0] >= -rounding).astype(int)
    enough = decision.max(axis=1) - rounding
    return (decision >= enough[:, None]).argmax(axis=1)


class Learner(Protocol):
    """Whoever can fit a weak hypothesis to weighted training rows."""

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> Hypothesis:
        """Fit a rule that gives codes of classes."""

    def regress(self, targets: np.ndarray, weights: np.ndarray) -> Hypothesis:
        """Fit a rule that gives numbers, by weighted least squares."""


def make_learner(
    estimator: BaseEstimator | None, X: Any, *, max_depth: int, by_error: bool, random: Any
) -> Learner:
    """Compiled trees, unless there is an estimator."""
    if estimator is None:
        return TreeLearner(X, max_depth, by_error)
    return EstimatorLearner(estimator, X, random)


class TreeLearner:
    """Small trees on columns that are sorted once; on bins of them when there are many rows."""

    def __init__(self, X: np.ndarray, max_depth: int, by_error: bool = False) -> None:
        self.twin = kernels("trees")
        self.table: tuple[np.ndarray, ...]
        self.growth = max_depth, by_error
        if len(X) > BINNED_FROM:
            self.grow, self.table = self.twin.grow_binned, into_bins(X)
        else:
            columns = np.ascontiguousarray(X.T)
            order = np.argsort(columns, axis=1, kind="stable")
            ranked = np.take_along_axis(columns, order, axis=1)
            self.grow, self.table = self.twin.grow, (columns, order.astype(np.uint32), ranked)

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> Hypothesis:
        """A tree whose leaves give the heaviest class; the second of two, the first of several."""
        sums = self.twin.class_sums(codes, weights, n_classes)
        features, thresholds, leaf, total, weight = self.grow(
            *self.table, sums, weights, *self.growth
        )
        leaves, outputs = self.twin.vote(leaf, total, weight, ROUNDING)
        return Hypothesis(Tree(features, thresholds, leaves), outputs)

    def regress(self, targets: np.ndarray, weights: np.ndarray) -> Hypothesis:
        """A tree whose leaves give the weighted mean of the targets."""
        sums = (weights * targets)[:, None]
        features, thresholds, leaf, total, weight = self.grow(
            *self.table, sums, weights, *self.growth
        )
        leaves = np.divide(total[:, 0], weight, out=np.zeros(len(weight)), where=weight > 0)
        return Hypothesis(Tree(features, thresholds, leaves), leaves[leaf])


def into_bins(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bins (n, d) and their upper edges (d, N_BINS), the last of them infinite.

    Values get a bin each where there are few; otherwise bins hold equally many rows, as far as a
    sample of them can tell.
    """
    bins = np.empty(X.shape, dtype=np.uint8)
    edges = np.full((X.shape[1], N_BINS), np.inf)
    sample = X[:: 1 + len(X) // (1000 * N_BINS)]
    for feature in range(X.shape[1]):
        values = np.unique(sample[:, feature])
        if len(values) > N_BINS:
            shares = np.linspace(0, 1, N_BINS + 1)[1:-1]
            cuts = np.unique(np.quantile(sample[:, feature], shares, method="inverted_cdf"))
        else:
            cuts = values[:-1] / 2 + values[1:] / 2  # their difference can overflow
        edges[feature, : len(cuts)] = cuts
        bins[:, feature] = np.searchsorted(cuts, X[:, feature])
    return bins, edges


class EstimatorLearner:
    """Clones of an estimator, each fitted to the rows with its own weights."""

    def __init__(self, estimator: BaseEstimator, X: Any, random: np.random.RandomState) -> None:
        self.estimator, self.X, self.random = estimator, X, random

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> Hypothesis:
        """Fit a classifier."""
        member = self._fit(codes, weights)
        return Hypothesis(member, member.predict(self.X))

    def regress(self, targets: np.ndarray, weights: np.ndarray) -> Hypothesis:
        """Fit a regressor."""
        member = self._fit(targets, weights)
        return Hypothesis(member, member.predict(self.X))

    def _fit(self, targets: np.ndarray, weights: np.ndarray) -> BaseEstimator:
        member = seeded_clone(self.estimator, self.random)
        # Some learners mind the scale of weights: let them be one on average.
        return member.fit(self.X, targets, sample_weight=weights * (len(weights) / weights.sum()))


def add_up(terms: Sequence[Term], X: np.ndarray, factors: np.ndarray | None = None) -> np.ndarray:
    """Sum of what the members say of each row, times factors: the decision, an array (n, q)."""
    factors = np.ones(len(terms)) if factors is None else factors
    sizes = np.array([_size(term) for term in terms])
    # A booster that gives up on a class has a constant stump among its members, of whatever kind.
    parts = [
        _add_up_alike([t for t in terms if _size(t) == size], X, factors[sizes == size])
        for size in set(sizes.tolist())
    ]
    return parts[0] if len(parts) == 1 else np.sum(parts, axis=0)


def _size(term: Term) -> int:
    """Number of inner nodes of a tree, 0 for other members."""
    return len(term.member.features) if isinstance(term.member, Tree) else 0


def _add_up_alike(terms: Sequence[Term], X: np.ndarray, factors: np.ndarray) -> np.ndarray:
    if not _size(terms[0]):
        said = [factor * _say(term, X) for term, factor in zip(terms, factors, strict=True)]
        return np.sum(said, axis=0)
    features, thresholds, values = _stack(terms)
    trees = features, thresholds, values * factors[:, None, None]
    decide = kernels("trees").decide
    decision = np.empty((len(X), terms[0].values.shape[1]))
    for rows in gen_batches(len(X), max(1, BATCH // X.shape[1])):
        decision[rows] = decide(np.ascontiguousarray(X[rows].T), *trees)
    return decision


def running_sums(terms: Sequence[Term], X: np.ndarray) -> Iterator[np.ndarray]:
    """The decision after one round, after two, and so on."""
    terms = sorted(terms, key=lambda term: term.round)
    ends = np.bincount([term.round for term in terms]).cumsum()
    sizes = {_size(term) for term in terms}
    if len(sizes) == 1 and 0 not in sizes:
        trees, columns = _stack(terms), np.ascontiguousarray(X.T)
        decide = kernels("trees").decide
        parts = (decide(columns, *(part[a:b] for part in trees)) for a, b in pairwise([0, *ends]))
    else:
        parts = (add_up(terms[a:b], X) for a, b in pairwise([0, *ends]))
    return accumulate(parts)


def _stack(terms: Sequence[Term]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, thresholds and leaf values of all trees."""
    return (
        np.array([term.member.features for term in terms]),
        np.array([term.member.thresholds for term in terms]),
        np.array([_leaf_values(term) for term in terms]),
    )


def say(member: Any, X: np.ndarray) -> np.ndarray:
    """The codes of classes that one member gives to rows."""
    if not isinstance(member, Tree):
        return member.predict(X)
    codes = np.arange(member.leaves.max() + 1.0)[:, None]
    return add_up([Term(member, codes, 0, 1.0)], X)[:, 0].astype(int)


def _leaf_values(term: Term) -> np.ndarray:
    leaves = term.member.leaves
    return term.values[leaves] if leaves.dtype.kind == "i" else leaves[:, None] * term.values


def _say(term: Term, X: np.ndarray) -> np.ndarray:
    outputs = term.member.predict(X)
    return term.values[outputs] if outputs.dtype.kind == "i" else outputs[:, None] * term.values
