"""What models of numeric targets learn from, and what they give."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..._crossfit import Fold, make_folds
from ._settings import FOLDS_OF_TARGETS


@dataclass(frozen=True)
class TargetData:
    """Features of all rows, the first of which have a target.

    Attributes
    ----------
    X : array of shape (n + m, d)
        Rows with a target, then rows without.
    targets : array of shape (n,)
    weight : array of shape (n,) or None
        How much each row is to be learnt from.
    groups : array of int of shape (n,) or None
        Rows that must be left out together.
    random_state : int
    n_jobs : int or None
    """

    X: np.ndarray
    targets: np.ndarray
    weight: np.ndarray | None = None
    groups: np.ndarray | None = None
    random_state: int = 0
    n_jobs: int | None = None

    def __len__(self) -> int:
        """Number of rows with a target."""
        return len(self.targets)

    @property
    def learnt(self) -> np.ndarray:
        """Features of rows with a target."""
        return self.X[: len(self)]

    @property
    def others(self) -> np.ndarray:
        """Features of rows without."""
        return self.X[len(self) :]

    def folds(self, n_folds: int = FOLDS_OF_TARGETS) -> list[Fold]:
        """Training and test rows; they do not depend on the targets, and keep groups together."""
        same, seed = np.zeros(len(self)), self.random_state
        return make_folds(n_folds, same, groups=self.groups, stratify=False, random_state=seed)


class TargetPredictor(Protocol):
    """A model of numeric targets: a name, and predictions of rows it has not learnt from."""

    @property
    def name(self) -> str:
        """How reports call it."""

    def predict_unseen(self, data: TargetData) -> np.ndarray:
        """Predict every row without its own target, shape (n + m,)."""


def weighted_median(values: np.ndarray, weight: np.ndarray) -> Any:
    """The value that half of the weight lies at or below, along the last axis."""
    return weighted_quantile(values, weight, 0.5)


def weighted_quantile(values: np.ndarray, weight: np.ndarray, level: float) -> Any:
    """The value that this fraction of the weight lies at or below, along the last axis."""
    order = np.argsort(values, axis=-1, kind="stable")
    weight = np.broadcast_to(weight, values.shape)
    reached = np.cumsum(np.take_along_axis(weight, order, -1), axis=-1)
    place = (reached >= level * reached[..., -1:]).argmax(axis=-1)[..., None]
    return np.take_along_axis(values, np.take_along_axis(order, place, -1), -1)[..., 0]


def robust_scale(residuals: np.ndarray, weight: np.ndarray | None = None) -> float:
    """The standard deviation of normal residuals, by their median size."""
    weight = np.ones(len(residuals)) if weight is None else weight
    return 1.4826 * float(weighted_median(np.abs(residuals), weight))


def row_weights(data: TargetData) -> np.ndarray:
    """The weights of the rows, one each where none are given."""
    return np.ones(len(data)) if data.weight is None else data.weight
