"""Evidence: all witnesses are heard, and what they say is pooled."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ._pool import pool_weights, pooled_logs
from ._witnesses import Case, Witness

Progress = Callable[[str], None]


class Testimony(NamedTuple):
    """What is kept of one witness."""

    name: str
    weight: float  # in the pool
    agreement: float  # share of rows whose label it would have given
    prefers: np.ndarray  # (n,), the code it finds most probable


class Evidence(NamedTuple):
    """Pooled log-probabilities of the labels, shape (K, n), and who said what."""

    logs: np.ndarray
    testimonies: list[Testimony]


def hear(case: Case, witnesses: Sequence[Witness], *, progress: Progress | None = None) -> Evidence:
    """Ask every witness and pool the answers."""
    opinions = []
    for witness in witnesses:
        if progress is not None:
            progress(f"hearing {witness.name}")
        opinions.append(_checked(witness, case))
    weights = pool_weights(opinions, case.codes, np.random.default_rng(case.seed))
    logs, preferred = pooled_logs(opinions, weights)
    testimonies = [
        Testimony(witness.name, float(weight), float(np.mean(prefers == case.codes)), prefers)
        for witness, weight, prefers in zip(witnesses, weights, preferred, strict=True)
    ]
    return Evidence(logs, testimonies)


def _checked(witness: Witness, case: Case) -> np.ndarray:
    opinion = np.asarray(witness.testify(case), dtype=np.float32)
    wanted = (len(case.codes), case.n_classes)
    if opinion.shape != wanted or not (opinion.min() >= 0 and opinion.max() < np.inf):
        raise ValueError(
            f"the witness {witness.name!r} must give probabilities in the shape {wanted}, but gave "
            f"{'other numbers' if opinion.shape == wanted else f'the shape {opinion.shape}'}."
        )
    return opinion
