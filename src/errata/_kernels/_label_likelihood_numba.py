"""How likely labels are under a noise hypothesis, and where it gets better. Compiled."""

import numpy as np

from ._elementary_numba import compiled, inner, log_of
from ._judged_rows_numba import score

PIECE = 128


@compiled
def label_likelihood(logs, to_label, slope, offsets):
    """As the plain twin; sums are made of partial sums over every so-many-th row."""
    k, n = logs.shape
    part, sums = np.empty((k, PIECE)), np.empty((2, PIECE))
    total, by_slope, by_offset = np.empty(PIECE), np.zeros(PIECE), np.zeros((k, PIECE))
    likelihood = np.zeros(PIECE)
    for start in range(0, n, PIECE):
        size = min(PIECE, n - start)
        rows = slice(start, start + size)
        score(logs[:, rows], slope, offsets, size, part, sums[0])
        _sum_up(part, to_label[:, rows], size, sums[1], total)
        for r in range(size):
            likelihood[r] += log_of(total[r] / sums[1, r])
        for r in range(size):
            total[r], sums[1, r] = 1 / total[r], 1 / sums[1, r]
        for c in range(k):
            _pull(part[c], to_label[c, rows], total, sums[1], size)
            _collect(part[c], logs[c, rows], size, by_slope, by_offset[c])
    gradient = np.empty(k)
    for c in range(k):
        gradient[c] = by_offset[c].sum()
    return likelihood.sum(), slope * by_slope.sum(), gradient


@inner
def _sum_up(part, to_label, size, before, total):
    """Sums over the classes without the label and with it."""
    before[:] = 0
    total[:] = 0
    for c in range(len(part)):
        p, to = part[c], to_label[c]
        for r in range(size):
            before[r] += p[r]
        for r in range(size):
            total[r] += p[r] * to[r]


@inner
def _pull(p, to_label, with_label, before, size):
    """What the label adds to the probability of a class, in place."""
    for r in range(size):
        p[r] *= to_label[r] * with_label[r] - before[r]


@inner
def _collect(pull, logs, size, by_slope, by_offset):
    for r in range(size):
        by_slope[r] += pull[r] * logs[r]
    for r in range(size):
        by_offset[r] += pull[r]
