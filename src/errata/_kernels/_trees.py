"""Trees: small ones grown for boosting, and rows that walk down grown ones. The plain twin.

A tree of depth D is complete: its ``2**D - 1`` inner nodes lie in one array, the children of node
``i`` at ``2 i + 1`` and ``2 i + 2``, and its ``2**D`` leaves in another. A row goes left where its
value is at most the threshold. A node that cannot be cut has the threshold infinity: all go left.

Rows carry a weight and ``q`` sums: with one, weight times target, a cut minimises the weighted
squared error (Gini impurity, where targets are -1 and 1); with several, the weight in the place of
the row's class, it minimises Gini impurity. ``by_error`` minimises the weighted fraction of errors
instead. Of equally good cuts the first feature wins, then the smallest threshold.

The nodes of all trees lie in one array, the two children of a node side by side at ``child``; a row
goes to the second where its value is above the threshold. A leaf is its own child, and no value is
above its threshold: who is there stays there.

Leaves are numbered from left to right. Each cut has a mask, whose bits are zero for the leaves to
its left: these are out of reach for a row above its threshold. Of the leaves that no cut rules out,
the first is where the row ends. All cuts are looked at, in any order, so nothing has to wait.

.. [1] Lucchese, Nardini, Orlando, Perego, Tonellotto and Venturini. QuickScorer: a fast algorithm
   to rank documents with additive ensembles of regression trees. SIGIR 2015.
"""

from itertools import pairwise

import numpy as np

TIE = 1 + 1e-12  # a later cut must be better by more than rounding

NODE = np.dtype(
    [("child", np.int32), ("feature", np.int32), ("threshold", np.float32), ("leaf", np.int32)]
)

ALL = np.uint32(0xFFFFFFFF)

_NOTHING = (-np.inf, 0, np.inf)  # score, feature, threshold


def grow(columns, order, ranked, sums, weights, depth, by_error):
    """Grow one tree on columns (d, n), the order (d, n) of rows in each, and the sorted columns.

    Returns features, thresholds, the leaf of each row, and the sums (leaf, q) and weights of the
    leaves.
    """

    def cut(rows):
        best = _NOTHING
        for feature, (sorted_rows, x) in enumerate(zip(order, ranked, strict=True)):
            # Slow and plain: the compiled twin keeps the rows of a node side by side instead.
            here = np.isin(sorted_rows, rows)
            sorted_rows = sorted_rows[here]
            x = x[here]
            left = np.cumsum(sums[sorted_rows], axis=0)
            left_weight = np.cumsum(weights[sorted_rows])
            score = _score_cuts(left[:-1], left_weight[:-1], left[-1], left_weight[-1], by_error)
            score = np.where(x[1:] > x[:-1], score, -np.inf)
            place = _find_first_best(score)
            if place is not None and score[place] > best[0] * TIE:
                best = score[place], feature, _choose_between(x[place], x[place + 1])
        return best[1:]

    return _grow(cut, lambda feature: columns[feature], sums, weights, depth)


def grow_binned(bins, edges, sums, weights, depth, by_error):
    """The same on bins (n, d): bin b of a feature holds the values up to its edge b.

    Edges are padded with infinity behind the last.
    """

    def cut(rows):
        best = _NOTHING
        for feature in range(bins.shape[1]):
            held = bins[rows, feature]
            n_bins = edges.shape[1]
            left = np.column_stack(
                [np.bincount(held, column, n_bins).cumsum() for column in sums[rows].T]
            )
            left_weight = np.bincount(held, weights[rows], n_bins).cumsum()
            score = _score_cuts(left[:-1], left_weight[:-1], left[-1], left_weight[-1], by_error)
            filled = np.bincount(held, minlength=n_bins) > 0
            beyond = np.cumsum(filled[::-1])[::-1] > 0  # some row lies in this bin or higher
            score = np.where(filled[:-1] & beyond[1:], score, -np.inf)
            place = _find_first_best(score)
            if place is not None and score[place] > best[0] * TIE:
                best = score[place], feature, edges[feature, place]
        return best[1:]

    def values(feature):
        return edges[feature, bins[:, feature]]

    return _grow(cut, values, sums, weights, depth)


def make_class_sums(codes, weights, n_classes):
    """The sums of rows with classes: signed weights for two, a column a class for more."""
    if n_classes == 2:
        return np.where(codes == 1, weights, -weights)[:, None]
    return weights[:, None] * (codes[:, None] == np.arange(n_classes))


