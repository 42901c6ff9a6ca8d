"""What is given, and the task made of it: rows in order, targets on a scale, values that repeat.

A smooth density of residuals knows nothing of them: rows that hold the value and rows that do not
would look like errors of each other. Whether a row holds an atom is one question, asked of trees;
what it holds if it does not is another, and the audit of the other rows.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..._canonical import (
    drop_last_bits,
    number_by_appearance,
    order_rows,
    round_cells,
    sign_table,
)
from ..._compat import take_rows
from ..inputs._duplicates import copies_note, copy_groups
from ..inputs._groups import join_groups
from ._models import (
    NOTHING_BROUGHT,
    BroughtPredictions,
    TargetData,
    TargetPredictor,
    TreesRegression,
    choose_target_models,
    weighted_median,
)
from ._settings import (
    ATOM_LEAF,
    FEWEST_BESIDE,
    LEAST_ATOM,
    LEAST_EXCESS,
    LEAST_SKEW,
    LOG_QUANTILE,
    MOSTLY_POSITIVE,
    MOSTLY_SHARED,
    SCALE_TREES,
    SKEW_QUANTILES,
    SMALLEST_SCALE,
    SMALLEST_STEP,
    START_CLIP,
    TRUST_IN_TREES,
)


@dataclass(frozen=True)
class GivenTargets:
    """All that :func:`find_wrong_targets` is given."""

    X: np.ndarray | None
    targets: np.ndarray
    table: Any = None
    groups: np.ndarray | None = None
    brought: BroughtPredictions = NOTHING_BROUGHT
    known: np.ndarray | None = None
    seed: int = 0
    n_jobs: int | None = None

    def for_rows(self, rows: np.ndarray) -> "GivenTargets":
        """The same for some of the rows."""
        return replace(
            self,
            X=None if self.X is None else self.X[rows],
            targets=self.targets[rows],
            table=None if self.table is None else take_rows(self.table, rows),
            groups=None if self.groups is None else self.groups[rows],
            brought=self.brought.for_rows(rows),
            known=None if self.known is None else self.known[rows],
        )


def arrange(given: GivenTargets) -> tuple[GivenTargets, np.ndarray]:
    """The same with rows and features in an order that follows from what they hold, and that order.

    Folds and samples are drawn by position: another order of the same table would be another draw.
    """
    n = len(given.targets)
    told = np.empty((n, 0))
    if given.brought.predictions is not None:
        told = np.asarray(given.brought.predictions, dtype=float).reshape(n, -1)
    X = told if given.X is None else given.X
    signatures, columns = sign_table(X)
    known = np.zeros(n) if given.known is None else given.known
    ties = [round_cells(values) for values in (given.targets, known, *told.T)]
    order = order_rows(X, signatures, *ties)
    given = given.for_rows(order)
    if given.X is not None:
        given = replace(given, X=given.X[:, np.argsort(columns)])
    if given.groups is not None:
        given = replace(given, groups=number_by_appearance(given.groups))
    return given, order


class TargetScale(NamedTuple):
    """(y - center) / spread, or the same of the logarithm of y."""

    center: float
    spread: float
    floor: float | None = None  # of logarithms: smaller targets count as this; None without logs

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


class TargetTask(NamedTuple):
    """Rows in the order in which they are worked on, models, and the scale of the targets."""

    order: np.ndarray  # rows with a target, then rows without
    data: TargetData
    models: list[TargetPredictor]
    known: np.ndarray  # of the rows with a target
    scale: TargetScale
    notes: list[str]

    def in_given_order(self, values: np.ndarray, otherwise: Any = 0.0) -> np.ndarray:
        """Values of all rows, or of those with a target, in the order in which rows were given."""
        spread = np.full(len(self.order), otherwise, dtype=values.dtype)
        spread[self.order[: len(values)]] = values
        return spread


def make_task(given: GivenTargets, *, logs: bool = False) -> TargetTask:
    """Rows with a target first, targets and predictions on one scale, and the models."""
    has_target = np.isfinite(given.targets)
    order = np.r_[np.flatnonzero(has_target), np.flatnonzero(~has_target)]
    n = int(has_target.sum())
    given = given.for_rows(order)
    targets = given.targets[:n]
    brought = given.brought
    groups = given.groups
    scale = fit_target_scale(targets, logs=logs)
    X = np.empty((len(order), 0)) if given.X is None else given.X
    groups = None if groups is None else np.unique(groups[:n], return_inverse=True)[1]
    groups, copies = join_copies(X[:n], targets, groups)
    if brought.predictions is not None:
        brought = brought._replace(predictions=scale.apply(brought.predictions))
    scaled = scale.apply(targets)
    data = TargetData(
        X,
        scaled,
        groups=groups,
        smallest_scale=max(SMALLEST_SCALE, SMALLEST_STEP * rounding_step(scaled)),
        random_state=given.seed,
        n_jobs=given.n_jobs,
    )
    return TargetTask(
        order,
        data,
        choose_target_models(brought, given.table, n, features=given.X is not None),
        np.zeros(n, dtype=bool) if given.known is None else given.known[:n],
        scale,
        [] if copies is None else [copies_note(copies, "target")],
    )


def fit_target_scale(targets: np.ndarray, *, logs: bool = False) -> TargetScale:
    """By the median and the larger of two robust spreads; of many equal targets, the deviation."""
    floor = log_floor(targets) if logs else None
    values = targets if floor is None else np.log(np.maximum(targets, floor))
    low, center, high = np.quantile(values, [0.25, 0.5, 0.75])
    spread = max(1.4826 * np.median(np.abs(values - center)), (high - low) / 1.349)
    spread = spread if spread > 0 else values.std()
    if not spread > 0:
        raise ValueError(
            f"all targets are {targets[0]:g}, so that none can be wrong; pass a target that varies."
        )
    return TargetScale(float(center), float(spread), floor)


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


def log_floor(targets: np.ndarray) -> float:
    """A tenth of what nearly all positive targets exceed: what is below is as far out as that."""
    return float(np.quantile(targets[targets > 0], LOG_QUANTILE)) / 10


def may_be_logs(targets: np.ndarray) -> bool:
    """Whether logarithms are worth a try: targets are positive, but for few, and skewed."""
    if np.mean(targets > 0) < MOSTLY_POSITIVE:
        return False
    low, middle, high = np.quantile(targets, SKEW_QUANTILES)
    return bool(high - middle > LEAST_SKEW * (middle - low))


def clip_far_targets(values: np.ndarray) -> np.ndarray:
    """Values no further than ten spreads beyond the quartiles.

    A rare but legitimate regime far from the rest is not taken for errors before it was learnt.
    """
    low, high = np.quantile(values, [0.25, 0.75])
    return np.clip(values, low - START_CLIP, high + START_CLIP)


def find_atoms(targets: np.ndarray) -> np.ndarray:
    """Values that stand out: of a twentieth of the rows, and twice as frequent as any other left.

    Ratings and counts, whose frequencies fall off slowly, hold none.
    """
    left = targets[np.isfinite(targets)]
    least = LEAST_ATOM * len(left)
    atoms = []
    while len(left):
        values, times = np.unique(left, return_counts=True)
        most, next_most = np.sort(np.r_[0, times])[:-3:-1]
        left = left[left != values[times.argmax()]]
        if most < max(least, LEAST_EXCESS * next_most) or len(left) < FEWEST_BESIDE:
            break
        if left.min() == left.max():
            break
        atoms.append(values[times.argmax()])
    return np.array(atoms)


class Membership(NamedTuple):
    """Which atom each row holds, the last kind being none of them, and how probable each is."""

    atoms: np.ndarray
    kinds: np.ndarray  # of the rows; those without a target hold none
    p: np.ndarray  # (n, atoms + 1), by trees that were grown without the row
    share: np.ndarray  # of the rows, (atoms + 1,)

    @property
    def log_ratio(self) -> np.ndarray:
        """How much likelier a row's kind is in any other row, as logarithm."""
        return np.log(self.share[self.kinds] / self.p[np.arange(len(self.kinds)), self.kinds])


