"""Forests of classification trees, and what their trees say of rows left out. The plain twin.

A tree is grown on some rows, each so many ``times``, and votes on all others in the same pass. A
node tries features drawn without replacement, ``n_tried`` of them and as many more as it takes to
find one that is not constant. ``extra`` trees draw one threshold for each, uniformly between the
smallest and the largest value there; others look at all. The cut with the least Gini impurity wins,
the first of equals, if it leaves ``min_leaf`` different rows on either side.

Counts are whole numbers, so that no sum depends on the order of its terms. Draws follow from a key:
each tree has its own, and those of two children follow from their parent's. The order in which
nodes are grown does not matter, and the twins grow the same trees to the last bit.

Rows may have several labels: ``codes`` (n, labels) are the places of their classes among the
``n_votes`` numbers of a leaf.

Trees lie one behind the other, the nodes of each level by level, the two children of a node side by
side; a row goes to the second where its value is above the threshold. A leaf is its own child.
"""

import numpy as np

from .._canonical import mix_bits

ENTRIES = 2**20  # numbers that are worked on at once
# Draws from a key: those of the children, then two a feature.
LEFT = 1
RIGHT = 2
FIRST_DRAW = 3


def grow_forest(columns, codes, n_votes, times, keys, n_tried, min_leaf, extra, keep):
    """Grow a tree for each key on columns (d, n) of single precision.

    Parameters
    ----------
    columns, codes, n_votes, n_tried, min_leaf, extra
        See above.
    times : array of shape (trees, n)
        How often each row is in the sample of each tree.
    keys : array of uint64 of shape (trees,)
    keep : bool
        Whether to return the trees.

    Returns
    -------
    outside : array of shape (n, n_votes)
        Sums of the votes on each row by the trees that it was not in.
    trees : tuple of arrays or None
        ``roots, child, feature, threshold, leaf, votes``: where trees begin, and of each node its
        first child, its cut, and the place of its votes (leaves, n_votes); None without ``keep``.
    """
    n = columns.shape[1]
    outside = np.zeros((n, n_votes))
    kept = []
    at_once = max(1, ENTRIES // (n * n_votes))
    for first in range(0, len(keys), at_once):
        block = slice(first, first + at_once)
        trees = _grow_trees(
            columns, codes, n_votes, times[block], keys[block], n_tried, min_leaf, extra
        )
        _vote_outside(columns, times[block], trees, outside)
        if keep:
            kept.append(trees)
    return outside, put_behind_each_other(kept) if keep else None


def _grow_trees(columns, codes, n_votes, times, keys, n_tried, min_leaf, extra):
    """Level by level, the nodes of all trees together; entries are rows in the order of nodes."""
    tree, row = np.nonzero(times)
    node = tree
    weight = times[tree, row].astype(np.int64)
    of_tree = np.arange(len(keys))
    key = keys
    levels = []
    while len(row):
        total = _count(node, codes[row], weight, len(key), n_votes)
        in_all = np.bincount(node, weight, len(key)).astype(np.int64)
        pure = (total**2).sum(axis=1) == codes.shape[1] * in_all**2
        cut_up = np.flatnonzero(~pure & (np.bincount(node, minlength=len(key)) >= 2 * min_leaf))
        feature = np.zeros(len(key), np.int32)
        threshold = np.full(len(key), np.inf, np.float32)
        of_node, of_row, of_weight = _entries_of(cut_up, node, row, weight)
        feature[cut_up], threshold[cut_up] = _cut(
            columns,
            codes,
            of_node,
            of_row,
            of_weight,
            total[cut_up],
            in_all[cut_up],
            key[cut_up],
            n_tried,
            min_leaf,
            extra,
        )
        levels.append((of_tree, feature, threshold, (total / in_all[:, None]).astype(np.float32)))
        inner = np.flatnonzero(threshold < np.inf)
        feature = feature[inner]
        threshold = threshold[inner]
        node, row, weight = _entries_of(inner, node, row, weight)
        node = 2 * node + (columns[feature[node], row] > threshold[node])
        order = np.argsort(node, kind="stable")
        node = node[order]
        row = row[order]
        weight = weight[order]
        of_tree = np.repeat(of_tree[inner], 2)
        key = np.column_stack([_draw(key[inner], LEFT), _draw(key[inner], RIGHT)]).ravel()
    return _lay_out(levels, len(keys))


def _entries_of(nodes, node, row, weight):
    """The entries of some of the nodes, which are counted anew."""
    number = np.full(node[-1] + 1 if len(node) else 0, -1)
    number[nodes] = np.arange(len(nodes))
    here = number[node] >= 0
    return number[node[here]], row[here], weight[here]


def _count(node, codes, weight, n_nodes, n_votes):
    """How often each class is in each node, (nodes, n_votes)."""
    total = np.zeros(n_nodes * n_votes)
    for column in codes.T:
        total += np.bincount(node * n_votes + column, weight, len(total))
    return total.reshape(n_nodes, n_votes).astype(np.int64)


def _cut(columns, codes, node, row, weight, total, in_all, key, n_tried, min_leaf, extra):
    """Feature and threshold of the best cut of each node, infinity for none."""
    n_nodes = len(key)
    d = len(columns)
    features = np.tile(np.arange(d, dtype=np.int32), (n_nodes, 1))  # shuffled as far as needed
    best = np.full(n_nodes, -np.inf)
    feature = np.zeros(n_nodes, np.int32)
    threshold = np.full(n_nodes, np.inf, np.float32)
    varied = np.zeros(n_nodes, bool)
    for tried in range(d):
        nodes = np.arange(n_nodes) if tried < n_tried else np.flatnonzero(~varied)
        if not len(nodes):
            break
        drawn = _draw(key[nodes], FIRST_DRAW + 2 * tried) >> np.uint64(32)
        place = tried + (drawn * np.uint64(d - tried) >> np.uint64(32)).astype(np.intp)
        own = features[nodes, place]
        features[nodes, place] = features[nodes, tried]
        held, own_row, own_weight = _entries_of(nodes, node, row, weight)
        x = columns[own[held], own_row]
        starts = np.flatnonzero(np.diff(held, prepend=-1))
        low = np.minimum.reduceat(x, starts)
        high = np.maximum.reduceat(x, starts)
        varied[nodes] |= high > low
        where = held, codes[own_row], own_weight, x
        if extra:
            uniform = (_draw(key[nodes], FIRST_DRAW + 2 * tried + 1) >> np.uint64(11)) * 2.0**-53
            at = _below(low + uniform * (high.astype(float) - low), low, high)
            score = _score_cuts(*where, at, total[nodes], in_all[nodes], min_leaf)
        else:
            score, at = _best_cuts(*where, total[nodes], in_all[nodes], min_leaf)
        better = score > best[nodes]
        chosen = nodes[better]
        best[chosen] = score[better]
        feature[chosen] = own[better]
        threshold[chosen] = at[better]
    return feature, threshold


def _draw(key, number):
    return mix_bits(np.full(len(key), number), key)


def _below(threshold, low, high):
    """In single precision, and below the largest value, so that something is on either side."""
    threshold = threshold.astype(np.float32)
    return np.where(threshold < high, threshold, low)


def _score_cuts(node, codes, weight, x, threshold, total, in_all, min_leaf):
    """How pure one cut of each node makes it; -inf where a side is too small."""
    n_nodes, n_votes = total.shape
    left = x <= threshold[node]
    size = np.bincount(node)
    size_left = np.bincount(node[left], minlength=n_nodes)
    held = _count(node[left], codes[left], weight[left], n_nodes, n_votes)
    in_left = np.bincount(node[left], weight[left], n_nodes).astype(np.int64)
    enough = (size_left >= min_leaf) & (size - size_left >= min_leaf)
    return _purity(held, in_left, total, in_all, enough)


def _purity(left, in_left, total, in_all, enough):
    """Squares of counts over how many there are, on either side: larger is less Gini impurity."""
    right = total - left
    in_right = in_all - in_left
    # Over one denominator, so that what is equal stays equal.
    squares = (left**2).sum(axis=1) * in_right + (right**2).sum(axis=1) * in_left
    return np.divide(squares, in_left * in_right, out=np.full(len(squares), -np.inf), where=enough)


def _best_cuts(node, codes, weight, x, total, in_all, min_leaf):
    """Score and threshold of the best of all cuts of one feature, the first of equals."""
    order = np.lexsort((x, node))
    x = x[order]
    codes = codes[order]
    weight = weight[order]
    starts = np.flatnonzero(np.diff(node, prepend=-1))
    size = np.bincount(node)
    held = np.zeros((len(x), total.shape[1]), np.int64)
    for column in codes.T:
        held[np.arange(len(x)), column] += weight
    held = np.cumsum(held, axis=0)
    passed = np.cumsum(weight)
    before = starts - 1
    held = held - np.where(before[:, None] >= 0, held[before], 0)[node]
    in_left = passed - np.where(before >= 0, passed[before], 0)[node]
    size_left = np.arange(len(x)) - starts[node] + 1
    enough = (size_left >= min_leaf) & (size[node] - size_left >= min_leaf)
    enough &= np.append(x[1:] > x[:-1], False)
    score = _purity(held, in_left, total[node], in_all[node], enough)
    best = np.maximum.reduceat(score, starts)
    place = np.flatnonzero(score == best[node])
    place = place[np.diff(node[place], prepend=-1) > 0]
    low = x[place]
    high = x[np.minimum(place + 1, len(x) - 1)]
    return best, _below(low / 2 + high / 2, low, high)


def _lay_out(levels, n_trees):
    """Nodes, tree by tree, from those of all trees, level by level."""
    of_tree, feature, threshold, votes = (
        np.concatenate(parts) for parts in zip(*levels, strict=True)
    )
    is_leaf = np.isposinf(threshold)
    order = np.argsort(of_tree, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    child = place.copy()
    # Behind the roots, nodes come in pairs, in the order of their parents.
    child[~is_leaf] = place[n_trees::2]
    leaf = np.zeros(len(order), np.int32)
    leaf[order[is_leaf[order]]] = np.arange(is_leaf.sum())
    return (
        place[:n_trees],
        child[order],
        feature[order],
        threshold[order],
        leaf[order],
        votes[order[is_leaf[order]]],
    )


def _vote_outside(columns, times, trees, outside):
    roots, child, feature, threshold, leaf, votes = trees
    for root, drawn in zip(roots, times, strict=True):
        rows = np.flatnonzero(drawn == 0)
        node = np.full(len(rows), root)
        while True:
            below = child[node] + (columns[feature[node], rows] > threshold[node])
            if (below == node).all():
                break
            node = below
        outside[rows] += votes[leaf[node]]


def put_behind_each_other(parts):
    """The trees of all parts as one; nodes and leaves are counted on from part to part."""
    moved = []
    n_nodes = 0
    n_leaves = 0
    for roots, child, feature, threshold, leaf, votes in parts:
        is_leaf = child == np.arange(len(child))
        leaf = leaf + n_leaves * is_leaf
        moved.append((roots + n_nodes, child + n_nodes, feature, threshold, leaf, votes))
        n_nodes += len(child)
        n_leaves += len(votes)
    return tuple(np.concatenate(arrays) for arrays in zip(*moved, strict=True))
