"""Probabilities of classes: of models, of rows given their labels. The plain twin.

Hypothesis h gives classes the probabilities softmax(slope log q + offsets) before the label is
looked at, where q are the calibrated probabilities of labels, or for some hypotheses q inverse; and
label l of class c the probability ``transitions[h, c, l]``.
"""

from typing import Any, NamedTuple

import numpy as np

NUMBERS = 2**16  # worked on at once: what stays in the processor's cache

SMALLEST_LOG = -80.0  # of a probability; single precision ends a little below
NEARLY = 1e-9  # to zero or one: probabilities have no finite log-odds beyond


def pool_logs(probas, weights, smallest):
    """Logarithms of the pooled probabilities (K, n), and each model's largest class (models, n).

    No model gives a class a probability below the ``smallest``. The precision is that of the
    probabilities, which are of shape (n, K).
    """
    n, k = probas[0].shape
    pooled = np.empty((k, n), dtype=np.result_type(*probas))
    predictions = np.empty((len(probas), n), dtype=np.int16)
    step = max(1, NUMBERS // k)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        total = pooled[:, rows]
        total[:] = 0
        for weight, proba, predicted in zip(weights, probas, predictions, strict=True):
            logs = compute_logs_above(proba[rows].T, smallest)
            predicted[rows] = find_largest(logs)[0]
            logs *= pooled.dtype.type(weight)
            total += logs
        normalise(total)
    return pooled, predictions


def compute_logs_above(proba, smallest):
    """Logarithms of probabilities, none of them smaller than the ``smallest``."""
    logs = np.maximum(proba, np.float32(smallest), order="C")
    return np.log(logs, out=logs)


def normalise(scores):
    """The same array, now with logarithms of probabilities in each column."""
    scores -= scores.max(axis=0)
    scores -= np.log(np.exp(scores).sum(axis=0))
    return scores


def find_largest(values):
    """Place and value of the largest of each column, the first of equals; faster than argmax."""
    k = len(values)
    top = values.max(axis=0)
    is_top = (values == top).view(np.int8)
    from_behind = np.arange(k, 0, -1, dtype=np.int16)[:, None]
    return k - (is_top * from_behind).max(axis=0), top


class Hypotheses(NamedTuple):
    """Noise hypotheses that rows are judged by, H of them for K classes; floats as precise as q."""

    slopes: np.ndarray  # (H,)
    offsets: np.ndarray  # (H, K)
    transitions: np.ndarray  # (H, K, K)
    inverses: np.ndarray  # (U, K, K), of matrices to be undone
    inverse_of: np.ndarray  # (H,), place among the inverses, or -1
    weights: np.ndarray  # (H,), in p_wrong
    ranking: np.ndarray  # (H,), in suspicion
    elsewhere: np.ndarray  # (H,), in p_elsewhere
    least_unmixed: float  # of a probability, what undoing leaves of it at least

    def astype(self, dtype: Any) -> "Hypotheses":
        """The same in another precision; weights of single numbers stay in double."""
        slopes, offsets, transitions, inverses, weights = (
            values.astype(dtype, copy=False)
            for values in (self.slopes, self.offsets, self.transitions, self.inverses, self.weights)
        )
        return self._replace(
            slopes=slopes,
            offsets=offsets,
            transitions=transitions,
            inverses=inverses,
            weights=weights,
        )


class Findings(NamedTuple):
    """Findings about n rows."""

    p_wrong: np.ndarray  # (n,)
    suspicion: np.ndarray  # (n,)
    other: np.ndarray  # (n,), the most probable class besides the label
    p_other: np.ndarray  # (n,)
    p_elsewhere: np.ndarray  # (n,)
    joint: np.ndarray  # (K, K), expected number of rows of class c with label l
    right: np.ndarray  # (H,), expected number of right labels under each hypothesis

    def make_empty(self, n: int) -> "Findings":
        """Empty findings of n rows, to be filled part by part."""
        *per_row, joint, right = self
        empty = [np.empty(n, dtype=column.dtype) for column in per_row]
        return Findings._make([*empty, np.zeros_like(joint), np.zeros_like(right)])

    def put(self, start: int, part: "Findings") -> None:
        """Write those of some rows, and add what is summed up."""
        rows = slice(start, start + len(part.p_wrong))
        for column, of_part in zip(self[:-2], part[:-2], strict=True):
            column[rows] = of_part
        self.joint[:] += part.joint
        self.right[:] += part.right


def judge_rows(
    logs, codes, calibration, hypotheses, *, highest, surprise, vote, vote_weight, known
):
    """Judge rows of log-probabilities (K, n), a block at a time.

    ``calibration`` is a map (K, K + 1) of the log-probabilities, empty for none. ``p_wrong`` is at
    most ``highest``, ``surprise`` the part of plain surprise in the suspicion. ``vote`` (n,) is a
    probability that raises others, NaN for none, and ``known`` says which labels are certain.
    """
    k, n = logs.shape
    step = max(1, NUMBERS // k)
    parts = []
    for start in range(0, max(n, 1), step):
        rows = slice(start, start + step)
        limits = highest, surprise, vote[rows], vote_weight, known[rows]
        parts.append(_judge(logs[:, rows], codes[rows], calibration, hypotheses, *limits))
    *per_row, joint, right = zip(*parts, strict=True)
    sums = np.sum(joint, axis=0), np.sum(right, axis=0)
    return Findings._make([*map(np.concatenate, per_row), *sums])


def _judge(logs, codes, calibration, hypotheses, highest, surprise, vote, vote_weight, known):
    own = places_of_labels(codes)
    logs = _calibrate(logs, calibration)
    classes, (ranked, elsewhere), right = _mix_hypotheses(logs, codes, hypotheses, known)

    def wrong(right):
        p = 1 - right
        raised = np.fmax(np.maximum(p, 0), vote_weight * vote + (1 - vote_weight) * p)
        return np.where(known, 0, raised)

    p_wrong = set_wrong(classes, own, np.minimum(wrong(classes.take(own)), highest))
    joint = _count_joint(classes, codes)
    classes.put(own, -1)  # so that the largest is that of another class
    other, p_other = find_largest(classes)
    suspicion = score_between(wrong(ranked), -np.expm1(logs.take(own).astype(float)), surprise)
    return Findings(
        p_wrong=p_wrong.astype(float),
        suspicion=np.where(known, 0, suspicion),
        other=other.astype(np.int16),
        p_other=p_other.astype(np.float32),
        p_elsewhere=np.minimum(wrong(elsewhere), highest),
        joint=joint,
        right=right,
    )


def places_of_labels(codes):
    """Where the label of each row is among all numbers of an array (K, n)."""
    return len(codes) * codes.astype(np.intp, copy=False) + np.arange(len(codes))


def _calibrate(logs, calibration):
    if not calibration.size:
        return logs
    return normalise(calibration[:, :-1] @ logs + calibration[:, -1:])


def _mix_hypotheses(logs, codes, h, known):
    """Means over hypotheses: classes given labels, labels by other weights, right labels."""
    classes = np.zeros_like(logs)
    right = np.empty(len(h.slopes))
    labels = np.zeros((2, len(codes)))
    places = places_of_labels(codes)
    q = np.exp(logs) if len(h.inverses) else logs
    for i, slope in enumerate(h.slopes):
        undone = logs
        if h.inverse_of[i] >= 0:
            undone = undo_noise(q, h.inverses[h.inverse_of[i]], h.least_unmixed)
        part = compute_unnormalised(undone, slope, h.offsets[i])
        part *= h.transitions[i].take(codes, axis=1)
        total = part.sum(axis=0)
        own = part.take(places) / total
        right[i] = np.where(known, 1, own).sum(dtype=float)
        labels += np.multiply.outer([float(h.ranking[i]), float(h.elsewhere[i])], own)
        part *= h.weights[i] / total
        classes += part
    return classes, labels, right


def compute_unnormalised(logs, slope, offsets):
    """Softmax(slope logs + offsets) but for a factor: one at most, nowhere quite zero.

    Were it zero, a label could be impossible under a hypothesis, and what follows undefined.
    """
    scores = logs * logs.dtype.type(slope)
    if np.any(offsets):
        scores += np.asarray(offsets, dtype=logs.dtype)[:, None]
    scores -= scores.max(axis=0)
    np.maximum(scores, SMALLEST_LOG, out=scores)
    return np.exp(scores, out=scores)


def undo_noise(q, inverse, least):
    """Logarithms of q inverse, cut to ``least`` q at least, never quite zero."""
    p = inverse.T.astype(q.dtype) @ q
    np.maximum(p, q.dtype.type(least) * q, out=p)
    np.maximum(p, np.finfo(q.dtype).tiny, out=p)
    return np.log(p, out=p)


def set_wrong(classes, own, wanted):
    """Make the labels, ``own`` places, wrong as wanted, and the other classes in scale.

    A label that was certain leaves nothing to scale: then it stays so.
    """
    classes.put(own, 0)  # so that nothing is lost to rounding, as in a difference of sums
    others = classes.sum(axis=0)
    wanted = np.where(others > 0, wanted, 0.0)
    scale = np.divide(wanted, others, out=np.zeros(len(wanted)), where=others > 0)
    classes *= scale.astype(classes.dtype)
    classes.put(own, 1 - wanted)
    return wanted


def _count_joint(classes, codes):
    """Expected number of rows of each class with each label."""
    k = len(classes)
    cells = np.arange(k)[:, None] * k + codes
    counts = np.bincount(cells.ravel(), weights=classes.ravel(), minlength=k * k)
    return counts.reshape(k, k)


def score_between(p_wrong, surprise, part):
    """A place between the log-odds of a wrong label and those of any other label."""
    odds = (1 - part) * log_odds(p_wrong) + part * log_odds(surprise)
    return 1 / (1 + np.exp(-odds))


def log_odds(p):
    """Logarithms of p / (1 - p), finite: this is faster than scipy's logit."""
    p = p.clip(NEARLY, 1 - NEARLY)
    return np.log(p / (1 - p))
