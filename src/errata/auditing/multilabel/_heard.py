"""What models say of each label: forests are grown once for all labels, others for each of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._cross_fitting import certain_or_uniform
from .._default_models import GradientBoosting, default_models
from .._forest import Forest
from .._groups import renumbered
from .._models import OutOfFoldModel, TrainingData
from .._user_models import GivenProbabilities

Heard = list[list[GivenProbabilities]]  # for each label, what each model says


@dataclass(frozen=True)
class LabelledRows:
    """What models learn from: features, and zeros and ones of every label."""

    X: np.ndarray  # (n, d), scaled
    Y: np.ndarray  # (n, L)
    groups: np.ndarray | None = None
    seed: int = 0
    n_jobs: int | None = None
    beside: np.ndarray | None = None  # (n, L), what the user's model says, for the second pass

    def of_label(self, label: int, X: np.ndarray | None = None) -> TrainingData:
        """The rows as two classes: with this label, and without it."""
        X = self.X if X is None else X
        return TrainingData(X, self._codes(label), 2, self.groups, self.seed, self.n_jobs)

    def for_rows(self, rows: np.ndarray) -> "LabelledRows":
        """The same for some of the rows."""
        return replace(
            self,
            X=self.X[rows],
            Y=self.Y[rows],
            groups=renumbered(self.groups, rows),
            beside=None if self.beside is None else self.beside[rows],
        )

    def _codes(self, label: int) -> np.ndarray:
        return self.Y[:, label].astype(np.intp)


def heard_from_columns(
    rows: LabelledRows, brought: Sequence[list[OutOfFoldModel]], progress: Callable[[str], None]
) -> Heard:
    """Out-of-fold probabilities of every label by the default models, and by the user's.

    ``brought`` are the models that the user brings for each label. Forests cost as much as one
    forest for one label, a few times that with many labels; but where groups are left out
    together, one is grown for each label.
    """
    models = default_models(len(rows.Y), 2) if rows.X.shape[1] else []
    heard: Heard = [[] for _ in brought]
    for model in models:
        progress(f"fitting {model.name}")
        for label, told in enumerate(_of_all_labels(model, rows)):
            heard[label].append(GivenProbabilities(told, model.name))
    for label, own in enumerate(brought):
        data = rows.of_label(label)
        heard[label] += [GivenProbabilities(m.out_of_fold_proba(data), m.name) for m in own]
    return heard


def heard_beside_labels(
    rows: LabelledRows, label: int, others: np.ndarray
) -> list[GivenProbabilities]:
    """The same of one label by models that look at the other labels, too: the quick ones."""
    beside = [] if rows.beside is None else [rows.beside]
    X = np.column_stack([rows.X, *beside, others])
    data = rows.of_label(label, X)
    slow = (Forest, GradientBoosting)
    quick = [model for model in default_models(len(X), 2) if not isinstance(model, slow)]
    return [GivenProbabilities(m.out_of_fold_proba(data), f"{m.name}, other labels") for m in quick]


def _of_all_labels(model: OutOfFoldModel, rows: LabelledRows) -> Sequence[np.ndarray]:
    if isinstance(model, Forest) and rows.groups is None:
        return _shared_forest(model, rows)
    n_labels = rows.Y.shape[1]
    return [model.out_of_fold_proba(rows.of_label(label)) for label in range(n_labels)]


def _shared_forest(forest: Forest, rows: LabelledRows) -> Sequence[np.ndarray]:
    """Votes of one forest whose leaves tell of all labels, by trees grown without the row."""
    data = TrainingData(rows.X, rows.Y, 2, None, rows.seed, rows.n_jobs)
    votes: Any = np.asarray(forest.grown(data).oob_decision_function_)
    votes = votes.reshape(len(rows.Y), 2, -1)  # with a single label there is no third axis
    return [certain_or_uniform(votes[:, :, label]) for label in range(votes.shape[2])]
