"""Trees of 32 leaves at most, of which a row need not be walked down [1]_. The plain twin.

Leaves are numbered from left to right. Each cut has a mask, whose bits are zero for the leaves to
its left: these are out of reach for a row above its threshold. Of the leaves that no cut rules out,
the first is where the row ends. All cuts are looked at, in any order, so nothing has to wait.

.. [1] Lucchese, Nardini, Orlando, Perego, Tonellotto and Venturini. QuickScorer: a fast algorithm
   to rank documents with additive ensembles of regression trees. SIGIR 2015.
"""

from itertools import pairwise

import numpy as np

ALL = np.uint32(0xFFFFFFFF)


def sum_values(columns, starts, features, thresholds, masks, values, n_outputs):
    """Sums of the values (trees, 32) of each row's leaves: an array (n_outputs, n).

    ``columns`` is (d, n); the cuts of tree t are those from ``starts[t]`` to ``starts[t + 1]``. The
    trees belong to the outputs in turn.
    """
    total = np.zeros((n_outputs, columns.shape[1]))
    for tree, (start, stop) in enumerate(pairwise(starts)):
        reached = np.full(columns.shape[1], ALL)
        for cut in range(start, stop):
            reached &= np.where(columns[features[cut]] > thresholds[cut], masks[cut], ALL)
        bits = (reached[:, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
        total[tree % n_outputs] += values[tree, bits.argmax(axis=1)]
    return total
