"""Trees: small ones grown for boosting, and rows that walk down grown ones. The compiled twin.

A walk waits for memory at every step. Four rows walk side by side, as their steps need not wait for
each other, and none of them branches: twice as fast as one by one. Tree by tree, so that the nodes
of one stay in the cache.
"""

import numpy as np
from numba import njit

from ._trees import TIE

# error_model="numpy" leaves out the checks of divisors that keep loops from wide registers.
BLOCK = 1024  # rows decided at once, so that their columns stay in the cache

SMALL_TREE_BLOCK = 512  # rows at a time, so that their columns stay in the cache
ALL = np.uint32(0xFFFFFFFF)
# Five bits of the lowest bit times a de Bruijn number, from the 27th on, tell its place among 32.
DE_BRUIJN = 0x077CB531
PLACE = np.empty(32, np.uint8)
PLACE[[(DE_BRUIJN << i >> 27) & 31 for i in range(32)]] = np.arange(32)


@njit(cache=True, nogil=True, error_model="numpy")
def grow(columns, order, ranked, sums, weights, depth, by_error):
    """As the plain twin; a node is a run of rows that stand together in every column's order."""
    n_inner = 2**depth - 1
    n = len(weights)
    features = np.zeros(n_inner, np.int32)
    thresholds = np.full(n_inner, np.inf)
    start = np.zeros(2 * n_inner + 1, np.int64)
    stop = np.zeros(2 * n_inner + 1, np.int64)
    stop[0] = n
    if depth > 1:  # a stump reorders nothing, so that it needs no copies
        order = order.copy()
        ranked = ranked.copy()
    right = np.zeros(n, np.bool_)
    spare_rows = np.empty(n, order.dtype)
    spare = np.empty((2, n))
    load = _stack_side_by_side(sums, weights)
    for node in range(n_inner):
        a = start[node]
        b = stop[node]
        total = np.zeros(load.shape[1])
        for row in order[0, a:b]:  # any column lists the same rows
            for k in range(len(total)):
                total[k] += load[row, k]
        if a < b:
            features[node], thresholds[node] = _find_best_cut(
                ranked[:, a:b], order[:, a:b], load, total, by_error, spare
            )
        middle = a
        for row in order[0, a:b]:
            right[row] = columns[features[node], row] > thresholds[node]
            middle += not right[row]
        start[2 * node + 1] = a
        stop[2 * node + 1] = middle
        start[2 * node + 2] = middle
        stop[2 * node + 2] = b
        if 2 * node + 1 < n_inner:  # nobody asks for the order of rows in a leaf
            for f in range(len(columns)):
                _part(order[f, a:b], ranked[f, a:b], right, spare_rows, spare[0])
    leaf = _find_leaves(columns, features, thresholds, n)
    leaf_sums, leaf_weights = _sum_leaves(leaf, sums, weights, n_inner + 1)
    return features, thresholds, leaf, leaf_sums, leaf_weights


@njit(cache=True, nogil=True, error_model="numpy")
def _stack_side_by_side(sums, weights):
    """Sums and weight of a row next to each other in memory."""
    q = sums.shape[1]
    load = np.empty((len(weights), q + 1))
    for i in range(len(weights)):
        for k in range(q):
            load[i, k] = sums[i, k]
        load[i, q] = weights[i]
    return load


@njit(cache=True, nogil=True, error_model="numpy")
def _find_best_cut(ranked, order, load, total, by_error, spare):
    """Feature and threshold of the best cut of all columns, the first of equals."""
    best = -np.inf
    feature = 0
    threshold = np.inf
    for f in range(len(order)):
        score, cut = _cut(ranked[f], order[f], load, total, by_error, spare)
        if score > best * TIE:
            best = score
            feature = f
            threshold = cut
    return feature, threshold


@njit(cache=True, nogil=True, error_model="numpy")
def _cut(values, rows, load, total, by_error, spare):
    """Score and threshold of the best cut of one column."""
    if len(total) == 2:
        return _cut_one(values, rows, load, total[0], total[1], by_error, spare)
    best = -np.inf
    threshold = np.inf
    left = np.zeros(len(total))
    previous = values[0]
    for i in range(len(rows)):
        if values[i] > previous:
            score = _score_classes(left, total, by_error)
            if score > best * TIE:
                best = score
                threshold = _choose_between(previous, values[i])
            previous = values[i]
        for k in range(len(left)):
            left[k] += load[rows[i], k]
    return best, threshold


@njit(cache=True, nogil=True, error_model="numpy")
def _cut_one(values, rows, load, total, total_weight, by_error, spare):
    """The same for one sum a row, in passes that the compiler can do several rows at a time."""
    n = len(rows) - 1
    scores = spare[0]
    left_weights = spare[1]
    left = 0.0
    left_weight = 0.0
    for i in range(n):
        left += load[rows[i], 0]
        left_weight += load[rows[i], 1]
        scores[i] = left
        left_weights[i] = left_weight
    for i in range(n):
        scores[i] = _score(scores[i], left_weights[i], total, total_weight, by_error)
    best = -np.inf
    threshold = np.inf
    for i in range(n):
        if scores[i] > best * TIE and values[i + 1] > values[i]:
            best = scores[i]
            threshold = _choose_between(values[i], values[i + 1])
    return best, threshold


