"""Training rows as a model sees them: hidden activations, targets and weights, block by block."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._blocks import blocks
from ._hidden_layer import HiddenLayer

KEPT_BYTES = 2**28


class HiddenBlock(NamedTuple):
    """Some rows: where they are in the table, and what they hold."""

    rows: Any
    hidden: np.ndarray
    target: np.ndarray
    weight: np.ndarray | None


class HiddenRows:
    """All rows of a table, without holding their hidden activations when these are many.

    Up to ``KEPT_BYTES`` (256 MB) of activations are computed once and kept for the next pass; more
    are computed anew in every pass, a block at a time, so that memory stays O(block_size x m).
    The arrays of a block are to be read, not written, and live until the next block.
    """

    def __init__(
        self,
        layer: HiddenLayer,
        X: np.ndarray,
        target: np.ndarray,
        weight: np.ndarray | None = None,
        *,
        block_size: int = 8192,
    ) -> None:
        self.layer, self.X, self.target, self.weight = layer, X, target, weight
        self.block_size = block_size
        self.n, self.m = len(X), len(layer.bias)
        small = 8 * self.n * self.m <= KEPT_BYTES  # then two passes cost one activation
        self._kept = layer(X) if small else None
        self._buffer = np.empty((0 if small else min(block_size, self.n), self.m))

    def blocks(self, rows: np.ndarray | None = None) -> Iterator[HiddenBlock]:
        """The rows named, or all of them, in blocks of about the same size."""
        n = self.n if rows is None else len(rows)
        for block in blocks(n, self.block_size):
            yield self._block(block if rows is None else rows[block], self._buffer)

    def take(self, rows: np.ndarray | None = None) -> HiddenBlock:
        """The rows named, or all of them, at once."""
        return self._block(slice(None) if rows is None else rows)

    def _block(self, rows: Any, buffer: np.ndarray | None = None) -> HiddenBlock:
        if self._kept is not None:
            hidden = self._kept[rows]
        else:
            X = self.X[rows]
            hidden = self.layer(X, out=None if buffer is None else buffer[: len(X)])
        weight = None if self.weight is None else self.weight[rows]
        return HiddenBlock(rows, hidden, self.target[rows], weight)
