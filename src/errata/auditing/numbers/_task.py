"""The task made of a table: rows in order, targets on a scale, values that repeat.

A smooth density of residuals knows nothing of them: rows that hold the value and rows that do not
would look like errors of each other. Whether a row holds a repeated value is one question, asked of
trees; what it holds if it does not is another, and the audit of the other rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..._canonical import drop_last_bits, number_by_appearance, order_rows, round_cells, sign_table
from ..._compat import take_rows
from ..inputs._duplicates import copies_note, copy_groups
from ..inputs._groups import join_groups
from ._models import (
    SMALLEST_SCALE,
    Predict,
    TargetData,
    cross_fit_regressor,
    default_target_models,
    weighted_median,
)

LOG_QUANTILE = 0.01  # of positive targets; a tenth of it is the floor of logarithms

# Repeated values: single ones that many rows share
LEAST_REPEATED = 0.05  # fraction of the rows
LEAST_EXCESS = 2.0  # times the next most frequent value
FEWEST_BESIDE = 15  # rows that are left beside repeated values
NEXT_LEVEL = 1.5  # rounding steps within which the levels beside a level are

START_CLIP = 10.0  # robust scales beyond the quartiles: targets further out start from there
MOSTLY_SHARED = 0.5  # of the rows: where so many share their value, targets are rounded
SMALLEST_STEP = 0.5  # of a rounding step: how far rounding alone moves a target


@dataclass(frozen=True)
class TargetRows:
    """Rows of a table, their targets, and the models that the user passes.

    Attributes
    ----------
    X : array of float of shape (n, d) or None
        Numeric features, each with mean 0 and standard deviation 1; None with predictions alone.
    targets : array of float of shape (n,)
        The targets; NaN where a row has none.
    table : table, optional
        What ``estimator`` learns from; ``X`` when not given.
    groups : array of int of shape (n,), optional
        The number of each row's group where rows must be left out together.
    estimator : regressor, optional
        Learns from ``table``.
    predictions : array of shape (n,) or (n, m), optional
        Out of sample, by models of the user.
    estimators : sequence, optional
        Models in place of the default ones.
    known : array of bool of shape (n,), optional
        Targets that are certain.
    repeated : array, optional
        Targets that many rows share; these rows are judged on their own and have none here.
    """

    X: np.ndarray | None
    targets: np.ndarray
    table: Any = None
    groups: np.ndarray | None = None
    estimator: Any = None
    predictions: np.ndarray | None = None
    estimators: Sequence[Any] | None = None
    known: np.ndarray | None = None
    repeated: np.ndarray = field(default_factory=lambda: np.empty(0))
    seed: int = 0
    n_jobs: int | None = None

    @property
    def has_target(self) -> np.ndarray:
        """Whether each row has one."""
        return ~np.isnan(self.targets)

    def for_rows(self, rows: np.ndarray) -> "TargetRows":
        """The same for some of the rows."""

        def take(values: np.ndarray | None) -> np.ndarray | None:
            return None if values is None else np.asarray(values)[rows]

        return replace(
            self,
            X=take(self.X),
            targets=self.targets[rows],
            table=None if self.table is None else take_rows(self.table, rows),
            groups=take(self.groups),
            predictions=take(self.predictions),
            known=take(self.known),
        )


def arrange(rows: TargetRows) -> tuple[TargetRows, np.ndarray]:
    """The same with rows and features in an order that follows from what they hold, and that order.

    Folds and samples are drawn by position: another order of the same table would be another draw.
    """
    n = len(rows.targets)
    predictions = np.empty((n, 0))
    if rows.predictions is not None:
        predictions = np.asarray(rows.predictions, dtype=float).reshape(n, -1)
    X = predictions if rows.X is None else rows.X
    signatures, columns = sign_table(X)
    known = np.zeros(n) if rows.known is None else rows.known
    ties = [round_cells(values) for values in (rows.targets, known, *predictions.T)]
    order = order_rows(X, signatures, *ties)
    rows = rows.for_rows(order)
    if rows.X is not None:
        rows = replace(rows, X=rows.X[:, np.argsort(columns)])
    if rows.groups is not None:
        rows = replace(rows, groups=number_by_appearance(rows.groups))
    return rows, order


class TargetScale:
    """(y - center) / spread, or the same of the logarithm of y.

    By the median and the larger of two robust spreads; of many equal targets, the deviation.
    """

    floor: float | None = None  # of logarithms: smaller targets count as this; None without logs

    def __init__(self, targets: np.ndarray, *, logs: bool = False) -> None:
        values = targets
        if logs:
            # What nearly all positive targets exceed, over ten: what is below is as far out.
            self.floor = float(np.quantile(targets[targets > 0], LOG_QUANTILE)) / 10
            values = np.log(np.maximum(targets, self.floor))
        low, center, high = np.quantile(values, [0.25, 0.5, 0.75])
        spread = max(1.4826 * np.median(np.abs(values - center)), (high - low) / 1.349)
        spread = spread if spread > 0 else values.std()
        if not spread > 0:
            raise ValueError(
                f"all targets are {targets[0]:g}, so that none can be wrong; pass a target that "
                "varies."
            )
        self.center = float(center)
        self.spread = float(spread)

    @property
    def logs(self) -> bool:
        """Whether values are logarithms."""
        return self.floor is not None

    def apply(self, targets: np.ndarray) -> np.ndarray:
        """Targets on this scale."""
        values = targets if self.floor is None else np.log(np.maximum(targets, self.floor))
        return (values - self.center) / self.spread

    def log_slope(self, targets: np.ndarray) -> np.ndarray:
        """Log of the derivative, by which densities on this scale are those of the targets."""
        return -np.log(self.spread) - (np.log(np.maximum(targets, self.floor)) if self.floor else 0)

    def undo(self, values: np.ndarray) -> np.ndarray:
        """Values on this scale, in the units of the targets."""
        values = self.center + self.spread * values
        return np.exp(values) if self.logs else values


class TargetTask:
    """Rows with a target first, targets and predictions on one scale, and the models.

    Attributes
    ----------
    order : array of int of shape (n + m,)
        Rows with a target, then rows without.
    data : TargetData
    models : list of (str, callable)
        What reports call each model, and what predicts every row without its own target.
    known : array of bool of shape (n,)
    scale : TargetScale
    notes : list of str
    """

    def __init__(self, rows: TargetRows, *, logs: bool = False) -> None:
        has_target = np.isfinite(rows.targets)
        n = int(has_target.sum())
        self.order = np.r_[np.flatnonzero(has_target), np.flatnonzero(~has_target)]
        rows = rows.for_rows(self.order)
        targets = rows.targets[:n]
        self.scale = TargetScale(targets, logs=logs)
        X = np.empty((len(self.order), 0)) if rows.X is None else rows.X
        groups = None if rows.groups is None else np.unique(rows.groups[:n], return_inverse=True)[1]
        groups, copies = join_copies(X[:n], targets, groups)
        scaled = self.scale.apply(targets)
        self.data = TargetData(
            X,
            scaled,
            groups=groups,
            smallest_scale=max(SMALLEST_SCALE, SMALLEST_STEP * rounding_step(scaled)),
            repeated=self.scale.apply(rows.repeated),
            random_state=rows.seed,
            n_jobs=rows.n_jobs,
        )
        self.models = choose_target_models(rows, self.scale)
        self.known = np.zeros(n, dtype=bool) if rows.known is None else rows.known[:n]
        self.notes = [] if copies is None else [copies_note(copies, "target")]

    def in_given_order(self, values: np.ndarray, otherwise: Any = 0.0) -> np.ndarray:
        """Values of all rows, or of those with a target, in the order in which rows were given."""
        spread = np.full(len(self.order), otherwise, dtype=values.dtype)
        spread[self.order[: len(values)]] = values
        return spread


def get_predictions(data: TargetData, *, given: np.ndarray) -> np.ndarray:
    """Predictions that the user has already, on the scale of the targets."""
    return given


def choose_target_models(rows: TargetRows, scale: TargetScale) -> list[tuple[str, Predict]]:
    """Default models unless others are passed instead, the user's regressor and predictions."""
    models: list[tuple[str, Predict]] = []
    if rows.estimators is not None:
        for position, entry in enumerate(rows.estimators):
            is_named = isinstance(entry, tuple) and len(entry) == 2
            default = (f"{type(entry).__name__} {position + 1}", entry)
            name, regressor = entry if is_named else default
            _check_regressor("estimators", regressor)
            models.append((name, partial(cross_fit_regressor, regressor=regressor)))
    elif rows.X is not None:
        models += default_target_models(int(rows.has_target.sum()))
    if rows.estimator is not None:
        _check_regressor("estimator", rows.estimator)
        fitted = partial(cross_fit_regressor, regressor=rows.estimator, table=rows.table)
        models.append(("your model", fitted))
    if rows.predictions is not None:
        predictions = scale.apply(rows.predictions).reshape(len(rows.targets), -1).T
        for k, given in enumerate(predictions, start=1):
            name = "your predictions" if len(predictions) == 1 else f"your predictions {k}"
            models.append((name, partial(get_predictions, given=given)))
    if not models:
        raise ValueError("no model is left to check the targets: pass a table, or predictions.")
    return models


