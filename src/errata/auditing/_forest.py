"""Forests: each row is predicted by the trees that were grown without it, other rows by all."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from ._cross_fitting import all_columns, certain_or_uniform
from ._fitted_trees import FittedTrees
from ._groups import bagged_by_group, grown_on_folds
from ._models import CrossFit, NewRows, TrainingData
from ._settings import TREE_ROWS


@dataclass(frozen=True)
class Forest:
    """A bootstrapped forest; each row is predicted by the trees that were grown without it."""

    name: str
    extra: bool
    n_trees: int
    min_samples_leaf: int

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs O(B m log m) to grow B trees from m rows each, and O(B n log m) to predict."""
        return self._grown(data)[0]

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs no more: the trees are there already."""
        proba, trees, seen = self._grown(data)
        return CrossFit(proba, FittedTrees.of(trees, data.n_classes, seen))

    def _grown(self, data: TrainingData) -> tuple[np.ndarray, list[Any], np.ndarray | None]:
        """Votes on the rows, the trees, and which folds each was grown on."""
        if data.folds is not None:
            trees, seen = grown_on_folds(self._tree(), self.n_trees, TREE_ROWS, data)
            fitted = FittedTrees.of(trees, data.n_classes, seen)
            return fitted.predict_proba(NewRows(data.X, folds=data.folds)), trees, seen
        if data.groups is not None:
            votes, trees = bagged_by_group(self._tree(), self.n_trees, TREE_ROWS, data)
            return certain_or_uniform(votes), trees, None
        forest = self.grown(data)
        votes = all_columns(forest.oob_decision_function_, forest.classes_, data.n_classes)
        return certain_or_uniform(votes), [(tree.tree_, forest.classes_) for tree in forest], None

    def grown(self, data: TrainingData) -> Any:
        """The forest itself; the codes may be those of several labels, a column for each."""
        forest = (ExtraTreesClassifier if self.extra else RandomForestClassifier)(
            self.n_trees,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=True,
            oob_score=True,
            max_samples=None if len(data.codes) <= TREE_ROWS else TREE_ROWS,
            random_state=data.random_state,
            n_jobs=data.n_jobs,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few trees: some rows are in all of them
            return forest.fit(data.X, data.codes)

    def _tree(self) -> Any:
        """The same for one tree, where groups or folds are drawn instead of rows."""
        return (ExtraTreeClassifier if self.extra else DecisionTreeClassifier)(
            max_features="sqrt", min_samples_leaf=self.min_samples_leaf
        )
