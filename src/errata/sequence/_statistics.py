"""Parameters of a model, the expectations of a step, and what they make of chain and mixtures."""

from collections.abc import Callable
from operator import add
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from .._blocks import reduce_blocks
from .._format import join_names
from .._kernels import kernels
from ..noise import NoiseModel
from ._inputs import Sequences

LOG_2_PI = float(np.log(2 * np.pi))

EMPTY = 1e-8  # samples below which a component is left as it is
SINGULAR = 1e-10  # of the variance of a feature: less is taken for none

TOO_FEW = 1e-12  # labelled samples below which a class keeps its probabilities


class Tally(NamedTuple):
    """What a maximisation needs to know of the samples; every entry is a sum over sequences."""

    log_likelihood: float
    first: np.ndarray  # (K,): classes of first samples
    transitions: np.ndarray  # (K, K)
    label_counts: np.ndarray  # (K, K): classes together with labels that are known
    counts: np.ndarray  # (K, M): samples of each component
    sums: np.ndarray  # (K, M, d): around the means that they were computed with
    squares: np.ndarray  # (K, M, d, d): the same; lower triangles
    log_density: np.ndarray  # (K,): expected log-density of the samples of each class


def add_tallies(one: Tally, other: Tally) -> Tally:
    """The tally of two blocks."""
    return Tally._make(map(add, one, other))


