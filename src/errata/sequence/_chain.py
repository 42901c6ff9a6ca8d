"""The chain of classes: how it starts by the labels, and what expectations make of it."""

import numpy as np

from ._inputs import Sequences
from ._noise_models import UPDATES
from ._parameters import Chain
from ._statistics import Tally


def label_shares(sequences: Sequences, n_classes: int, *, first: bool = False) -> np.ndarray:
    """Share of each label among the samples that have one; of the ``first`` samples if asked."""
    codes = sequences.codes[sequences.starts] if first else sequences.codes
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    if not counts.any():  # no first sample has a label
        return label_shares(sequences, n_classes)
    return counts / counts.sum()


def fitted_chain(chain: Chain, tally: Tally, *, noise: str, learn_start: bool) -> Chain:
    """The chain that the expectations call for; what is zero stays zero."""
    totals = tally.transitions.sum(axis=1, keepdims=True)
    transitions = np.divide(
        tally.transitions, totals, out=chain.transitions.copy(), where=totals > 0
    )
    start = tally.first / tally.first.sum() if learn_start else chain.start
    labels = UPDATES[noise](tally.label_counts, chain.labels)
    return Chain(start, transitions, labels)
