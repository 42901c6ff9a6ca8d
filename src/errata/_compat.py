"""Names of scikit-learn that may move, used here and only here; the BLAS below NumPy and SciPy."""

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils.validation import _check_method_params as take_rows_of_params
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

__all__ = ["find_blas", "read_boosted_trees", "take_rows", "take_rows_of_params"]


def read_boosted_trees(model: Any) -> tuple[np.ndarray, list[np.ndarray]]:
    """Baseline of a fitted HistGradientBoostingClassifier, and the nodes of its trees in turn.

    The nodes are records with the fields ``is_leaf``, ``value``, ``feature_idx``,
    ``num_threshold`` (a row goes left up to it), ``left`` and ``right``.
    """
    trees = [tree.nodes for step in model._predictors for tree in step]
    return np.ravel(model._baseline_prediction), trees


def find_blas() -> ThreadpoolController:
    """The BLAS libraries loaded by now, which takes some milliseconds to find out."""
    return ThreadpoolController().select(user_api="blas")