@njit(cache=True, nogil=True, error_model="numpy")
def _score(left, left_weight, total, total_weight, by_error):
    right = total - left
    right_weight = total_weight - left_weight
    if left_weight <= 0 or right_weight <= 0:
        return -np.inf
    if by_error:
        return abs(left) + abs(right)
    # Over a common denominator: one division instead of two.
    return (left * left * right_weight + right * right * left_weight) / (left_weight * right_weight)


@njit(cache=True, nogil=True, error_model="numpy")
def _score_classes(left, total, by_error):
    q = len(left) - 1
    right_weight = total[q] - left[q]
    if left[q] <= 0 or right_weight <= 0:
        return -np.inf
    squares_left = 0.0
    squares_right = 0.0
    most_left = 0.0
    most_right = 0.0
    for k in range(q):
        right = total[k] - left[k]
        squares_left += left[k] * left[k]
        squares_right += right * right
        most_left = max(most_left, left[k])
        most_right = max(most_right, right)
    if by_error:
        return most_left + most_right
    return squares_left / left[q] + squares_right / right_weight


@njit(cache=True, nogil=True, error_model="numpy")
def _part(rows, values, right, spare_rows, spare_values):
    """Put what goes right behind what goes left, both in their order."""
    n_left = n_right = 0
    for i in range(len(rows)):
        if right[rows[i]]:
            spare_rows[n_right] = rows[i]
            spare_values[n_right] = values[i]
            n_right += 1
        else:
            rows[n_left] = rows[i]
            values[n_left] = values[i]
            n_left += 1
    for i in range(n_right):
        rows[n_left + i] = spare_rows[i]
        values[n_left + i] = spare_values[i]


@njit(cache=True, nogil=True, error_model="numpy")
def grow_binned(bins, edges, sums, weights, depth, by_error):
    """As the plain twin; a level is one pass over the rows, a node a histogram."""
    n_inner = 2**depth - 1
    n, d = bins.shape
    q = sums.shape[1]
    features = np.zeros(n_inner, np.int32)
    thresholds = np.full(n_inner, np.inf)
    cuts = np.full(n_inner, edges.shape[1])  # no bin is beyond: all go left
    node = np.zeros(n, np.int32)
    load = _stack_side_by_side(sums, weights)
    for level in range(depth):
        first = 2**level - 1
        held = np.zeros((first + 1, d, edges.shape[1], q + 1))
        filled = np.zeros((first + 1, d, edges.shape[1]), np.bool_)
        for i in range(n):
            for f in range(d):
                filled[node[i] - first, f, bins[i, f]] = True
                for k in range(q + 1):
                    held[node[i] - first, f, bins[i, f], k] += load[i, k]
        for inner in range(first, 2 * first + 1):
            best = -np.inf
            for f in range(d):
                score, cut = _cut_histogram(
                    held[inner - first, f], filled[inner - first, f], by_error
                )
                if score > best * TIE:
                    best = score
                    features[inner] = f
                    cuts[inner] = cut
                    thresholds[inner] = edges[f, cut]
        for i in range(n):
            right = bins[i, features[node[i]]] > cuts[node[i]]
            node[i] = 2 * node[i] + 1 + right
    node -= n_inner
    leaf_sums, leaf_weights = _sum_leaves(node, sums, weights, n_inner + 1)
    return features, thresholds, node, leaf_sums, leaf_weights


@njit(cache=True, nogil=True, error_model="numpy")
def _cut_histogram(held, filled, by_error):
    """Score and last bin to the left of the best cut of one column."""
    total = np.zeros(held.shape[1])
    last = 0
    for b in range(len(held)):
        if filled[b]:
            total = total + held[b]
            last = b
    best = -np.inf
    cut = len(held)
    left = np.zeros(len(total))
    for b in range(last):
        if filled[b]:
            left += held[b]
            if len(left) == 2:
                score = _score(left[0], left[1], total[0], total[1], by_error)
            else:
                score = _score_classes(left, total, by_error)
            if score > best * TIE:
                best = score
                cut = b
    return best, cut


@njit(cache=True, nogil=True, error_model="numpy")
def make_class_sums(codes, weights, n_classes):
    """As the plain twin."""
    sums = np.zeros((len(codes), 1 if n_classes == 2 else n_classes))
    for i in range(len(codes)):
        if n_classes == 2:
            sums[i, 0] = weights[i] if codes[i] == 1 else -weights[i]
        else:
            sums[i, codes[i]] = weights[i]
    return sums


@njit(cache=True, nogil=True, error_model="numpy")
def vote(leaf, leaf_sums, leaf_weights, rounding):
    """As the plain twin."""
    leaves = np.zeros(len(leaf_sums), np.int64)
    outputs = np.empty(len(leaf), np.int64)
    for i in range(len(leaves)):
        slack = rounding * leaf_weights[i]
        if leaf_sums.shape[1] == 1:
            leaves[i] = leaf_sums[i, 0] >= -slack
        else:
            enough = leaf_sums[i].max() - slack
            while leaf_sums[i, leaves[i]] < enough:
                leaves[i] += 1
    for i in range(len(leaf)):
        outputs[i] = leaves[leaf[i]]
    return leaves, outputs


