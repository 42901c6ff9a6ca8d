"""The expectations of a step: sums over sequences, whatever blocks they come in."""

from operator import add
from typing import NamedTuple

import numpy as np

from .._blocks import reduce_blocks
from .._kernels import kernels
from ._inputs import Sequences
from ._parameters import Chain, Densities, Parameters, densities_of


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


def tally_hidden(sequences: Sequences, parameters: Parameters, scaled: bool) -> Tally:
    """Expectations when classes are hidden, given samples and labels."""
    chain, densities = parameters.chain, densities_of(parameters.mixtures)
    return reduce_blocks(
        _hidden_block, sequences.blocks(), sequences, chain, densities, scaled, merge=add_tallies
    )


def tally_labelled(sequences: Sequences, parameters: Parameters, pairs: np.ndarray) -> Tally:
    """Counts when labels are the classes; samples without a label do not count.

    ``pairs`` are the transitions that the likelihood is that of.
    """
    chain, densities = parameters.chain, densities_of(parameters.mixtures)
    tally = reduce_blocks(
        _labelled_block, sequences.blocks(), sequences, chain, densities, merge=add_tallies
    )
    seen, begun = pairs > 0, tally.first > 0
    log_chain = pairs[seen] @ np.log(chain.transitions[seen])
    log_chain += tally.first[begun] @ np.log(chain.start[begun])
    return tally._replace(log_likelihood=log_chain + tally.log_density.sum(), transitions=pairs)


def state_posteriors(
    sequences: Sequences, chain: Chain, log_densities: np.ndarray, scaled: bool, offset: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Posteriors (n, K), expected transitions and log-likelihoods of sequences.

    ``offset`` is the row of all rows at which these begin, for the sentence about what cannot be.
    """
    gamma, xi, log_likelihoods, stuck = kernels("hmm_chain").posteriors(
        log_densities, *chain_arguments(sequences, chain), scaled
    )
    if stuck >= 0:
        raise_impossible(sequences, stuck, offset)
    return gamma, xi, log_likelihoods


def chain_arguments(sequences: Sequences, chain: Chain) -> tuple[np.ndarray, ...]:
    """What the loops over a chain are given besides the densities."""
    return sequences.codes, sequences.ends, chain.log_labels, chain.start, chain.transitions


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


def _hidden_block(
    rows: slice, sequences: Sequences, chain: Chain, densities: Densities, scaled: bool
) -> Tally:
    loops, part = kernels("hmm_emissions"), sequences.of(rows)
    log_densities = loops.log_densities(part.X, *densities)
    gamma, xi, log_likelihoods = state_posteriors(part, chain, log_densities, scaled, rows.start)
    del log_densities
    return Tally(
        log_likelihoods.sum(),
        gamma[part.starts].sum(axis=0),
        xi,
        _label_counts(gamma, part.codes),
        *loops.mixture_moments(part.X, gamma, *densities),
    )


def _labelled_block(rows: slice, sequences: Sequences, chain: Chain, densities: Densities) -> Tally:
    part, n_classes = sequences.of(rows), len(chain.start)
    gamma = np.vstack([np.eye(n_classes), np.zeros(n_classes)])[part.codes]
    return Tally(
        0.0,
        gamma[part.starts].sum(axis=0),
        np.zeros((n_classes, n_classes)),
        np.diag(gamma.sum(axis=0)),
        *kernels("hmm_emissions").mixture_moments(part.X, gamma, *densities),
    )


def _label_counts(gamma: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How often each class comes with each label; those that are missing, first, are left out."""
    bins = gamma.shape[1] + 1
    return np.array([np.bincount(codes + 1, column, bins)[1:] for column in gamma.T])
