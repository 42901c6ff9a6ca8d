"""The front door: labels, tables of features, rates and counts are checked here and only here."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data


def check_labels(y: Any, *, name: str = "y", min_classes: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct labels of ``y`` and, for each row, the index of its label.

    Numbers, strings and booleans are welcome; missing labels, measurements (floats that are not
    whole numbers) and labels of several kinds at once are not.
    """
    y = as_column(y)
    if y.ndim != 1:
        raise ValueError(f"{name} must hold one label per row, but its shape is {y.shape}.")
    if len(y) == 0:
        raise ValueError(f"{name} is empty; errata needs at least one labelled row.")
    check_no_missing_labels(y, name=name)
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:  # str and int do not compare
        kinds = ", ".join(sorted({type(label).__name__ for label in y.tolist()}))
        raise ValueError(
            f"{name} mixes labels of several kinds ({kinds}); convert them to one, "
            "for instance with astype(str)."
        ) from error
    if y.dtype.kind not in "biu" or 2 * len(classes) > len(y):  # else it is slow and says nothing
        check_classification_targets(y)
    if len(classes) < min_classes:
        raise ValueError(
            f"{name} holds one class only ({classes[0]}); at least {min_classes} are needed "
            "to tell a wrong label from a right one."
        )
    return classes, codes


def as_column(y: Any) -> np.ndarray:
    """Labels as an array; a table of one column is as good as a column."""
    y = np.asarray(y)
    return y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y


def check_no_missing_labels(y: np.ndarray, *, name: str = "y") -> None:
    """Raise when a label is None, NaN, NaT or pandas' NA."""
    if y.dtype.kind in "OfcmM":
        missing = np.flatnonzero([_is_missing(label) for label in y])
        if len(missing):
            rows = "row" if len(missing) == 1 else "rows"
            raise ValueError(
                f"{name} contains NaN or None: {len(missing)} {rows} without a label "
                f"(the first is row {missing[0]}); drop these rows or label them."
            )


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    equals_itself = label == label  # NaN and NaT do not; pandas' NA will not say
    return not (isinstance(equals_itself, bool | np.bool_) and bool(equals_itself))


def check_labelled(
    estimator: Any, X: Any, y: Any, *, min_classes: int = 1, **checks: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Validate what a detector or classifier is fitted on; return X and the codes of the labels.

    Sets ``classes_``, ``n_features_in_`` and, for dataframes, ``feature_names_in_``. ``checks``
    goes to scikit-learn's ``validate_data``.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    X, y = validate_data(estimator, X, y, **checks)
    estimator.classes_, codes = check_labels(y, min_classes=min_classes)
    return X, codes


def check_row_weights(name: str, value: Any, n: int, *, high: float = np.inf) -> np.ndarray:
    """Return one weight per row, in [0, high] and not all zero; ones when ``value`` is None."""
    if value is None:
        return np.ones(n)
    weights = np.asarray(value, dtype=float)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(
            f"{name} must hold one number for each of the {n} rows, but its shape is "
            f"{weights.shape}."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0) & (weights <= high))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name}[{row}] = {weights[row]} is no weight; weights are finite numbers "
            f"{'at least 0' if np.isinf(high) else f'between 0 and {high:g}'}."
        )
    if not weights.any():
        raise ValueError(f"{name} is zero everywhere; at least one row must count.")
    return weights


def check_count(name: str, value: Any, *, low: int = 1, high: int | None = None) -> int:
    """Return ``value`` as an int when it is a whole number in [low, high]."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name}={value!r} must be a whole number {allowed}.")
    return int(value)


def check_fraction(name: str, value: Any, *, low: float = 0.0, high: float = 1.0) -> float:
    """Return ``value`` as a float when it is a number in [low, high]."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not low <= float(value) <= high:
        raise ValueError(f"{name}={value!r} must be a number between {low:g} and {high:g}.")
    return float(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return ``value`` when it is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name}={value!r} is not known; choose from {', '.join(choices)}.")
    return value