def _check_regressor(parameter: str, regressor: Any) -> None:
    if isinstance(regressor, type | str) or not hasattr(regressor, "predict"):
        raise ValueError(
            f"{parameter}={regressor!r} has no predict; pass a regressor such as "
            "sklearn.ensemble.RandomForestRegressor()."
        )


def rounding_step(targets: np.ndarray) -> float:
    """How far a value is from the next that rows share, in the middle; 0 if few rows share theirs.

    Values of a single row do not count: an error need not be rounded as right targets are.

    Examples
    --------
    >>> rounding_step(np.array([0.5, 1.0, 1.5, 1.0, 0.5, 1.5, 7.123]))
    0.5
    >>> rounding_step(np.array([0.53, 1.04, 1.56, 1.01]))
    0.0
    """
    values, times = np.unique(drop_last_bits(targets), return_counts=True)
    shared = times > 1
    if times[shared].sum() < MOSTLY_SHARED * len(targets) or shared.sum() < 2:
        return 0.0
    gaps = np.diff(values[shared])
    nearest = np.minimum(np.r_[np.inf, gaps], np.r_[gaps, np.inf])
    return float(weighted_median(nearest, times[shared]))


def clip_far_targets(values: np.ndarray) -> np.ndarray:
    """Values no further than ten spreads beyond the quartiles.

    A rare but legitimate regime far from the rest is not taken for errors before it was learnt.
    """
    low, high = np.quantile(values, [0.25, 0.75])
    return np.clip(values, low - START_CLIP, high + START_CLIP)