def estimate_membership(given: GivenTargets, atoms: np.ndarray) -> Membership:
    """Ask trees, and believe them as far as that makes the rows' kinds likely."""
    kinds = np.full(len(given.targets), len(atoms))
    for place, atom in enumerate(atoms):
        kinds[given.targets == atom] = place
    task = make_task(_add_features(given))
    held = kinds[task.order[: len(task.data)]]
    share = np.bincount(held, minlength=len(atoms) + 1) / len(held)
    p = np.empty((len(kinds), len(share)))
    p[task.order] = _mix_with_shares(_ask_trees(task, held, len(atoms)), held, share)
    return Membership(atoms, kinds, p, share)


def _add_features(given: GivenTargets) -> GivenTargets:
    """Where predictions are all there is, these are what trees look at; or nothing."""
    if given.X is not None and given.X.shape[1]:
        return given
    told = given.brought.predictions
    told = np.zeros(len(given.targets)) if told is None else np.asarray(told, dtype=float)
    return replace(given, X=told.reshape(len(told), -1))


def _ask_trees(task: TargetTask, held: np.ndarray, n_atoms: int) -> np.ndarray:
    """Probability of each atom and of none, as trees see it, (n + m, atoms + 1)."""
    leaf = int(np.clip(len(held) // 100, *ATOM_LEAF))
    trees = TreesRegression("atoms", True, SCALE_TREES, leaf)
    told = [
        trees.predict_unseen(replace(task.data, targets=(held == kind).astype(float)))
        for kind in range(n_atoms)
    ]
    p = np.column_stack([*told, np.maximum(1 - np.sum(told, axis=0), 0)])
    return p / p.sum(axis=1, keepdims=True)


def _mix_with_shares(p: np.ndarray, held: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Probabilities and shares, mixed as makes likeliest what the rows hold."""
    n = len(held)
    mixed = [(k * p + share) / (k + 1) for k in TRUST_IN_TREES]
    return max(mixed, key=lambda told: np.log(told[np.arange(n), held]).sum())


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
