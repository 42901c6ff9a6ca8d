"""The slope and offsets of classes that make labels most likely. Compiled.

Rows are worked off in pieces that stay in the first cache, in the precision of the logarithms; sums
over pieces are in double. The compiler may add derivatives up in any order, several at a time: but
for rounding the fit ends at the same place.
"""

import numpy as np

from ._elementary_numba import compiled, empty_lines, in_any_order, inner, log_of
from ._label_fit import ENOUGH, HARDLY, LEAST_DAMPING, MORE_DAMPING, MOST_STEPS, TRUSTED
from ._probabilities_numba import score

PIECE = 256


def fit_labels(logs, to_label, start, precision, box, free):
    """As the plain twin."""
    m = len(start)
    places = np.array([np.clip(start, *box), np.zeros(m)])
    work = (  # here and not below, as every kind of array that a loop allocates is compiled
        np.zeros((3, m)),
        np.zeros(m, dtype=bool),
        np.empty((3, m, m)),
        empty_lines(2, m - 1, PIECE, dtype=logs.dtype),
        empty_lines(4, PIECE, dtype=logs.dtype),
        np.empty(m - 1, logs.dtype),
        np.empty(PIECE),
    )
    value, place = _fit(logs, to_label, places, precision, box, free, work)
    return value, places[place]


@compiled
def _fit(logs, to_label, places, precision, box, free, work):
    """The loss, and which of two places it is the loss of; the fit starts at the first."""
    vectors = work[0]
    held = work[1]
    matrices = work[2]
    m = len(held)
    x = places[0]
    nearer = places[1]
    step = vectors[2]
    factor = matrices[2]
    now = 0
    value = differentiate(logs, to_label, x, precision, free, vectors[0], matrices[0], work)
    damping = 0.0
    for _ in range(MOST_STEPS):
        gradient = vectors[now]
        curvature = matrices[now]
        for j in range(m):
            held[j] = x[j] <= box[0, j] if gradient[j] > 0 else x[j] >= box[1, j]
        while not _factorise(curvature, held, damping, factor):
            damping = _dampen(damping, curvature)
        _solve(factor, gradient, held, step)
        gain = 0.0
        for i in range(m):
            bent = gradient[i]
            for j in range(m):
                bent += curvature[i, j] * step[j] / 2
            gain -= step[i] * bent
            nearer[i] = min(max(x[i] + step[i], box[0, i]), box[1, i])
        if gain < ENOUGH:
            return value - gain, 1
        then = 1 - now
        new_value = differentiate(
            logs, to_label, nearer, precision, free, vectors[then], matrices[then], work
        )
        if new_value < value or gain < TRUSTED:
            for j in range(m):
                x[j] = nearer[j]
            value = new_value
            now = then
            damping = 0.0
        else:
            damping = _dampen(damping, curvature)
    return value, 0


@inner
def _dampen(damping, curvature):
    largest = 0.0
    for j in range(len(curvature)):
        largest = max(largest, abs(curvature[j, j]))
    return max(MORE_DAMPING * damping, LEAST_DAMPING * largest)


@inner
def _factorise(curvature, held, damping, factor):
    """Cholesky's factor of the part that is not held; whether there is one."""
    m = len(curvature)
    for i in range(m):
        for j in range(i + 1):
            total = curvature[i, j]
            if held[i] or held[j]:
                total = 0.0
            if i == j:
                total = 1.0 if held[i] else total + damping
            for h in range(j):
                total -= factor[i, h] * factor[j, h]
            if i > j:
                factor[i, j] = total / factor[j, j]
            elif total > 0:
                factor[i, i] = np.sqrt(total)
            else:
                return False
    return True


@inner
def _solve(factor, gradient, held, step):
    m = len(factor)
    for i in range(m):
        total = 0.0 if held[i] else -gradient[i]
        for j in range(i):
            total -= factor[i, j] * step[j]
        step[i] = total / factor[i, i]
    for i in range(m - 1, -1, -1):
        total = step[i]
        for j in range(i + 1, m):
            total -= factor[j, i] * step[j]
        step[i] = total / factor[i, i]