def find_repeated_values(targets: np.ndarray) -> np.ndarray:
    """Values that stand out: of a twentieth of the rows, and twice as frequent as any other left.

    Ratings and counts, whose frequencies fall off slowly, hold none. The most frequent of few
    levels is none either if others are a step below and above; zeros of counts are at the end.
    """
    left = targets[np.isfinite(targets)]
    least = LEAST_REPEATED * len(left)
    repeated = []
    while len(left):
        values, times = np.unique(left, return_counts=True)
        most, next_most = np.sort(np.r_[0, times])[:-3:-1]
        value = values[times.argmax()]
        left = left[left != value]
        if most < max(least, LEAST_EXCESS * next_most) or len(left) < FEWEST_BESIDE:
            break
        if left.min() == left.max():
            break
        step = NEXT_LEVEL * rounding_step(left)
        sides = [(value - left)[left < value], (left - value)[left > value]]
        if all(len(away) >= least and away.min() <= step for away in sides):
            break
        repeated.append(value)
    return np.array(repeated)


def find_copies(X: np.ndarray, targets: np.ndarray) -> np.ndarray | None:
    """The number of each row's group of equal rows, if these are copies; None if there are none.

    Rows with equal features may also be different rows that coarse columns cannot tell apart, and
    then each tells about the others. Copies have equal targets, too: half of such rows at least,
    and twice as many as any two rows have by chance.
    """
    groups = copy_groups(X)
    if groups.max() + 1 == len(groups):
        return None
    together = np.bincount(groups)[groups] > 1
    both = np.unique(np.column_stack([groups, _codes(targets)]), axis=0, return_inverse=True)[1]
    same = np.bincount(both.ravel())[both.ravel()] > 1
    by_chance = float(np.sum((np.bincount(_codes(targets)) / len(targets)) ** 2))
    return groups if same[together].mean() >= max(0.5, 2 * by_chance) else None


def _codes(targets: np.ndarray) -> np.ndarray:
    return np.unique(targets, return_inverse=True)[1]


def join_copies(
    X: np.ndarray, targets: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Groups that keep copies together, and the copies; unless they link all groups to one."""
    copies = find_copies(X, targets) if X.shape[1] else None
    if copies is None or groups is None:
        return (groups if copies is None else copies), copies
    both = join_groups(copies, groups)
    return (both, copies) if both.max() > 0 else (groups, None)
