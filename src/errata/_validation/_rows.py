"""One number for each row: weights, masks, scores, probabilities."""

from typing import Any

import numpy as np


def check_row_weights(name: str, value: Any, n: int, *, high: float = np.inf) -> np.ndarray:
    """Return one weight per row, in [0, high] and not all zero; ones when ``value`` is None."""
    if value is None:
        return np.ones(n)
    weights = np.asarray(value, dtype=float)
    if weights.ndim == 0:  # one number for all rows, as scikit-learn's estimators take it
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(
            f"{name} must hold one number for each of the {n} rows, but its shape is "
            f"{weights.shape}."
        )
    # What is right, turned round: NaN is wrong by any comparison.
    wrong = ~(np.isfinite(weights) & (weights >= 0) & (weights <= high))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name}[{row}] = {weights[row]} is not a weight; weights are finite numbers "
            f"{'at least 0' if np.isinf(high) else f'between 0 and {high:g}'}."
        )
    if not weights.any():
        raise ValueError(f"{name} is zero everywhere; at least one row must count.")
    return weights


def check_lengths(lengths: Any, n: int) -> np.ndarray:
    """Return the lengths of sequences that hold ``n`` samples in all; one sequence when None."""
    if lengths is None:
        return np.array([n])
    values = np.atleast_1d(np.asarray(lengths))
    if values.ndim != 1 or values.dtype.kind not in "iu" or (values < 1).any():
        raise ValueError("lengths must hold whole numbers above 0, one for each sequence.")
    if values.sum() != n:
        raise ValueError(
            f"lengths sum to {values.sum()}, but there are {n} samples; they must agree: each "
            "sample belongs to one sequence."
        )
    return values.astype(np.intp)


def check_sample_weight(sample_weight: Any, n: int) -> np.ndarray | None:
    """Return one weight per row, or None where all rows count alike."""
    return None if sample_weight is None else check_row_weights("sample_weight", sample_weight, n)


def check_class_weights(codes: np.ndarray, classes: np.ndarray, weight: np.ndarray) -> None:
    """Raise when all rows of a class have weight zero, so that it would be forgotten."""
    empty = classes[np.bincount(codes, weights=weight, minlength=len(classes)) == 0]
    if len(empty):
        raise ValueError(
            f"every row of the class {empty.tolist()[0]!r} has a sample_weight of zero, so that it "
            "cannot be learnt; drop these rows or give them a weight."
        )


def check_mask(name: str, mask: Any, n: int | None = None) -> np.ndarray:
    """Return a mask of one yes or no per row; 0 and 1 are accepted."""
    values = np.asarray(mask)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold one yes or no per row; its shape is {values.shape}.")
    _check_length(name, len(values), n)
    if not np.all(np.isin(values, (0, 1))):
        raise ValueError(f"{name} must hold True and False (or 1 and 0) only.")
    return values.astype(bool)


def check_row_scores(
    name: str, scores: Any, n: int | None = None, *, probability: bool = False
) -> np.ndarray:
    """Return one finite number per row, in [0, 1] where it is a probability."""
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold one number per row; its shape is {values.shape}.")
    _check_length(name, len(values), n)
    if not np.all(np.isfinite(values)):
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name}[{row}] = {values[row]} is not finite.")
    if probability and (values.min() < 0 or values.max() > 1):
        raise ValueError(
            f"{name} goes from {values.min():.3g} to {values.max():.3g}; "
            "probabilities lie between 0 and 1."
        )
    return values


def check_row_probabilities(name: str, value: Any, n: int) -> np.ndarray:
    """Return one probability for each of ``n`` rows."""
    p = np.asarray(value, dtype=float)
    if p.shape != (n,):
        raise ValueError(f"{name} must hold one probability per row, {n}; its shape is {p.shape}.")
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{name}[{row}] = {p[row]} is not a probability.")
    return p


def check_hardness(hardness: Any, n: int) -> np.ndarray:
    """Return how hard each of ``n`` rows is, in [0, 1]."""
    h = np.asarray(hardness, dtype=float)
    if h.shape != (n,):
        raise ValueError(f"hardness must be one number per row, {n}; its shape is {h.shape}.")
    if not np.all((h >= 0) & (h <= 1)):
        raise ValueError(
            "hardness must lie between 0 and 1; this one does not (or is nan): rescale it."
        )
    return h


def check_log_probabilities(name: str, value: Any) -> np.ndarray:
    """Return log-probabilities or log-densities, or name the first row that has none."""
    log_p = np.asarray(value, dtype=float)
    if log_p.ndim != 1 or len(log_p) == 0:
        raise ValueError(f"{name} must hold one number per row, but its shape is {log_p.shape}.")
    wrong = np.isnan(log_p) | (log_p == np.inf)
    # Minus infinity is accepted: it stands for a probability of zero.
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name}[{row}] = {log_p[row]} is not the logarithm of a probability or density; "
            "a model whose likelihood is infinite or undefined cannot be reinforced."
        )
    return log_p


def _check_length(name: str, found: int, n: int | None) -> None:
    if n is not None and found != n:
        raise ValueError(f"{name} has {found} rows, the other argument {n}; they must agree.")
