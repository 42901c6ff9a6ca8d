"""What models of sequences are given: samples, labels, lengths, and which class follows which."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._format import join_names
from .._validation import check_data, check_known_labels, check_labels, check_lengths, check_rows

MISSING = -1  # the code of a missing label
BLOCK = 65_536  # samples from which a block of whole sequences is worked on


class Sequences(NamedTuple):
    """Sequences, one after the other."""

    X: np.ndarray  # (n, d)
    codes: np.ndarray  # (n,): of the labels; -1 where one is missing
    ends: np.ndarray  # (S,): where each sequence stops

    @property
    def starts(self) -> np.ndarray:
        """Where each sequence begins."""
        return np.r_[0, self.ends[:-1]]

    def blocks(self) -> Iterator[slice]:
        """Rows of whole sequences: as few of them as make a block worth its while."""
        begin = 0
        for end in self.ends.tolist():
            if end - begin >= BLOCK or end == self.ends[-1]:
                yield slice(begin, end)
                begin = end

    def of(self, rows: slice) -> "Sequences":
        """The sequences that one of the blocks holds."""
        inside = (self.ends > rows.start) & (self.ends <= rows.stop)
        return Sequences(self.X[rows], self.codes[rows], self.ends[inside] - rows.start)

    def unlabelled(self) -> "Sequences":
        """The same without any label."""
        return self._replace(codes=np.full(len(self.X), MISSING, np.int16))


def check_sequences(estimator: Any, X: Any, y: Any, lengths: Any, missing_label: Any) -> Sequences:
    """Validate what a model is fitted on; sets ``classes_`` and ``n_features_in_``."""
    if y is None:
        # The words that scikit-learn's estimator checks look for.
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    X, y = _check_finite(check_data, estimator, X, y, dtype=float, order="C")
    missing = _find_missing(y, missing_label)
    estimator.classes_, known = _find_classes(y[~missing], missing, missing_label)
    return Sequences(X, _expand(known, missing), np.cumsum(check_lengths(lengths, len(X))))


def check_new_sequences(
    estimator: Any, X: Any, lengths: Any, y: Any = None, missing_label: Any = None
) -> Sequences:
    """Validate sequences for a fitted model; their labels, if given, are among its classes."""
    X = _check_finite(check_rows, estimator, X, dtype=float, order="C")
    sequences = Sequences(X, np.empty(0), np.cumsum(check_lengths(lengths, len(X)))).unlabelled()
    if y is None:
        return sequences
    y = np.asarray(y)
    if y.shape != (len(X),):
        raise ValueError(f"y must hold one label for each of the {len(X)} rows, not {y.shape}.")
    missing = _find_missing(y, missing_label)
    if missing.all():
        return sequences
    known = check_known_labels(y[~missing], estimator.classes_)
    return sequences._replace(codes=_expand(known, missing))


def _find_classes(
    labels: np.ndarray, missing: np.ndarray, missing_label: Any
) -> tuple[np.ndarray, np.ndarray]:
    beside = (
        f" ({missing.sum()} labels are {missing_label!r}, which stands for a missing label; if it "
        "is a class, pass another missing_label)"
        if missing.any()
        else ""
    )
    if not len(labels):
        raise ValueError(f"y holds no label{beside}; samples of two classes at least are needed.")
    classes, codes = check_labels(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]}){beside}; a model of sequences needs two at "
            "least."
        )
    return classes, codes


def _find_missing(y: np.ndarray, missing_label: Any) -> np.ndarray:
    """Which labels are the one that stands for none."""
    if missing_label is None:
        return np.array([label is None for label in y], dtype=bool)
    if y.dtype.kind != "O" and (y.dtype.kind in "US") != isinstance(missing_label, str):
        return np.zeros(len(y), dtype=bool)  # a word is never a number
    return np.array(y == missing_label, dtype=bool)


def _expand(known: np.ndarray, missing: np.ndarray) -> np.ndarray:
    codes = np.full(len(missing), MISSING, np.int16)
    codes[~missing] = known
    return codes


def _check_finite(check: Any, estimator: Any, X: Any, *others: Any, **checks: Any) -> Any:
    """Check, and name the row where a number is missing or infinite."""
    try:
        return check(estimator, X, *others, **checks)
    except ValueError as error:
        if not str(error).startswith("Input X contains"):
            raise
        row = np.flatnonzero(~np.isfinite(np.asarray(X, dtype=float)).all(axis=1))[0]
        raise ValueError(f"{str(error).rstrip()} The first such row is row {row}.") from None


def find_allowed_transitions(transitions: Any, classes: np.ndarray) -> np.ndarray:
    """The mask (K, K) of what may follow what: anything, what a mask says, or a cycle."""
    k = len(classes)
    if transitions is None:
        return np.ones((k, k), dtype=bool)
    if np.ndim(transitions) == 1:
        return _make_cycle(list(transitions), classes.tolist())
    mask = np.asarray(transitions)
    if mask.shape != (k, k) or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"transitions must be a mask of shape {(k, k)} of True and False, one row for each of "
            "the sorted classes, or the classes in the order of a cycle; its shape is "
            f"{mask.shape}."
        )
    mask = mask.astype(bool)
    if not mask.any(axis=1).all():
        stuck = classes.tolist()[int(np.flatnonzero(~mask.any(axis=1))[0])]
        raise ValueError(
            f"by transitions nothing may follow the class {stuck!r}; allow it itself at least."
        )
    return mask


def _make_cycle(order: list[Any], classes: list[Any]) -> np.ndarray:
    """Each class is followed by itself or by the next one, the last by the first."""
    if len(order) != len(classes) or set(order) != set(classes):
        raise ValueError(
            f"transitions name the cycle {join_names(order)}, but the classes are "
            f"{join_names(classes)}; name each class once."
        )
    places = np.array([classes.index(name) for name in order])
    mask = np.eye(len(classes), dtype=bool)
    mask[places, np.roll(places, -1)] = True
    return mask