@inner
def differentiate(logs, to_label, x, precision, free, gradient, curvature, work):
    """As the plain twin, with arrays for the derivatives; returns the loss."""
    cells = work[3]
    sums = work[4]
    offsets = work[5]
    likelihood = work[6]
    k, n = logs.shape
    slope = np.exp(x[0])
    hardly = logs.dtype.type(HARDLY)
    one = logs.dtype.type(1)
    p = cells[0]
    given = cells[1]
    before = sums[0]
    label = sums[1]
    mean = sums[2]
    mean_given = sums[3]
    by_slope = 0.0
    spread = 0.0
    for r in range(PIECE):
        likelihood[r] = 0
    for i in range(k + 1):
        gradient[i] = 0
        for j in range(k + 1):
            curvature[i, j] = 0
    for c in range(k):
        offsets[c] = x[1 + c]
    for start in range(0, n, PIECE):
        size = min(PIECE, n - start)
        rows = slice(start, start + size)
        score(logs, start, logs.dtype.type(slope), offsets, size, p, mean)
        for r in range(PIECE):
            before[r] = 0
            label[r] = 0
            mean[r] = 0
            mean_given[r] = 0
        for c in range(k):
            _add_label(p[c], to_label[c, rows], size, given[c], before, label)
        for r in range(size):
            label[r] = np.fmax(label[r], hardly)
            likelihood[r] += log_of(label[r]) - log_of(before[r])
        for r in range(size):
            before[r] = one / before[r]
            label[r] = one / label[r]
        for c in range(k):
            _take_mean(p[c], logs[c, rows], before, size, mean)
            _take_mean(given[c], logs[c, rows], label, size, mean_given)
        for r in range(size):
            by_slope += mean_given[r] - mean[r]
        spread -= _multiply(mean_given, mean_given, mean, mean, size)
        for c in range(k):
            pull, crossed, of_squares = _pull(p[c], given[c], logs[c, rows], mean, mean_given, size)
            spread += of_squares
            gradient[1 + c] -= pull
            curvature[0, 1 + c] -= slope * crossed
            for other in range(c + 1 if free else 0):
                product = _multiply(given[c], given[other], p[c], p[other], size)
                curvature[1 + c, 1 + other] += product
    loss = 0.0
    for r in range(PIECE):
        loss -= likelihood[r]
    gradient[0] = -slope * by_slope
    curvature[0, 0] = -(slope**2) * spread - slope * by_slope
    for i in range(k + 1):
        if i > 0 and not free:
            gradient[i] = 0
            curvature[0, i] = 0
            curvature[i, i] = 1
            continue
        if i > 0:
            curvature[i, 0] = curvature[0, i]
            curvature[i, i] += gradient[i]
        for j in range(1, i):
            curvature[j, i] = curvature[i, j]
        loss += precision[i] * x[i] ** 2 / 2
        gradient[i] += precision[i] * x[i]
        curvature[i, i] += precision[i]
    return loss


@inner
def _add_label(p, to_label, size, given, before, label):
    """Join classes and labels; sum over the classes without the label and with it."""
    for r in range(size):
        joint = p[r] * to_label[r]
        given[r] = joint
        before[r] += p[r]
        label[r] += joint


@inner
def _take_mean(p, logs, scale, size, mean):
    """Scale to probabilities; add up the mean of the logarithms by them."""
    for r in range(size):
        p[r] *= scale[r]
        mean[r] += p[r] * logs[r]


@in_any_order
def _pull(p, given, logs, mean, mean_given, size):
    """The pull of labels on a class; the same with the logarithms' distance from their mean."""
    pull = p.dtype.type(0)
    crossed = p.dtype.type(0)
    of_squares = p.dtype.type(0)
    for r in range(size):
        x = logs[r]
        more = given[r] - p[r]
        pull += more
        of_squares += more * x * x
        crossed += given[r] * (x - mean_given[r]) - p[r] * (x - mean[r])
    return pull, crossed, of_squares


@in_any_order
def _multiply(a, b, c, d, size):
    total = a.dtype.type(0)
    for r in range(size):
        total += a[r] * b[r] - c[r] * d[r]
    return total


def summarise_classes(logs, slope, offsets):
    """As the plain twin."""
    k = len(logs)
    sums = np.zeros((2, k))
    cells = empty_lines(k + 2, PIECE, dtype=logs.dtype)
    place = np.empty(PIECE, np.int64)
    entropy = _summarise(logs, slope, offsets, offsets.astype(logs.dtype), sums, cells, place)
    return sums[0], sums[1], entropy


@compiled
def _summarise(logs, slope, offsets, factors, by_class, cells, place):
    k, n = logs.shape
    p = cells[:k]
    top = cells[k]
    total = cells[k + 1]
    one = logs.dtype.type(1)
    sums = by_class[0]
    recognised = by_class[1]
    entropy = 0.0
    for start in range(0, n, PIECE):
        size = min(PIECE, n - start)
        rows = slice(start, start + size)
        score(logs, start, logs.dtype.type(slope), factors, size, p, top)
        for r in range(size):
            total[r] = 0
        for c in range(k - 1, -1, -1):
            _find_ones(p[c], c, size, total, place)
        for r in range(size):
            entropy += log_of(total[r]) + top[r]
        for r in range(size):
            total[r] = one / total[r]
        for r in range(size):
            recognised[place[r]] += total[r]
        for c in range(k):
            of_class, of_logs = _sum_up(p[c], logs[c, rows], total, size)
            sums[c] += of_class
            entropy -= slope * of_logs + offsets[c] * of_class
    return entropy


@inner
def _find_ones(p, c, size, total, place):
    """Add up what probabilities are proportional to; the largest of a row is one."""
    for r in range(size):
        total[r] += p[r]
        place[r] = c if p[r] == 1 else place[r]


@in_any_order
def _sum_up(p, logs, scale, size):
    of_class = p.dtype.type(0)
    of_logs = p.dtype.type(0)
    for r in range(size):
        scaled = p[r] * scale[r]
        of_class += scaled
        of_logs += scaled * logs[r]
    return of_class, of_logs
