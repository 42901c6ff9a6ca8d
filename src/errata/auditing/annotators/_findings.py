"""What the votes tell, as the rest of the audit takes it."""

from typing import Any, NamedTuple

import numpy as np

from .._noise_rate import NoiseRate


class VoteFindings(NamedTuple):
    """Of N items, W workers and K classes."""

    proba: np.ndarray  # (N, K), posterior of the class
    p_wrong: np.ndarray  # (N,), that the majority label is not the class; 0 without votes
    suspicion: np.ndarray  # (N,), ranks items: p_wrong before it was limited
    workers: list[dict[str, Any]]  # as `_workers.describe_workers` says
    ask: np.ndarray  # (N,), what one more vote would tell, in nats
    noise_rate: NoiseRate  # of the majority labels
    expected_wrong: NoiseRate  # of the consensus: its sum over items is what is still wrong
    vote_weight: float  # t: what each of several votes counts
    kappa_coin: float  # how alike workers are: votes that the common accuracy is worth
    kappa_matrix: float  # the same of a class of a worker
    feature_weight: float | None  # beta; None without features
    shared: np.ndarray  # (K, K), P(vote | class) of an ordinary worker
    has_skill: bool
    notes: list[str]
    models: list[dict[str, Any]]  # name, weight, agreement
    hypotheses: list[tuple[float, np.ndarray]]  # weight, p_wrong (N,) by other vote weights
