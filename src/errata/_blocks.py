"""The one block loop: rows are worked on a block at a time, so that memory stays small.

A *task* is a function ``task(part, *shared)``: a part is a slice of the rows (:func:`blocks`), or
whatever else stands for some of them; what every part needs is passed along as it is (broadcast).
:func:`map_blocks` puts the arrays that a task gives under each other, :func:`reduce_blocks` merges
what it gives two by two. Tasks are pure and merges associative, so parts may as well be files, and
the loop may run elsewhere. How rows are cut depends on their number alone, so that the same sums
are made in the same order wherever the rows are.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any

import numpy as np

Task = Callable[..., Any]


def blocks(n: int, size: int, *, width: int = 1) -> Iterator[slice]:
    """Slices that cover ``n`` rows, all of about the same length; of no rows, one empty slice.

    Each holds at most ``size`` numbers at ``width`` numbers a row, and one row at least.

    >>> list(blocks(10, 4))
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    >>> list(blocks(10, 4, width=2)) == list(blocks(10, 2))
    True
    """
    rows = max(1, size // max(1, width))
    n_blocks = max(1, -(-n // rows))
    return (slice(i * n // n_blocks, (i + 1) * n // n_blocks) for i in range(n_blocks))


def map_blocks(task: Task, parts: Iterable[Any], *shared: Any) -> np.ndarray:
    """The arrays that ``task(part, *shared)`` gives for all parts, under each other.

    >>> X = np.arange(5.0)
    >>> map_blocks(lambda rows, X, factor: factor * X[rows], blocks(5, 2), X, 10)
    array([ 0., 10., 20., 30., 40.])
    """
    return np.concatenate([task(part, *shared) for part in parts])


def reduce_blocks(
    task: Task, parts: Iterable[Any], *shared: Any, merge: Callable[[Any, Any], Any] = add
) -> Any:
    """The results of ``task(part, *shared)`` for all parts, merged in their order as they come.

    >>> X = np.arange(5.0)
    >>> reduce_blocks(lambda rows, X: X[rows].sum(), blocks(5, 2), X)
    np.float64(10.0)
    """
    return reduce(merge, (task(part, *shared) for part in parts))
