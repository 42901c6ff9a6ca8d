"""The one block loop: rows are worked on a block at a time, so that memory stays small.

``blocks`` cuts, ``map_blocks`` puts the results of a function on every block under each other,
``reduce_blocks`` adds them up. What every block needs is passed along as it is (broadcast). The
cut depends on the number of rows alone, so that the same sums are made in the same order wherever
the rows are.
"""

from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from typing import Any

import numpy as np


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` rows that cover ``n``, all of about the same length."""
    n_blocks = -(-n // max(1, size))
    return (slice(i * n // n_blocks, (i + 1) * n // n_blocks) for i in range(n_blocks))


def map_blocks(function: Callable[..., np.ndarray], n: int, size: int, *shared: Any) -> np.ndarray:
    """The arrays that ``function(block, *shared)`` gives for all blocks, under each other."""
    return np.concatenate([function(block, *shared) for block in blocks(n, size)])


def reduce_blocks(
    function: Callable[..., Any],
    n: int,
    size: int,
    *shared: Any,
    combine: Callable[[Any, Any], Any] = add,
) -> Any:
    """What ``function(block, *shared)`` gives for all blocks, combined in their order."""
    return reduce(combine, (function(block, *shared) for block in blocks(n, size)))
