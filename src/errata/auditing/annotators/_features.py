"""What is known of an item before any vote: how frequent classes are, and what its columns say."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._settings import (
    FEATURE_FLOORS,
    FEATURE_WEIGHTS,
    FIRST_STEPS,
    LATER_STEPS,
    SMALLEST_PROBABILITY,
)


class Heard(NamedTuple):
    """What models say of the items."""

    proba: np.ndarray  # (N, K), out of fold
    models: list[dict[str, Any]]  # name, weight, agreement
    has_skill: bool  # whether the columns tell the classes apart


def is_chosen_in(step: int) -> bool:
    """Whether numbers that are searched for are chosen anew: later they hardly change."""
    return step < FIRST_STEPS or step % LATER_STEPS == 0


@dataclass(frozen=True)
class ByShares:
    """Nothing but how frequent classes are among the majority labels.

    Shares that follow the posterior drift, and rare classes vanish or swell.
    """

    shares: np.ndarray

    def __call__(self, votes: np.ndarray, step: int) -> np.ndarray:
        """Logarithm of the prior, (K,)."""
        return np.log(self.shares)


@dataclass
class ByFeatures:
    """What models say of each item, as far as it makes the votes likely.

    The prior is (1 - e) s^(1 - beta) P^beta + e s, the first part normalised, for shares s and
    probabilities P. Where beta is 0, features say nothing.
    """

    shares: np.ndarray
    proba: np.ndarray
    weight: float = field(default=0.0, init=False)
    floor: float = field(default=0.0, init=False)

    def __call__(self, votes: np.ndarray, step: int) -> np.ndarray:
        """Logarithm of the prior, (N, K), with weight and floor by the likelihood of the votes."""
        if is_chosen_in(step):
            self.weight, self.floor = self._most_likely(votes)
        return np.log(self._mixed(self._powered(self.weight), self.floor))

    def _most_likely(self, votes: np.ndarray) -> tuple[float, float]:
        likelihood = np.exp(votes - votes.max(axis=1, keepdims=True))
        best, chosen = -np.inf, (0.0, 0.0)
        for weight in FEATURE_WEIGHTS:
            powered = self._powered(weight)
            for floor in FEATURE_FLOORS:
                value = np.log((self._mixed(powered, floor) * likelihood).sum(axis=1)).sum()
                if value > best:
                    best, chosen = value, (float(weight), float(floor))
        return chosen

    def _powered(self, weight: float) -> np.ndarray:
        """The shares to some power times what models say to another, normalised."""
        told = np.log(np.maximum(self.proba, SMALLEST_PROBABILITY))
        logs = (1 - weight) * np.log(self.shares) + weight * told
        powered = np.exp(logs - logs.max(axis=1, keepdims=True))
        return powered / powered.sum(axis=1, keepdims=True)

    def _mixed(self, powered: np.ndarray, floor: float) -> np.ndarray:
        return (1 - floor) * powered + floor * self.shares
