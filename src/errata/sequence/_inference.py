"""What a model says of sequences: likeliest paths, posteriors of classes, likelihoods."""

import numpy as np

from .._blocks import map_blocks
from .._kernels import kernels
from ._inputs import Sequences
from ._parameters import Chain, Densities
from ._statistics import chain_arguments, state_posteriors


def best_states(
    sequences: Sequences, chain: Chain, densities: Densities
) -> tuple[float, np.ndarray]:
    """Log-density and class codes of the likeliest path through all sequences."""
    total, paths = 0.0, list[np.ndarray]()
    for rows in sequences.blocks():
        part = sequences.of(rows)
        log_densities = kernels("hmm_emissions").log_densities(part.X, *densities)
        codes, found = kernels("hmm_chain").best_paths(log_densities, *chain_arguments(part, chain))
        if found.min() == -np.inf:
            state_posteriors(part, chain, log_densities, False, rows.start)  # says where
        total += found.sum()
        paths.append(codes)
    return float(total), np.concatenate(paths)


def class_posteriors(
    sequences: Sequences, chain: Chain, densities: Densities, scaled: bool
) -> np.ndarray:
    """P(class | sequence), and its labels if it has any, at each time."""
    return map_blocks(
        lambda rows: _posteriors(rows, sequences, chain, densities, scaled)[0], sequences.blocks()
    )


def sequence_likelihoods(
    sequences: Sequences, chain: Chain, densities: Densities, scaled: bool
) -> np.ndarray:
    """Log-density of each sequence."""
    return map_blocks(
        lambda rows: _posteriors(rows, sequences, chain, densities, scaled)[2], sequences.blocks()
    )


def _posteriors(
    rows: slice, sequences: Sequences, chain: Chain, densities: Densities, scaled: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    part = sequences.of(rows)
    log_densities = kernels("hmm_emissions").log_densities(part.X, *densities)
    return state_posteriors(part, chain, log_densities, scaled, rows.start)
