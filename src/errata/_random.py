"""The one way to seed what others draw with.

Two rules, both scikit-learn's. Clones of one estimator in an ensemble would all draw the same, so
each gets seeds from the ensemble's generator, whatever was set before (:func:`clone_with_seed`).
The members of a committee that a user configured keep the seeds that were set, and only open ones
are drawn (:func:`clone_keeping_seeds`).
"""

from collections.abc import Iterable
from typing import Any

from sklearn.base import clone
from sklearn.utils import check_random_state

LARGEST_SEED = 2**31 - 1  # fits a signed integer of 32 bits, whatever reads it


def draw_seed(random_state: Any) -> int:
    """One seed from a ``random_state`` of any kind."""
    return int(check_random_state(random_state).randint(LARGEST_SEED))


def draw_seeds(random_state: Any, n: int) -> list[int]:
    """``n`` seeds from a ``random_state`` of any kind, the same as one after the other."""
    return check_random_state(random_state).randint(LARGEST_SEED, size=n).tolist()


def clone_with_seed(estimator: Any, random_state: Any) -> Any:
    """A clone whose every ``random_state``, nested ones included, is drawn anew."""
    copied = clone(estimator)
    return _draw_random_states(copied, _find_random_states(copied), random_state)


def clone_keeping_seeds(estimator: Any, random_state: Any) -> Any:
    """A clone that keeps the seeds it has; every ``random_state`` that is None is drawn."""
    copied = clone(estimator)
    states = _find_random_states(copied)
    return _draw_random_states(
        copied, [name for name in states if states[name] is None], random_state
    )


def set_seed(estimator: Any, seed: int) -> Any:
    """The unfitted estimator itself, its randomness fixed: it gets the seed, its parts others."""
    names = sorted(_find_random_states(estimator), key=lambda name: (name.count("__"), name))
    seeds = [seed, *draw_seeds(seed, max(0, len(names) - 1))]
    return estimator.set_params(**dict(zip(names, seeds, strict=False)))


def _find_random_states(estimator: Any) -> dict[str, Any]:
    """Every ``random_state``, nested ones included, in the order in which they are drawn.

    Sorted by name, so that draws do not depend on the order in which parts were put together.
    """
    params = estimator.get_params()
    names = sorted(name for name in params if name.rpartition("__")[2] == "random_state")
    return {name: params[name] for name in names}


def _draw_random_states(estimator: Any, names: Iterable[str], random_state: Any) -> Any:
    names = list(names)
    return estimator.set_params(
        **dict(zip(names, draw_seeds(random_state, len(names)), strict=True))
    )
