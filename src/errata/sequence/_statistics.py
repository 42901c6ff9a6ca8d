"""Parameters of a model, the expectations of a step, and what they make of chain and mixtures."""

from collections.abc import Callable
from operator import add
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from .._blocks import reduce_blocks
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

    def merge(self, other: "Tally") -> "Tally":
        """The tally of the sequences of both."""
        return Tally._make(map(add, self, other))


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
        merge=Tally.merge,
    )


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
        if is_definite(spread, variances):
            means[c, m] += moved
            covariances[c, m] = spread
    return parameters._replace(weights=weights, means=means, covariances=covariances)


def is_definite(covariance: np.ndarray, variances: np.ndarray) -> bool:
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