class Parameters(NamedTuple):
    """Everything that is learnt: classes that follow each other, their labels and mixtures."""

    start: np.ndarray  # (K,): probability of each class in the first sample
    transitions: np.ndarray  # (K, K): rows sum to one
    labels: np.ndarray  # (K, K): P(label | class)
    weights: np.ndarray  # (K, M): of the components of each class
    means: np.ndarray  # (K, M, d)
    covariances: np.ndarray  # (K, M, d, d)

    def unpack_chain(self, sequences: Sequences) -> tuple[np.ndarray, ...]:
        """What the loops over the chain are given besides the densities."""
        with np.errstate(divide="ignore"):  # a missing label, the last, says nothing
            log_labels = np.log(np.column_stack([self.labels, np.ones(len(self.labels))]))
        return sequences.codes, sequences.ends, log_labels, self.start, self.transitions

    def unpack_mixtures(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the loops over samples are given.

        That is (K, M) the log of weight and density at the mean, the means, and (K, M, d, d) the
        inverses of the Cholesky factors of the covariances.
        """
        d = self.means.shape[2]
        roots = np.linalg.cholesky(self.covariances)
        flat = roots.reshape(-1, d, d)
        whitening = np.array([solve_triangular(root, np.eye(d), lower=True) for root in flat])
        log_scale = -np.log(np.diagonal(roots, axis1=2, axis2=3)).sum(axis=2)
        with np.errstate(divide="ignore"):
            offsets = np.log(self.weights) + log_scale - d / 2 * LOG_2_PI
        return offsets, self.means, whitening.reshape(roots.shape)


def tally_hidden(sequences: Sequences, parameters: Parameters, scaled: bool) -> Tally:
    """Expectations when classes are hidden, given samples and labels."""
    densities = parameters.unpack_mixtures()
    return reduce_blocks(
        _tally_hidden_block,
        sequences.blocks(),
        sequences,
        parameters,
        densities,
        scaled,
        merge=add_tallies,
    )


def tally_labelled(sequences: Sequences, parameters: Parameters, pairs: np.ndarray) -> Tally:
    """Counts when labels are the classes; samples without a label do not count.

    ``pairs`` are the transitions that the likelihood is that of.
    """
    densities = parameters.unpack_mixtures()
    n_classes = len(parameters.start)
    tally = reduce_blocks(
        _tally_labelled_block,
        sequences.blocks(),
        sequences,
        n_classes,
        densities,
        merge=add_tallies,
    )
    seen = pairs > 0
    begun = tally.first > 0
    log_chain = pairs[seen] @ np.log(parameters.transitions[seen])
    log_chain += tally.first[begun] @ np.log(parameters.start[begun])
    return tally._replace(log_likelihood=log_chain + tally.log_density.sum(), transitions=pairs)


def compute_state_posteriors(
    sequences: Sequences,
    parameters: Parameters,
    log_densities: np.ndarray,
    scaled: bool,
    offset: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Posteriors (n, K), expected transitions and log-likelihoods of sequences.

    ``offset`` is the row of all rows at which these begin, for the sentence about what cannot be.
    """
    gamma, xi, log_likelihoods, stuck = kernels("hmm").compute_posteriors(
        log_densities, *parameters.unpack_chain(sequences), scaled
    )
    if stuck >= 0:
        raise_impossible(sequences, stuck, offset)
    return gamma, xi, log_likelihoods


def raise_impossible(sequences: Sequences, row: int, offset: int = 0) -> None:
    """Say which sample of which sequence no path of classes can explain."""
    number = int(np.searchsorted(sequences.ends, row, side="right"))
    raise ValueError(
        f"the sequence that begins in row {offset + sequences.starts[number]} cannot be explained "
        f"beyond its sample {row - sequences.starts[number]} (row {offset + row}): no path of "
        "classes reaches it. A transition that is masked or was never seen together with an error "
        "rate of zero, or values of a size that no class has, rule it out; pass p_e above 0, a "
        "transmat_prior, or allow more transitions."
    )


def _tally_hidden_block(
    rows: slice, sequences: Sequences, parameters: Parameters, densities: Any, scaled: bool
) -> Tally:
    loops = kernels("hmm")
    part = sequences.of(rows)
    log_densities = loops.log_densities(part.X, *densities)
    gamma, xi, log_likelihoods = compute_state_posteriors(
        part, parameters, log_densities, scaled, rows.start
    )
    del log_densities
    return Tally(
        log_likelihoods.sum(),
        gamma[part.starts].sum(axis=0),
        xi,
        _label_counts(gamma, part.codes),
        *loops.sum_mixture_moments(part.X, gamma, *densities),
    )


def _tally_labelled_block(
    rows: slice, sequences: Sequences, n_classes: int, densities: Any
) -> Tally:
    part = sequences.of(rows)
    gamma = np.vstack([np.eye(n_classes), np.zeros(n_classes)])[part.codes]
    return Tally(
        0.0,
        gamma[part.starts].sum(axis=0),
        np.zeros((n_classes, n_classes)),
        np.diag(gamma.sum(axis=0)),
        *kernels("hmm").sum_mixture_moments(part.X, gamma, *densities),
    )


def _label_counts(gamma: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How often each class comes with each label; those that are missing, first, are left out."""
    bins = gamma.shape[1] + 1
    return np.array([np.bincount(codes + 1, column, bins)[1:] for column in gamma.T])


def label_shares(sequences: Sequences, n_classes: int, *, first: bool = False) -> np.ndarray:
    """Share of each label among the samples that have one; of the ``first`` samples if asked."""
    codes = sequences.codes[sequences.starts] if first else sequences.codes
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    if not counts.any():  # no first sample has a label
        return label_shares(sequences, n_classes)
    return counts / counts.sum()


def fit_chain(parameters: Parameters, tally: Tally, *, noise: str, learn_start: bool) -> Parameters:
    """The chain that the expectations call for; what is zero stays zero."""
    totals = tally.transitions.sum(axis=1, keepdims=True)
    transitions = np.divide(
        tally.transitions, totals, out=parameters.transitions.copy(), where=totals > 0
    )
    start = tally.first / tally.first.sum() if learn_start else parameters.start
    labels = UPDATES[noise](tally.label_counts, parameters.labels)
    return parameters._replace(start=start, transitions=transitions, labels=labels)


def measure_variances(X: np.ndarray) -> np.ndarray:
    """The variance of each feature, 1 where it is constant: the unit of what is added to it."""
    variances = X.var(axis=0)
    return np.where(variances > 0, variances, 1.0)


def estimate_class_covariances(sequences: Sequences, n_classes: int) -> np.ndarray:
    """Covariance of each class by its labels; the pooled one where a class has too few samples."""
    d = sequences.X.shape[1]
    members = [sequences.X[sequences.codes == c] for c in range(n_classes)]
    scatters = np.array([len(Z) * np.cov(Z.T, bias=True).reshape(d, d) for Z in members])
    sizes = np.array([len(Z) for Z in members])
    pooled = scatters.sum(axis=0) / sizes.sum()
    own = scatters / sizes[:, None, None]
    return np.where((sizes > d)[:, None, None], own, pooled)


def start_covariances(
    covariances: np.ndarray,
    init_scale: float,
    variances: np.ndarray,
    reg_covar: float,
    classes: np.ndarray,
) -> np.ndarray:
    """A small multiple of the covariance of each class, and what keeps it from collapsing."""
    scaled = init_scale * covariances + np.diag(reg_covar * variances)
    singular = [not _is_definite(S, variances) for S in scaled]
    if any(singular):
        raise ValueError(
            f"the covariance of the class {join_names(classes[singular], most=3)} is singular: "
            "columns are constant or repeat others; drop such columns, or raise reg_covar."
        )
    return scaled


def start_mixtures(
    sequences: Sequences, covariances: np.ndarray, n_components: int, seed: np.random.SeedSequence
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Components around samples drawn among those that have the label, without replacement.

    Each sample draws a number, and a class takes the samples with the smallest: so the draw does
    not depend on how classes are named. Few samples are taken again and again.
    """
    draws = np.random.default_rng(seed).random(len(sequences.X))
    k, d = covariances.shape[:2]
    means = np.empty((k, n_components, d))
    for c in range(k):
        members = np.flatnonzero(sequences.codes == c)
        chosen = members[np.argsort(draws[members], kind="stable")[:n_components]]
        means[c] = sequences.X[np.resize(chosen, n_components)]
    weights = np.full((k, n_components), 1 / n_components)
    return weights, means, np.repeat(covariances[:, None], n_components, axis=1)


def fit_mixtures(
    parameters: Parameters, tally: Tally, variances: np.ndarray, reg_covar: float
) -> Parameters:
    """The mixtures that the expectations call for.

    A component that is left without samples, or whose covariance is singular, keeps its shape.
    """
    weights = parameters.weights.copy()
    means = parameters.means.copy()
    covariances = parameters.covariances.copy()
    added = np.diag(reg_covar * variances)
    totals = tally.counts.sum(axis=1)
    filled = totals > EMPTY
    weights[filled] = tally.counts[filled] / totals[filled, None]
    for c, m in np.argwhere(tally.counts >= EMPTY):
        # Moments around the old mean: as it settles, nothing cancels.
        moved = tally.sums[c, m] / tally.counts[c, m]
        lower = tally.squares[c, m] / tally.counts[c, m]
        spread = lower + np.tril(lower, -1).T - np.outer(moved, moved) + added
        if _is_definite(spread, variances):
            means[c, m] += moved
            covariances[c, m] = spread
    return parameters._replace(weights=weights, means=means, covariances=covariances)


def _is_definite(covariance: np.ndarray, variances: np.ndarray) -> bool:
    """Whether each variance, given the features before, is more than rounding leaves."""
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return False
    return bool((np.diag(root) ** 2 > SINGULAR * variances).all())


def _estimate_per_state(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Every class errs at its own rate, towards all other labels alike."""
    total = counts.sum(axis=1)
    rates = np.divide(
        _count_mismatches(counts), total, out=1 - np.diag(labels), where=total >= TOO_FEW
    )
    learnt = NoiseModel.uniform(len(counts), np.clip(rates, 0, 1)).transition
    return np.where((total >= TOO_FEW)[:, None], learnt, labels)


def _estimate_shared(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """All classes err at one rate."""
    if counts.sum() < TOO_FEW:
        return labels
    rate = min(_count_mismatches(counts).sum() / counts.sum(), 1.0)
    return NoiseModel.uniform(len(counts), rate).transition


def _estimate_full(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Every class errs in its own way."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=labels.copy(), where=total >= TOO_FEW)


def _keep_fixed(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """What is known beforehand stays."""
    return labels


# (counts of classes with labels, P(label | class) so far) -> P(label | class)
UPDATES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "per_state": _estimate_per_state,
    "shared": _estimate_shared,
    "full": _estimate_full,
    "fixed": _keep_fixed,
}


def _count_mismatches(counts: np.ndarray) -> np.ndarray:
    # Summed, and not taken as what is left of the whole: rounding would leave less than nothing.
    return (counts * (1 - np.eye(len(counts)))).sum(axis=1)
