"""Labels and probabilities as cleanlab takes them, and the audit that answers for them."""

from typing import Any

import numpy as np

from ..._validation import check_choice
from ..._warn import warn_user
from ...auditing import Audit, MultilabelAudit, audit, audit_multilabel

METHODS = ("posterior", "confident_learning")


def check_method(method: str) -> None:
    """Raise where ``method`` is none of ours."""
    check_choice("method", method, METHODS)


def check_labels(labels: Any, pred_probs: Any) -> tuple[np.ndarray, np.ndarray]:
    """Integer labels and the matrix of probabilities; each label is a column of it."""
    y = np.asarray(labels)
    proba = np.asarray(pred_probs, dtype=float)
    if y.ndim != 1 or proba.ndim != 2 or len(y) != len(proba):
        raise ValueError(
            "labels must have the shape (n,) and pred_probs (n, K), but their shapes are "
            f"{y.shape} and {proba.shape}."
        )
    if len(y) == 0:
        raise ValueError("labels and pred_probs are empty.")
    if y.dtype.kind not in "iub" and not (y.dtype.kind == "f" and np.all(y == np.round(y))):
        raise ValueError(
            "labels must be integers from 0 to K - 1; for labels of any kind use "
            "errata.audit(None, labels, pred_proba=pred_probs)."
        )
    y = y.astype(int)
    if y.min() < 0 or y.max() >= proba.shape[1]:
        raise ValueError(
            f"labels must lie between 0 and {proba.shape[1] - 1}, as pred_probs has "
            f"{proba.shape[1]} columns, but they lie between {y.min()} and {y.max()}."
        )
    if not np.isfinite(proba).all() or proba.min() < 0:
        raise ValueError("pred_probs holds numbers that are not probabilities.")
    return y, proba


def audit_labels(y: np.ndarray, proba: np.ndarray) -> Audit:
    """Audit labels by probabilities alone; classes that no label names cannot be judged."""
    seen = np.unique(y)
    if len(seen) < proba.shape[1]:
        proba = proba[:, seen]
        total = proba.sum(axis=1, keepdims=True)
        uniform = np.full_like(proba, 1 / len(seen))
        proba = np.divide(proba, total, out=uniform, where=total > 0)
    return audit(None, y, pred_proba=proba, self_check=False, random_state=0)


def warn_unused(**arguments: Any) -> None:
    """Say which of the arguments given belong to confident learning and were not used."""
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        warn_user(
            f"{' and '.join(given)} belong to confident learning and were not used; errata's "
            "posterior answers. Pass method='confident_learning' to use them.",
            UserWarning,
        )


def one_hot(labels: Any, n_classes: int) -> np.ndarray:
    """0 and 1 for each row and class, from lists of labels."""
    member = np.zeros((len(labels), n_classes), dtype=int)
    for i, row in enumerate(labels):
        for label in row:
            if not 0 <= label < n_classes:
                raise ValueError(
                    f"row {i} has the label {label!r}, but pred_probs has columns for the labels "
                    f"0 to {n_classes - 1}."
                )
            member[i, int(label)] = 1
    return member


def stack_complement(proba: np.ndarray) -> np.ndarray:
    """Probabilities of "no" and of "yes" from those of "yes"."""
    return np.column_stack([1 - np.asarray(proba), proba])


def audit_cells(member: np.ndarray, proba: np.ndarray) -> MultilabelAudit:
    """Audit rows with several labels by probabilities alone."""
    return audit_multilabel(None, member, pred_proba=proba, self_check=False, random_state=0)