def vote(leaf, leaf_sums, leaf_weights, rounding):
    """The heaviest class of each leaf, the second of two equals, the first of several; of rows.

    Equal up to ``rounding`` times the weight of the leaf.
    """
    slack = rounding * leaf_weights
    if leaf_sums.shape[1] == 1:
        leaves = (leaf_sums[:, 0] >= -slack).astype(np.int64)
    else:
        leaves = (leaf_sums >= (leaf_sums.max(axis=1) - slack)[:, None]).argmax(axis=1)
    return leaves, leaves[leaf]


def decide(columns, features, thresholds, values):
    """Sum over the trees of the values (tree, leaf, q) of each row's leaf: an array (n, q)."""
    total = np.zeros((columns.shape[1], values.shape[2]))
    for feature, threshold, value in zip(features, thresholds, values, strict=True):
        total += value[_find_leaves(lambda f: columns[f], feature, threshold, columns.shape[1])]
    return total


def sum_misfit(outputs, codes, weights):
    """Weight of the rows whose output is not their class."""
    return weights[outputs != codes].sum()


def reweigh(logarithms, outputs, codes, step):
    """Add ``step`` to the logarithms of the rows that are wrong; the weights, summing to one."""
    logarithms[outputs != codes] += step
    weights = np.exp(logarithms - logarithms.max())
    return weights / weights.sum()


def _grow(cut, values, sums, weights, depth):
    features = np.zeros(2**depth - 1, dtype=np.int32)
    thresholds = np.full(2**depth - 1, np.inf)
    rows_of = [np.arange(len(weights))]  # of each node, in the order of nodes
    for node in range(2**depth - 1):
        rows = rows_of[node]
        features[node], thresholds[node] = cut(rows) if len(rows) else _NOTHING[1:]
        right = values(features[node])[rows] > thresholds[node]
        rows_of += [rows[~right], rows[right]]
    leaf = _find_leaves(values, features, thresholds, len(weights))
    leaf_sums = np.zeros((2**depth, sums.shape[1]))
    np.add.at(leaf_sums, leaf, sums)
    return features, thresholds, leaf, leaf_sums, np.bincount(leaf, weights, 2**depth)


def _find_leaves(values, features, thresholds, n):
    node = np.zeros(n, dtype=np.intp)
    while node.min() < len(features):
        for inner in np.unique(node):
            rows = np.flatnonzero(node == inner)
            right = values(features[inner])[rows] > thresholds[inner]
            node[rows] = 2 * inner + 1 + right
    return (node - len(features)).astype(np.int32)


def _score_cuts(left, left_weight, total, total_weight, by_error):
    """How good cuts are, from the sums to the left and in all; -inf where a side has no weight."""
    right = total - left
    right_weight = total_weight - left_weight
    both = (left_weight > 0) & (right_weight > 0)
    if by_error:
        score = _sum_right_weight(left) + _sum_right_weight(right)
    else:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # Larger is less squared error: the squares of the targets are the same for all cuts.
            score = (left**2).sum(axis=1) / left_weight + (right**2).sum(axis=1) / right_weight
    return np.where(both, score, -np.inf)


def _sum_right_weight(sums):
    """A measure that grows with the weight of rows given the commonest class."""
    return np.abs(sums[:, 0]) if sums.shape[1] == 1 else sums.max(axis=1)


def _find_first_best(score):
    if len(score) == 0 or np.isneginf(score.max()):
        return None
    return int(np.argmax(score * TIE >= score.max()))


def _choose_between(low, high):
    middle = low / 2 + high / 2  # their difference can overflow
    # Between neighbouring numbers there is none, and rounded up it would send both to the left.
    return middle if middle < high else low


def sum_votes(X, roots, nodes, votes):
    """Sum over the trees of the votes (leaves, K) of each row's leaf: an array (n, K)."""
    total = np.zeros((len(X), votes.shape[1]))
    for root in roots:
        total += votes[nodes["leaf"][_find_ends(X, root, nodes)]]
    return total


def _find_ends(X, root, nodes):
    node = np.full(len(X), root)
    moving = np.arange(len(X))
    while len(moving):
        here = node[moving]
        above = X[moving, nodes["feature"][here]] > nodes["threshold"][here]
        node[moving] = nodes["child"][here] + above
        moving = moving[node[moving] != here]
    return node


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
