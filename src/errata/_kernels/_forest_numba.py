"""Forests of classification trees, and what their trees say of rows left out. The compiled twin.

A node is a run of rows, with their weights and codes beside them, so that every pass over a node
reads on. Whether a row is left of a cut is a number and no branch, which nothing could predict.
"""

import numpy as np
from numba import njit

from ._forest import FIRST_DRAW, LEFT, RIGHT

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MIX = np.uint64(0x94D049BB133111EB)
COUNTED = 16  # comparisons that take as long as picking a row


def grow_forest(columns, codes, n_votes, times, keys, n_tried, min_leaf, extra, keep):
    """As the plain twin."""
    order = np.empty((len(columns), 0), np.int32)
    if not extra:
        order = np.argsort(columns, axis=1).astype(np.int32)
    rank = np.argsort(order, axis=1).astype(np.int32)
    times = np.ascontiguousarray(times, np.uint8)
    most_leaves = np.maximum(1, np.count_nonzero(times, axis=1) // min_leaf)
    room = int(most_leaves.sum() if keep else most_leaves.max(initial=0))
    outside = np.zeros((columns.shape[1], n_votes))
    roots = np.zeros(len(keys) if keep else 0, np.int32)
    child, feature, leaf = (np.zeros(2 * room, np.int32) for _ in range(3))
    threshold = np.empty(2 * room, np.float32)
    votes = np.empty((room, n_votes), np.float32)
    d, n = columns.shape
    work = (  # here and not below, as every kind of array that a loop allocates is compiled
        np.empty((4, n), np.int32),
        np.empty((3, n + 1), np.int32),
        np.empty(n + 1, np.float32),
        np.zeros((2, 2 * room), np.int32),
        np.zeros(2 * room, np.uint64),
        np.zeros((2, n_votes), np.int64),
        np.array([np.arange(d), np.zeros(d)], dtype=np.int32),
        np.full(n, -1, np.int32),
    )
    n_nodes, n_leaves = _grow(
        columns,
        order,
        rank,
        np.ascontiguousarray(codes.T, np.int32),
        times,
        keys,
        n_tried,
        min_leaf,
        extra,
        keep,
        outside,
        roots,
        child,
        feature,
        threshold,
        leaf,
        votes,
        work,
    )
    if not keep:
        return outside, None
    nodes = (part[:n_nodes] for part in (child, feature, threshold, leaf))
    return outside, (roots, *nodes, votes[:n_leaves])


@njit(cache=True, nogil=True, error_model="numpy")
def _grow(
    columns,
    order,
    rank,
    codes,
    times,
    keys,
    n_tried,
    min_leaf,
    extra,
    keep,
    outside,
    roots,
    child,
    feature,
    threshold,
    leaf,
    votes,
    work,
):
    """Fill the trees and the sums of votes; the numbers of nodes and leaves that are kept."""
    d, n = columns.shape
    labels = len(codes)
    n_votes = votes.shape[1]
    by_row, spare, values, by_node, key, counts, by_feature, node_of = work
    rows = by_row[0]
    weights = by_row[1]  # of these rows
    classes = by_row[2]  # and the codes of their first label
    ranks = by_row[3]
    start = by_node[0]
    stop = by_node[1]
    total = counts[0]
    left = counts[1]
    features = by_feature[0]
    places = by_feature[1]
    n_nodes = 0
    n_leaves = 0
    for tree in range(len(times)):
        weight = times[tree]
        if not keep:
            n_nodes = 0
            n_leaves = 0
        root = n_nodes
        m = 0
        for row in range(n):
            node_of[row] = root if weight[row] > 0 else -1
            if weight[row] > 0:
                rows[m] = row
                weights[m] = weight[row]
                classes[m] = codes[0, row]
                m += 1
        start[root] = 0
        stop[root] = m
        key[root] = keys[tree]
        node = root
        n_nodes = root + 1
        while node < n_nodes:
            a = start[node]
            b = stop[node]
            in_all = np.int64(0)
            squares = np.int64(0)
            for i in range(a, b):
                w = np.int64(weights[i])
                in_all += w
                squares += w * (2 * total[classes[i]] + w)
                total[classes[i]] += w
            for label in range(1, labels):
                for i in range(a, b):
                    w = np.int64(weights[i])
                    code = codes[label, rows[i]]
                    squares += w * (2 * total[code] + w)
                    total[code] += w
            best = -np.inf
            chosen = 0
            cut = np.float32(np.inf)
            if b - a >= 2 * min_leaf and squares < labels * in_all * in_all:
                varied = False
                tried = 0
                while tried < d and (tried < n_tried or not varied):
                    drawn = _draw(key[node], FIRST_DRAW + 2 * tried) >> np.uint64(32)
                    place = tried + np.int64(drawn * np.uint64(d - tried) >> np.uint64(32))
                    f = features[place]
                    places[tried] = place
                    features[place] = features[tried]
                    features[tried] = f
                    low, high = _spread(columns, f, rows, a, b, values)
                    if low < high:
                        varied = True
                        if extra:
                            bits = _draw(key[node], FIRST_DRAW + 2 * tried + 1) >> np.uint64(11)
                            at = np.float32(
                                low + np.float64(bits) * 2.0**-53 * (np.float64(high) - low)
                            )
                            if not at < high:
                                at = low
                            score = _score_cut(
                                values,
                                a,
                                b,
                                weights,
                                classes,
                                rows,
                                codes,
                                at,
                                total,
                                left,
                                in_all,
                                squares,
                                min_leaf,
                            )
                        else:
                            _sort(
                                columns,
                                f,
                                order,
                                rank,
                                rows,
                                values,
                                a,
                                b,
                                node_of,
                                node,
                                spare,
                                ranks,
                            )
                            score, at = _best_cut(
                                values,
                                spare,
                                a,
                                b,
                                times,
                                tree,
                                rows,
                                codes,
                                total,
                                left,
                                in_all,
                                squares,
                                min_leaf,
                            )
                        if score > best:
                            best = score
                            chosen = f
                            cut = at
                    tried += 1
                for back in range(tried - 1, -1, -1):  # features as they were, for the next node
                    place = places[back]
                    features[back], features[place] = features[place], features[back]
            feature[node] = chosen
            threshold[node] = cut
            if best > -np.inf:
                middle = _part(columns, chosen, cut, a, b, rows, weights, classes, spare)
                if not extra:
                    for i in range(a, b):
                        node_of[rows[i]] = n_nodes + (i >= middle)
                child[node] = n_nodes
                leaf[node] = 0
                start[n_nodes] = a
                stop[n_nodes] = middle
                key[n_nodes] = _draw(key[node], LEFT)
                n_nodes += 1
                start[n_nodes] = middle
                stop[n_nodes] = b
                key[n_nodes] = _draw(key[node], RIGHT)
                n_nodes += 1
            else:
                child[node] = node
                leaf[node] = n_leaves
                for code in range(n_votes):
                    votes[n_leaves, code] = total[code] / in_all
                n_leaves += 1
            _clear(total, rows, codes, a, b)
            node += 1
        if keep:
            roots[tree] = root
        for row in range(n):
            if weight[row] == 0:
                at_node = -1
                below = root
                while at_node != below:
                    at_node = below
                    below = child[at_node] + (columns[feature[at_node], row] > threshold[at_node])
                for code in range(n_votes):
                    outside[row, code] += votes[leaf[at_node], code]
    return n_nodes, n_leaves


@njit(cache=True, nogil=True, error_model="numpy")
def _draw(key, number):
    z = np.uint64(number) * STEP + key
    z = (z ^ (z >> np.uint64(30))) * FIRST_MIX
    z = (z ^ (z >> np.uint64(27))) * SECOND_MIX
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, error_model="numpy")
def _part(columns, f, cut, a, b, rows, weights, classes, spare):
    """Put the rows of a node that are above the cut behind the others; where they begin."""
    middle = a
    n_right = 0
    for i in range(a, b):
        row = rows[i]
        w = weights[i]
        code = classes[i]
        rows[middle] = row
        weights[middle] = w
        classes[middle] = code
        spare[0, n_right] = row
        spare[1, n_right] = w
        spare[2, n_right] = code
        right = int(columns[f, np.uintp(row)] > cut)
        n_right += right
        middle += 1 - right
    for i in range(n_right):
        rows[middle + i] = spare[0, i]
        weights[middle + i] = spare[1, i]
        classes[middle + i] = spare[2, i]
    return middle


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})
def _spread(columns, f, rows, a, b, values):
    """The smallest and the largest value of a node, whose values are picked on the way."""
    low = high = columns[f, rows[a]]
    for i in range(np.uintp(a), np.uintp(b)):
        value = columns[f, np.uintp(rows[i])]
        values[i] = value
        low = min(low, value)
        high = max(high, value)
    return low, high


