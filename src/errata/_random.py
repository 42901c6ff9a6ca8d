"""Clones that draw from one generator: the one way to seed what a user hands us."""

from typing import Any

import numpy as np
from sklearn.base import clone


def seeded_clone(estimator: Any, random: np.random.RandomState) -> Any:
    """A clone whose every ``random_state``, nested ones included, is drawn from ``random``."""
    copied = clone(estimator)
    names = sorted(name for name in copied.get_params() if name.endswith("random_state"))
    return copied.set_params(**{name: random.randint(2**31 - 1) for name in names})
