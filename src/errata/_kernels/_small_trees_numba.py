"""Trees of 32 leaves at most, of which a row need not be walked down. The compiled twin."""

import numpy as np
from numba import njit

BLOCK = 512  # rows at a time, so that their columns stay in the cache
ALL = np.uint32(0xFFFFFFFF)
# Five bits of the lowest bit times a de Bruijn number, from the 27th on, tell its place among 32.
DE_BRUIJN = 0x077CB531
PLACE = np.empty(32, np.uint8)
PLACE[[(DE_BRUIJN << i >> 27) & 31 for i in range(32)]] = np.arange(32)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_values(columns, starts, features, thresholds, masks, values, n_outputs):
    """As the plain twin."""
    n = columns.shape[1]
    total = np.zeros((n_outputs, n))
    reached = np.empty(BLOCK, np.uint32)
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        for tree in range(len(starts) - 1):
            reached[:size] = ALL
            for cut in range(starts[tree], starts[tree + 1]):
                column = columns[features[cut], start : start + size]
                _rule_out(column, thresholds[cut], masks[cut], reached)
            output = tree % n_outputs
            for i in range(size):
                leaves = np.int64(reached[i])
                place = ((leaves & -leaves) * DE_BRUIJN >> 27) & 31
                total[output, start + i] += values[tree, PLACE[place]]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _rule_out(column, threshold, mask, reached):
    """Eight rows at a time: the loop has no branches and fits wide registers."""
    for i in range(len(column)):
        reached[i] &= mask if column[i] > threshold else ALL
