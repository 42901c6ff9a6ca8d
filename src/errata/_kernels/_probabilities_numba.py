"""Probabilities of the classes of rows given their labels. Compiled.

Pooling is as quick in NumPy, and has no compiled twin.

Rows are worked off in pieces that stay in the first cache, classes before rows, so that wide
registers hold neighbouring rows. They do in loops with few arrays that neither look anything up nor
branch, hence the many short loops. A row's numbers do not depend on the piece it is in.
"""

import numpy as np

from ._elementary_numba import compiled, empty_lines, exp_of, in_any_order, inner, log_of
from ._probabilities import NEARLY, NUMBERS, SMALLEST_LOG, Findings

FEW_CLASSES = 32
PIECE_OF_FEW = 128  # rows at a time, up to so many classes
PIECE_OF_MANY = 32
LABELLED = 16  # rows of each label in a step, on the mean and at the least
TINY = 2e-38  # hardly more than the smallest number that is not denormal


def judge_rows(
    logs, codes, calibration, hypotheses, *, highest, surprise, vote, vote_weight, known
):
    """As the plain twin; rows of one label are judged together, by one column of a transition."""
    n = len(codes)
    k = len(logs)
    order = _sort_by_label(codes, max(NUMBERS // k, LABELLED * k))
    found = Findings(
        p_wrong=np.empty(n),
        suspicion=np.empty(n),
        other=np.empty(n, np.int16),
        p_other=np.empty(n, np.float32),
        p_elsewhere=np.empty(n),
        joint=np.zeros((k, k)),
        right=np.zeros(len(hypotheses.slopes)),
    )
    piece = PIECE_OF_FEW if k <= FEW_CLASSES else PIECE_OF_MANY
    work = (  # here and not below, as every kind of array that a loop allocates is compiled
        empty_lines(4, k, piece, dtype=logs.dtype),
        empty_lines(2, piece, dtype=logs.dtype),
        np.empty(piece + 1, np.uint32),
        np.empty(piece, np.uint32),
        np.empty(piece, np.int32),
        np.empty((4, piece)),
        np.empty(piece),
        np.empty(piece, np.bool_),
    )
    turned = hypotheses._replace(inverses=hypotheses.inverses.swapaxes(1, 2).copy())
    # Plain tuples: a cached function that knew of named ones would not survive a new name.
    limits = highest, surprise, vote, vote_weight, known
    _judge(logs, codes, order, calibration, tuple(turned), limits, tuple(found), work)
    return found


def _sort_by_label(codes, step):
    """The rows of each step in the order of their labels: what is read stays in the cache."""
    codes = codes.astype(np.int16)  # these are sorted by counting
    starts = range(0, len(codes), step)
    parts = [start + np.argsort(codes[start : start + step], kind="stable") for start in starts]
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.uint32)


@compiled
def _judge(logs, codes, order, calibration, hypotheses, limits, found, work):
    slopes, offsets, transitions, inverses, inverse_of, weights, ranking, others, least = hypotheses
    highest, surprise, all_votes, vote_weight, all_known = limits
    p_wrong, suspicion, other, p_other, p_elsewhere, joint, n_right = found
    cells, sums, ends, label, place, right, vote, known = work
    n = logs.shape[1]
    piece = len(label)
    calibrated = cells[0]
    part = cells[1]
    classes = cells[2]
    q = cells[3]
    own = right[0]
    believed = right[1]
    ranked = right[2]
    elsewhere = right[3]
    for start in range(0, n, piece):
        size = min(piece, n - start)
        rows = order[start : start + size]
        for r in range(size):
            vote[r] = all_votes[rows[r]]
            known[r] = all_known[rows[r]]
        n_runs = _find_runs(codes, rows, size, label, ends)
        _calibrate(logs, rows, calibration, size, calibrated, part, sums)
        if len(inverses):
            _compute_exponentials(calibrated, size, q)
        classes[:] = 0
        right[:] = 0
        for i in range(len(slopes)):
            scores = calibrated
            if inverse_of[i] >= 0:
                _unmix(q, inverses[inverse_of[i]], least, size, part)
                scores = part
            score(scores, 0, slopes[i], offsets[i], size, part, sums[0])
            _weigh(part, transitions[i], label, ends, n_runs, sums[1])
            _take_own(part, label, size, sums[1], own)
            n_right[i] += _count(own, known, size)
            _add(own, ranking[i], size, ranked)
            _add(own, others[i], size, elsewhere)
            _add_classes(part, weights[i], sums[1], size, classes)
        for r in range(size):
            believed[r] = classes[label[r], r]
            own[r] = calibrated[label[r], r]
        for p in (believed, ranked, elsewhere):
            _make_wrong(p, vote, vote_weight, size)
        for r in range(size):
            classes[label[r], r] = -1  # so that the largest is that of another class
        _find_largest(classes, size, place, sums)
        for r in range(size):
            classes[label[r], r] = 0
        _limit(believed, elsewhere, highest, known, sums, size)
        _compute_suspicion(ranked, own, surprise, size, vote)
        for r in range(size):
            to = rows[r]
            p_wrong[to] = believed[r]
            p_elsewhere[to] = elsewhere[r]
            other[to] = place[r]
            p_other[to] = sums[0, r]
            suspicion[to] = 0.0 if known[r] else vote[r]
            joint[label[r], label[r]] += 1 - believed[r]
        _add_joint(classes, label, ends, n_runs, sums[1], joint)


@inner
def _find_runs(codes, rows, size, label, ends):
    """The labels of some rows, and where those of each row of equal ones end, after a zero."""
    n_runs = 0
    ends[0] = 0
    for r in range(size):
        label[r] = codes[rows[r]]
        if r > 0 and label[r] != label[r - 1]:
            n_runs += 1
            ends[n_runs] = r
    ends[n_runs + 1] = size
    return n_runs + 1


@inner
def _calibrate(logs, rows, calibration, size, out, given, sums):
    """Logarithms of the calibrated probabilities; without a calibration, of those given."""
    k = len(logs)
    taken = given if calibration.size else out
    for c in range(k):
        to = taken[c]
        x = logs[c]
        for r in range(size):
            to[r] = x[rows[r]]
    if calibration.size:
        for c in range(k):
            to = out[c]
            to[:] = calibration[c, k]
            _combine(calibration[c], given, size, to)
        normalise(out, size, sums[0], sums[1])


@inner
def _combine(factors, columns, size, to):
    """Add columns, each times its factor; four at once, as that reads and writes less."""
    k = len(columns)
    done = 0
    for j in range(0, k - 3, 4):
        a = factors[j]
        b = factors[j + 1]
        c = factors[j + 2]
        d = factors[j + 3]
        p = columns[j]
        q = columns[j + 1]
        r = columns[j + 2]
        s = columns[j + 3]
        for i in range(size):
            to[i] += a * p[i] + b * q[i] + c * r[i] + d * s[i]
        done = j + 4
    for j in range(done, k):
        a = factors[j]
        p = columns[j]
        for i in range(size):
            to[i] += a * p[i]


@inner
def normalise(scores, size, top, total):
    """Turn scores into logarithms of probabilities."""
    smallest = top.dtype.type(SMALLEST_LOG)
    for r in range(size):
        top[r] = scores[0, r]
        total[r] = 0
    for c in range(1, len(scores)):
        x = scores[c]
        for r in range(size):
            top[r] = np.fmax(x[r], top[r])
    for c in range(len(scores)):
        x = scores[c]
        for r in range(size):
            total[r] += exp_of(np.fmax(x[r] - top[r], smallest))
    for r in range(size):
        top[r] += log_of(total[r])
    for c in range(len(scores)):
        x = scores[c]
        for r in range(size):
            x[r] -= top[r]


@inner
def _compute_exponentials(logs, size, out):
    smallest = out.dtype.type(SMALLEST_LOG)
    for c in range(len(logs)):
        x = logs[c]
        to = out[c]
        for r in range(size):
            to[r] = exp_of(np.fmax(x[r], smallest))


@inner
def _unmix(q, turned, least, size, out):
    """Logarithms of q inverse, with a turned inverse."""
    tiny = q.dtype.type(TINY)
    least = q.dtype.type(least)
    for c in range(len(q)):
        to = out[c]
        x = q[c]
        to[:] = 0
        _combine(turned[c], q, size, to)
        for r in range(size):
            to[r] = log_of(np.fmax(np.fmax(to[r], least * x[r]), tiny))


@inner
def score(logs, start, slope, offsets, size, out, top):
    """The probabilities of the classes but for a factor, as in the plain twin.

    Of some rows from ``start`` on. Were they cut out before, the compiler would not know that
    neighbours lie side by side, and take them one by one.
    """
    smallest = logs.dtype.type(SMALLEST_LOG)
    top[:] = -np.inf
    for c in range(len(logs)):
        x = logs[c, start : start + size]
        to = out[c]
        offset = offsets[c]
        for r in range(size):
            to[r] = x[r] * slope + offset
        for r in range(size):
            top[r] = np.fmax(to[r], top[r])
    for c in range(len(logs)):
        to = out[c]
        for r in range(size):
            to[r] = exp_of(np.fmax(to[r] - top[r], smallest))


@inner
def _weigh(part, transition, label, ends, n_runs, total):
    """Multiply by the probabilities of the labels; sum over the classes."""
    total[:] = 0
    for i in range(n_runs):
        column = label[ends[i]]
        run = slice(ends[i], ends[i + 1])
        totals = total[run]
        for c in range(len(part)):
            to = part[c, run]
            factor = transition[c, column]
            for r in range(len(totals)):
                to[r] *= factor
            for r in range(len(totals)):
                totals[r] += to[r]


@inner
def _take_own(part, label, size, total, own):
    """The probabilities of the labels themselves."""
    for r in range(size):
        own[r] = part[label[r], r]
    for r in range(size):
        own[r] /= total[r]


@inner
def _count(own, known, size):
    count = 0.0
    for r in range(size):
        count += 1.0 if known[r] else own[r]
    return count


@inner
def _add(own, weight, size, to):
    for r in range(size):
        to[r] += weight * own[r]


@inner
def _add_classes(part, weight, total, size, classes):
    for r in range(size):
        total[r] = weight / total[r]
    for c in range(len(part)):
        x = part[c]
        to = classes[c]
        for r in range(size):
            to[r] += x[r] * total[r]


@inner
def _make_wrong(right, vote, weight, size):
    """From right to wrong, raised by the vote where there is one."""
    for r in range(size):
        p = 1 - right[r]
        right[r] = np.fmax(np.fmax(p, 0.0), weight * vote[r] + (1 - weight) * p)


@inner
def _find_largest(classes, size, place, sums):
    """Place and value of the largest of each column, and the sum of all but the label."""
    top = sums[0]
    total = sums[1]
    top[:] = -1
    total[:] = 0
    for c in range(len(classes)):
        x = classes[c]
        this = np.int32(c)
        for r in range(size):
            place[r] = this if x[r] > top[r] else place[r]
        for r in range(size):
            top[r] = np.fmax(x[r], top[r])
        for r in range(size):
            total[r] += np.fmax(x[r], top.dtype.type(0))


@inner
def _limit(wrong, elsewhere, highest, known, sums, size):
    """Limit what is claimed; the largest other and the scale of all of them follow."""
    top = sums[0]
    total = sums[1]
    for r in range(size):
        at_most = highest if total[r] > 0 and not known[r] else 0.0
        wrong[r] = min(wrong[r], at_most)
        elsewhere[r] = 0.0 if known[r] else min(elsewhere[r], highest)
        total[r] = wrong[r] / total[r] if total[r] > 0 else 0.0
        top[r] *= total[r]


@inner
def _compute_suspicion(wrong, own, surprise, size, out):
    for r in range(size):
        wrong[r] = (1 - surprise) * _log_odds(wrong[r])
    for r in range(size):
        wrong[r] += surprise * _log_odds(1 - exp_of(np.fmax(own[r], SMALLEST_LOG)))
    for r in range(size):
        out[r] = 1 / (1 + exp_of(-wrong[r]))


@inner
def _log_odds(p):
    p = np.fmin(np.fmax(p, NEARLY), 1 - NEARLY)
    return log_of(p / (1 - p))


@inner
def _add_joint(classes, label, ends, n_runs, scale, joint):
    for i in range(n_runs):
        column = label[ends[i]]
        run = slice(ends[i], ends[i + 1])
        scales = scale[run]
        for c in range(len(classes)):
            joint[c, column] += _multiply(classes[c, run], scales)


@in_any_order
def _multiply(x, y):
    total = 0.0
    for r in range(len(y)):
        total += x[r] * y[r]
    return total
