"""What base estimators add up to: terms, their sum, and the class it decides on."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from ..._blocks import blocks, map_blocks
from ..._kernels import kernels

ROUNDING = 1e-12  # decisions this small, as a fraction of what they could be, are none
BATCH = 2**22  # numbers held at once when deciding on rows


class CompiledTree(NamedTuple):
    """A small tree as arrays: where its inner nodes cut, and what its leaves predict."""

    features: np.ndarray
    thresholds: np.ndarray
    leaves: np.ndarray


class FittedBase(NamedTuple):
    """A fitted base estimator and its predictions for the training rows: codes or numbers."""

    estimator: Any
    outputs: np.ndarray


class Term(NamedTuple):
    """What a base estimator adds to the decision, and in which round it came in.

    ``values`` (class, q) is looked up by the class that the estimator predicts; one that predicts
    numbers has one row, by which they are multiplied. ``reach`` is the most that the term can do
    for or against a class, as far as training rows tell.
    """

    estimator: Any
    values: np.ndarray
    round: int
    reach: float


def make_term(base: FittedBase, values: np.ndarray, round: int) -> Term:
    """A term of the decision."""
    spread = np.abs(values[:, 0]) if values.shape[1] == 1 else np.ptp(values, axis=1)
    largest = 1.0 if base.outputs.dtype.kind == "i" else np.abs(base.outputs).max()
    return Term(base.estimator, values, round, float(spread.max() * largest))


def preferred(decision: np.ndarray, reach: float | np.ndarray) -> np.ndarray:
    """The code that a decision (n, q) is for: the second of two equals, the first of several.

    Equal up to rounding, which grows with what was added up (at most ``reach``) and not with what
    it comes to. Else the order of rows would decide ties, and after a round of boosting they are
    common.
    """
    rounding = ROUNDING * reach
    if decision.shape[1] == 1:
        # sign(0) = +1, as in Martinez and Gray.
        return (decision[:, 0] >= -rounding).astype(int)
    enough = decision.max(axis=1) - rounding
    return (decision >= enough[:, None]).argmax(axis=1)


def advantage(decision: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """By how much a decision (n, q) prefers the given class to the best of the others."""
    if decision.shape[1] == 1:
        return np.where(codes == 1, decision[:, 0], -decision[:, 0])
    own = codes[:, None] == np.arange(decision.shape[1])
    others = np.where(own, -np.inf, decision).max(axis=1)
    return decision[own] - others


def averaging_factors(terms: Sequence[Term]) -> np.ndarray:
    """Factors by which terms add up to the mean, over all rounds, of decision over reach.

    Early rounds have not yet memorised the wrong labels, which makes them better judges.
    """
    rounds = np.array([term.round for term in terms])
    reach = np.bincount(rounds, [term.reach for term in terms]).cumsum()
    fraction = np.divide(1.0, reach, out=np.zeros(len(reach)), where=reach > 0) / len(reach)
    later = fraction[::-1].cumsum()[::-1]  # a term is part of the decision from its round on
    return later[rounds]


def add_up(terms: Sequence[Term], X: np.ndarray, factors: np.ndarray | None = None) -> np.ndarray:
    """Sum of what the terms add for each row, times factors: the decision, an array (n, q)."""
    factors = np.ones(len(terms)) if factors is None else factors
    sizes = np.array([_n_inner_nodes(term) for term in terms])
    # A booster that gives up on a class has a constant stump among its terms, of whatever kind.
    parts = [
        _add_up_alike([t for t in terms if _n_inner_nodes(t) == size], X, factors[sizes == size])
        for size in set(sizes.tolist())
    ]
    return parts[0] if len(parts) == 1 else np.sum(parts, axis=0)


def running_sums(terms: Sequence[Term], X: np.ndarray) -> Iterator[np.ndarray]:
    """The decision after one round, after two, and so on."""
    terms = sorted(terms, key=lambda term: term.round)
    ends = np.bincount([term.round for term in terms]).cumsum()
    sizes = {_n_inner_nodes(term) for term in terms}
    if len(sizes) == 1 and 0 not in sizes:
        # Stacked and transposed once; ``add_up`` would do so again for every round.
        trees, columns = _stack(terms), np.ascontiguousarray(X.T)
        decide = kernels("trees").decide
        parts = (decide(columns, *(part[a:b] for part in trees)) for a, b in pairwise([0, *ends]))
    else:
        parts = (add_up(terms[a:b], X) for a, b in pairwise([0, *ends]))
    return accumulate(parts)


def predict_codes(estimator: Any, X: np.ndarray) -> np.ndarray:
    """The codes of classes that one base estimator predicts."""
    if not isinstance(estimator, CompiledTree):
        return estimator.predict(X)
    # A term whose value for each class is the code of the class adds up to the prediction.
    codes = np.arange(estimator.leaves.max() + 1.0)[:, None]
    return add_up([Term(estimator, codes, 0, 1.0)], X)[:, 0].astype(int)


def _n_inner_nodes(term: Term) -> int:
    """Number of inner nodes of a compiled tree, 0 for other estimators."""
    return len(term.estimator.features) if isinstance(term.estimator, CompiledTree) else 0


def _add_up_alike(terms: Sequence[Term], X: np.ndarray, factors: np.ndarray) -> np.ndarray:
    if not _n_inner_nodes(terms[0]):
        pairs = zip(terms, factors, strict=True)
        return np.sum([factor * _contribution(term, X) for term, factor in pairs], axis=0)
    features, thresholds, values = _stack(terms)
    trees = features, thresholds, values * factors[:, None, None]
    decide = kernels("trees").decide
    return map_blocks(
        lambda rows: decide(np.ascontiguousarray(X[rows].T), *trees),
        blocks(len(X), BATCH, width=X.shape[1]),
    )


def _stack(terms: Sequence[Term]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, thresholds and leaf values of all trees."""
    return (
        np.array([term.estimator.features for term in terms]),
        np.array([term.estimator.thresholds for term in terms]),
        np.array([_leaf_values(term) for term in terms]),
    )


def _leaf_values(term: Term) -> np.ndarray:
    leaves = term.estimator.leaves
    return term.values[leaves] if leaves.dtype.kind == "i" else leaves[:, None] * term.values


def _contribution(term: Term, X: np.ndarray) -> np.ndarray:
    outputs = term.estimator.predict(X)
    return term.values[outputs] if outputs.dtype.kind == "i" else outputs[:, None] * term.values