@njit(cache=True, nogil=True, error_model="numpy")
def _score_cut(
    values, a, b, weights, classes, rows, codes, at, total, left, in_all, squares, min_leaf
):
    """How pure a cut makes a node; -inf where a side is too small."""
    n_left = np.int32(0)
    in_left = np.int32(0)
    if len(left) == 2:
        ones = np.int32(0)
        for i in range(np.uintp(a), np.uintp(b)):
            is_left = np.int32(values[i] <= at)
            w = weights[i] * is_left
            n_left += is_left
            in_left += w
            ones += w * classes[i]
        left[1] = ones
        left[0] = in_left - ones
    else:
        for i in range(np.uintp(a), np.uintp(b)):
            is_left = np.int32(values[i] <= at)
            w = weights[i] * is_left
            n_left += is_left
            in_left += w
            left[classes[i]] += w
        for label in range(1, len(codes)):
            for i in range(np.uintp(a), np.uintp(b)):
                left[codes[label, rows[i]]] += weights[i] * np.int32(values[i] <= at)
    squares_left = np.int64(0)
    cross = np.int64(0)
    if len(left) <= b - a:
        for code in range(len(left)):
            squares_left += left[code] * left[code]
            cross += left[code] * total[code]
            left[code] = 0
    else:  # of more classes than rows, only those of the rows are looked at
        for i in range(a, b):
            for label in range(len(codes)):
                code = codes[label, rows[i]]
                squares_left += left[code] * left[code]
                cross += left[code] * total[code]
                left[code] = 0
    if n_left < min_leaf or b - a - n_left < min_leaf:
        return -np.inf
    in_right = in_all - in_left
    squares_right = squares - 2 * cross + squares_left
    return (squares_left * in_right + squares_right * in_left) / (np.int64(in_left) * in_right)


