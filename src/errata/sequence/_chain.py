"""The chain of states: where it starts by the labels, and what expectations make of it."""

import numpy as np

from ._inputs import Sequences
from ._noise_models import UPDATES
from ._parameters import Chain, plain_chain
from ._statistics import Tally
from ._transitions import transition_probabilities


def label_shares(sequences: Sequences, n_classes: int, *, first: bool = False) -> np.ndarray:
    """Share of each label among the samples that have one; of the ``first`` samples if asked."""
    codes = sequences.codes[sequences.starts] if first else sequences.codes
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    return counts / counts.sum()


def fitted_chain(chain: Chain, tally: Tally, *, noise: str, learn_start: bool) -> Chain:
    """The chain that the expectations call for; what is zero stays zero."""
    totals = tally.transitions.sum(axis=1, keepdims=True)
    transitions = np.divide(
        tally.transitions, totals, out=chain.transitions.copy(), where=totals > 0
    )
    start = tally.first / tally.first.sum() if learn_start else chain.start
    labels = UPDATES[noise](tally.label_counts, chain)
    return chain._replace(start=start, transitions=transitions, labels=labels)


def class_chain(chain: Chain, tally: Tally) -> Chain:
    """The chain of the classes alone, where states say more than the class."""
    k = chain.labels.shape[1]
    if len(chain.classes) == k:
        return chain
    fold = np.eye(k)[:, chain.classes]
    counts = fold @ tally.transitions @ fold.T
    allowed = fold @ chain.transitions @ fold.T > 0
    transitions = transition_probabilities(counts, allowed)
    return plain_chain(fold @ chain.start, transitions, class_labels(chain, tally))


def class_labels(chain: Chain, tally: Tally) -> np.ndarray:
    """P(label | class), shape (K, K): by the chain, or as counted over the states of a class."""
    k = chain.labels.shape[1]
    if len(chain.classes) == k:
        return chain.labels
    counts = np.eye(k)[:, chain.classes] @ tally.label_counts
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=chain.labels[:k].copy(), where=total > 0)
