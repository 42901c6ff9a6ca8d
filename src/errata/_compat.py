"""Names of scikit-learn that may move, used here and only here; the BLAS below NumPy and SciPy."""

import ctypes
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils.validation import _check_method_params as take_rows_of_params
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from ._optional import find_c_function

__all__ = ["find_blas", "read_boosted_trees", "take_rows", "take_rows_of_params"]


def read_boosted_trees(model: Any) -> tuple[np.ndarray, list[np.ndarray]]:
    """Baseline of a fitted HistGradientBoostingClassifier, and the nodes of its trees in turn.

    The nodes are records with the fields ``is_leaf``, ``value``, ``feature_idx``,
    ``num_threshold`` (a row goes left up to it), ``left`` and ``right``.
    """
    trees = [tree.nodes for step in model._predictors for tree in step]
    return np.ravel(model._baseline_prediction), trees


def find_blas() -> ThreadpoolController:
    """The BLAS libraries loaded by now; only what was loaded since the last call is looked for."""
    loads = _count_loads()
    if loads is None or loads not in _found:
        _found.clear()
        # It reads which files the process has mapped, which takes some milliseconds.
        _found[loads] = ThreadpoolController().select(user_api="blas")
    return _found[loads]


_found: dict[int | None, ThreadpoolController] = {}


def _count_loads() -> int | None:
    """How many libraries the process has loaded so far; None where the system does not count."""
    iterate = find_c_function("dl_iterate_phdr")
    if iterate is None:
        return None
    counted = []

    def read(library: Any, size: int, data: Any) -> int:
        counted.append(int(library.contents.loads))
        return 1  # each library tells the same

    iterate(_Visit(read), None)
    return counted[0]


class _Library(ctypes.Structure):
    """The beginning of ``dl_phdr_info`` of the C library."""

    _fields_ = (
        ("address", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.c_void_p),
        ("n_headers", ctypes.c_uint16),
        ("loads", ctypes.c_ulonglong),
    )


_Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Library), ctypes.c_size_t, ctypes.c_void_p)