@njit(cache=True, nogil=True, error_model="numpy")
def _clear(counts, rows, codes, a, b):
    """Set the counts of the classes of a node to zero."""
    if len(counts) <= b - a:
        for code in range(len(counts)):
            counts[code] = 0
    else:
        for i in range(a, b):
            for label in range(len(codes)):
                counts[codes[label, rows[i]]] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def _best_cut(
    values, ordered, a, b, times, tree, rows, codes, total, left, in_all, squares, min_leaf
):
    """Score and threshold of the best cut of sorted rows, the first of equals."""
    in_left = np.int64(0)
    squares_left = 0
    cross = 0
    labels = len(codes)
    best = -np.inf
    threshold = values[a]
    for i in range(a, b - min_leaf):
        row = ordered[0, i]
        w = np.int64(times[tree, row])
        in_left += w
        for label in range(labels):
            code = codes[label, row]
            squares_left += w * (2 * left[code] + w)
            cross += w * total[code]
            left[code] += w
        if i - a + 1 >= min_leaf and values[i + 1] > values[i]:
            in_right = in_all - in_left
            squares_right = squares - 2 * cross + squares_left
            score = (squares_left * in_right + squares_right * in_left) / (in_left * in_right)
            if score > best:
                best = score
                threshold = values[i] / np.float32(2) + values[i + 1] / np.float32(2)
                if not threshold < values[i + 1]:
                    threshold = values[i]
    _clear(left, rows, codes, a, b)
    return best, threshold


@njit(cache=True, nogil=True, error_model="numpy")
def _sort(columns, f, order, rank, rows, values, a, b, node_of, node, spare, ranks):
    """Rows of a node and their values by value.

    Of few rows it is counted how many come before each, several at a time and without a branch;
    many are picked from the order of all.
    """
    size = b - a
    n = order.shape[1]
    if size * size > COUNTED * n:
        place = a
        for i in range(n):
            row = order[f, i]
            spare[0, place] = row
            values[place] = columns[f, row]
            place += node_of[row] == node
        return
    for i in range(size):
        ranks[i] = rank[f, rows[a + i]]
    for i in range(size):
        place = np.int32(a)
        own = ranks[i]
        for j in range(np.uintp(size)):
            place += np.int32(ranks[j] < own)
        row = rows[a + i]
        spare[0, place] = row
        values[place] = columns[f, row]