@njit(cache=True, nogil=True, error_model="numpy")
def decide(columns, features, thresholds, values):
    """As the plain twin, a block of rows after the other."""
    n = columns.shape[1]
    m, n_leaves, q = values.shape
    total = np.zeros((q, n))  # a stump adds to rows that lie next to each other
    for a in range(0, n, BLOCK):
        b = min(a + BLOCK, n)
        for t in range(m):
            if n_leaves == 2:
                x = columns[features[t, 0], a:b]
                threshold = thresholds[t, 0]
                for k in range(q):
                    _add_stump(x, threshold, values[t, 0, k], values[t, 1, k], total[k, a:b])
            else:
                leaf = _find_leaves(columns[:, a:b], features[t], thresholds[t], b - a)
                for k in range(q):
                    for i in range(b - a):
                        total[k, a + i] += values[t, leaf[i], k]
    return total.T


@njit(cache=True, nogil=True, error_model="numpy")
def sum_misfit(outputs, codes, weights):
    """As the plain twin."""
    total = 0.0
    for i in range(len(codes)):
        if outputs[i] != codes[i]:
            total += weights[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def reweigh(logarithms, outputs, codes, step):
    """As the plain twin."""
    largest = -np.inf
    for i in range(len(codes)):
        if outputs[i] != codes[i]:
            logarithms[i] += step
        largest = max(largest, logarithms[i])
    weights = np.exp(logarithms - largest)
    return weights / weights.sum()


@njit(cache=True, nogil=True, error_model="numpy")
def _add_stump(x, threshold, low, high, total):
    for i in range(len(x)):
        total[i] += low if x[i] <= threshold else high


@njit(cache=True, nogil=True, error_model="numpy")
def _find_leaves(columns, features, thresholds, n):
    leaf = np.empty(n, np.int32)
    for i in range(n):
        node = 0
        while node < len(features):
            node = 2 * node + 1 + (columns[features[node], i] > thresholds[node])
        leaf[i] = node - len(features)
    return leaf


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_leaves(leaf, sums, weights, n_leaves):
    leaf_sums = np.zeros((n_leaves, sums.shape[1]))
    leaf_weights = np.zeros(n_leaves)
    for i in range(len(leaf)):
        leaf_weights[leaf[i]] += weights[i]
        for k in range(sums.shape[1]):
            leaf_sums[leaf[i], k] += sums[i, k]
    return leaf_sums, leaf_weights


@njit(cache=True, nogil=True, error_model="numpy")
def _choose_between(low, high):
    middle = low / 2 + high / 2  # their difference can overflow
    return middle if middle < high else low


@njit(cache=True, nogil=True, error_model="numpy")
def sum_votes(X, roots, nodes, votes):
    """As the plain twin."""
    n = len(X)
    n_classes = votes.shape[1]
    total = np.zeros((n, n_classes))
    ends = np.empty(4, np.int32)
    for root in roots:
        for row in range(0, n, 4):
            _walk(X, row, root, nodes, ends)
            for i in range(min(4, n - row)):
                for c in range(n_classes):
                    total[row + i, c] += votes[ends[i], c]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _walk(X, row, root, nodes, ends):
    """The leaves that four rows come to; behind the last, this row stands for the others."""
    last = len(X) - 1
    x0 = X[row]
    x1 = X[min(row + 1, last)]
    x2 = X[min(row + 2, last)]
    x3 = X[min(row + 3, last)]
    a = b = c = d = root
    while True:
        next_a = nodes[a]["child"] + (x0[nodes[a]["feature"]] > nodes[a]["threshold"])
        next_b = nodes[b]["child"] + (x1[nodes[b]["feature"]] > nodes[b]["threshold"])
        next_c = nodes[c]["child"] + (x2[nodes[c]["feature"]] > nodes[c]["threshold"])
        next_d = nodes[d]["child"] + (x3[nodes[d]["feature"]] > nodes[d]["threshold"])
        if (next_a == a) & (next_b == b) & (next_c == c) & (next_d == d):
            break
        a = next_a
        b = next_b
        c = next_c
        d = next_d
    ends[0] = nodes[a]["leaf"]
    ends[1] = nodes[b]["leaf"]
    ends[2] = nodes[c]["leaf"]
    ends[3] = nodes[d]["leaf"]


@njit(cache=True, nogil=True, error_model="numpy")
def sum_values(columns, starts, features, thresholds, masks, values, n_outputs):
    """As the plain twin."""
    n = columns.shape[1]
    total = np.zeros((n_outputs, n))
    reached = np.empty(SMALL_TREE_BLOCK, np.uint32)
    for start in range(0, n, SMALL_TREE_BLOCK):
        size = min(SMALL_TREE_BLOCK, n - start)
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
