"""Bags: rows drawn with replacement, such that there are two classes to tell apart."""

from collections.abc import Callable

import numpy as np

REDRAWS = 100  # attempts to draw a bag with more than one class

Draw = Callable[[tuple[int, int]], np.ndarray]


def draw_bags(
    draw: Draw,
    shape: tuple[int, int],
    p: np.ndarray,
    codes: np.ndarray,
    random: np.random.RandomState,
) -> np.ndarray:
    """Rows of each bag, (bag, size), as ``draw`` gives them with probabilities ``p``.

    Bags of one class are drawn again, but not for ever: where that does not help, other classes are
    so rare that a bag with any of their rows would nearly always hold one, and it gets one. Bags
    stay as they are where ``p`` leaves one class only, or a bag has one row.
    """
    bags = draw(shape)
    if shape[1] == 1 or of_one_class(codes[p > 0]):
        return bags
    for _ in range(REDRAWS):
        poor = of_one_class(codes[bags])
        if not poor.any():
            return bags
        # The poor ones alone: with many bags, hardly any set of them all would do at once.
        bags[poor] = draw((int(poor.sum()), shape[1]))
    for i in np.flatnonzero(of_one_class(codes[bags])):
        # By its weight and in any place, which is nearly what drawing on for ever would give.
        others = np.where(codes == codes[bags[i, 0]], 0.0, p)
        bags[i, random.randint(shape[1])] = random.choice(len(p), p=others / others.sum())
    return bags


def of_one_class(codes: np.ndarray) -> np.ndarray:
    """Whether the codes along the last axis are all the same."""
    return (codes == codes[..., :1]).all(axis=-1)


def uniformly(n: int, random: np.random.RandomState) -> Draw:
    """Draw rows uniformly at random."""
    return lambda shape: random.randint(n, size=shape)


def by_weight(p: np.ndarray, random: np.random.RandomState) -> Draw:
    """Draw rows with the probabilities ``p``."""
    cumulative = np.cumsum(p)
    cumulative /= cumulative[-1]  # rounding may leave the sum below 1, and draws beyond it
    # To the right, so that a row of weight 0, which takes up no room, is never hit.
    return lambda shape: np.searchsorted(cumulative, random.random_sample(shape), side="right")
