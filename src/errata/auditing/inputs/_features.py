"""Features: columns that hold the label, one scale for all, and rows that are pictures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ..._canonical import drop_last_bits, number_by_appearance, sign_table
from ..._compat import take_rows
from ..._crossfit import make_folds, predict_out_of_fold
from ..._format import join_names
from ...tables._columns import Column, column_names, columns_of, numbers, times
from .._settings import FOLDS, LEAK_ROWS, NAMED_COLUMNS

SPARSE_AXES = 100  # that a sparse table is reduced to
SINGLE_PRECISION_ROWS = 100_000  # from which single precision is enough, and faster

# Columns that hold the label, and copies of rows. `python benchmarks/honesty.py claims leak copies`
LEAK_ERROR = 0.005  # fraction of labels that a column may miss and still hold the label
LEAK_LEAVES = 4  # for each class: a plain copy needs one, a class with several codes a few
LEAK_MISTAKES = 5  # that the column must save at least
LEAK_FRACTION = 0.02  # of all rows, where these are more
LEAK_TREES = 100  # of the forest on the other columns

NOTHING = ("None", "NaT", "<NA>")  # how Python and pandas write a missing cell


def find_leak(
    columns: Sequence[Column],
    codes: np.ndarray,
    *,
    trust: Sequence[Any] = (),
    beside: np.ndarray | None = None,
    order: np.ndarray | None = None,
    random: np.random.Generator,
) -> tuple[list[Any], str]:
    """Find the columns that give the label by themselves while the others do not.

    Each column is tried alone, with a small tree in five folds. Those that make hardly a mistake
    are left out together, since one copy of the label would make up for another, and a forest on
    the other columns shows whether they are missed. If not, they are harmless: what they say can
    be checked against the others.

    It costs a sort for each column, trees for those that put the labels in order, and a forest when
    one of them is as good as a copy; all on 5,000 rows at most.

    Parameters
    ----------
    columns : sequence of Column
        What models may look at: without the label, and without identifiers that they never see.
    codes : array of shape (n,)
        The labels as whole numbers.
    trust : sequence, default=()
        Columns that are known not to be made from the label, by key or name.
    beside : array of shape (n, d), optional
        What models look at besides the columns, in which no label is looked for: pictures.
    order : array of shape (n,), optional
        The rows in an order that follows from their content, the first of which are looked at.
        Without it they are drawn.
    random : Generator
        Draws the folds and the forest.

    Returns
    -------
    keys : list
        What the table calls the columns; none also if no other column would be left.
    note : str
        What is left out and why, and what to do about it if that is wrong.
    """
    if not len(columns):
        return [], ""
    order = random.permutation(len(codes)) if order is None else order
    rows = order[codes[order] >= 0][:LEAK_ROWS]
    rows = rows[np.bincount(codes[rows])[codes[rows]] > 1]  # no column can tell a single row's
    codes = number_by_appearance(codes[rows])
    X = np.column_stack([as_floats(column.array(rows)) for column in columns])
    by_content = np.argsort(sign_table(X)[1])
    X = X[:, by_content]
    columns = [columns[j] for j in by_content]
    seed = int(random.integers(2**31))
    trust = [trust] if isinstance(trust, str) else list(trust)
    tried = [j for j, c in enumerate(columns) if c.key not in trust and c.name not in trust]
    alone = {j: _mistakes_of_tree(X[:, [j]], codes, seed) for j in tried if _sorts(X[:, j], codes)}
    alone = {j: mistakes for j, mistakes in alone.items() if mistakes <= LEAK_ERROR * len(codes)}
    others = np.delete(X, list(alone), axis=1)
    if beside is not None:
        others = np.hstack([others, beside[rows]])
    if not alone or not others.shape[1]:
        return [], ""
    rest = _mistakes_of_forest(others, codes, seed)
    if rest - min(alone.values()) < max(LEAK_MISTAKES, LEAK_FRACTION * len(codes)):
        return [], ""
    leaks = [columns[j] for j in sorted(alone, key=lambda j: by_content[j])]
    right = 1 - np.array([min(alone.values()), rest]) / len(codes)
    return [column.key for column in leaks], describe_leaks(leaks, *right.tolist())


def describe_leaks(leaks: Sequence[Column], right_alone: float, right_rest: float) -> str:
    """How many labels the best of the columns gives by itself, and the others give together."""
    names = join_names([repr(column.name) for column in leaks], most=NAMED_COLUMNS)
    keys = ", ".join(repr(column.key) for column in leaks[:NAMED_COLUMNS])
    trust = f"trust=[{keys}{', ...' if len(leaks) > NAMED_COLUMNS else ''}]"
    given = f"{right_alone:.1%} of the rows"
    rest = f"{right_rest:.1%}"
    if len(leaks) == 1:
        return (
            f"Column {names} alone gives the label of {given}, the other columns of {rest}. It "
            "looks made from the label and would hide every error, so it was left out. If it was "
            f"measured independently, pass {trust} (on the command line --trust)."
        )
    return (
        f"Each of the columns {names} gives the label of up to {given}, the other columns of "
        f"{rest}. They look made from the label and would hide every error, so they were left out. "
        f"If they were measured independently, pass {trust} (on the command line --trust)."
    )


def as_floats(values: np.ndarray) -> np.ndarray:
    """Numbers, or words by their place in the alphabet, from 0 to 1; -1 where one is missing.

    Trees take differences below 1e-7 for none, so that 1,000,000,001 and 1,000,000,002 would be
    the same to them without the change of scale.
    """
    found = _as_numbers(values)
    present = np.isfinite(found)
    scaled = np.full(len(found), -1.0)
    if present.any():
        tiny = np.finfo(float).tiny
        there = found[present]
        there = there / max(np.abs(there).max(), tiny)  # the range could overflow
        scaled[present] = (there - there.min()) / max(np.ptp(there), tiny)
    return scaled.astype(np.float32)


def _as_numbers(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "biuf":
        return values.astype(float)
    if values.dtype.kind in "mM":
        return times(values)
    cells = [str(cell).strip() for cell in values.tolist()]
    words = sorted(set(cells))  # each is read once: categories are few
    found = numbers(np.array([None if word in NOTHING else word for word in words], dtype=object))
    value = dict(zip(words, range(len(words)) if found is None else found, strict=True))
    return np.array([value[cell] for cell in cells], dtype=float)


def _sorts(x: np.ndarray, codes: np.ndarray) -> bool:
    """Whether rows sorted by the column mostly have a neighbour with the same label.

    A leaf is an interval. A row without such a neighbour is a mistake, or it has one beside it in
    its leaf, on its way to the rows that make it right; and a mistake has two rows beside it. So
    there are at most three such rows for each mistake, and trees need not be tried on more.
    """
    ordered = codes[np.argsort(x, kind="stable")]
    changes = np.r_[True, ordered[1:] != ordered[:-1], True]
    return np.sum(changes[1:] & changes[:-1]) <= 3 * LEAK_ERROR * len(codes)


def _mistakes_of_tree(x: np.ndarray, codes: np.ndarray, seed: int) -> int:
    leaves = LEAK_LEAVES * (int(codes.max()) + 1)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=seed)
    folds = make_folds(FOLDS, codes, random_state=seed)
    return int(np.sum(predict_out_of_fold([tree], x, codes, folds)[0].argmax(axis=1) != codes))


def _mistakes_of_forest(X: np.ndarray, codes: np.ndarray, seed: int) -> int:
    """Each row is asked of the trees that were grown without it."""
    forest = ExtraTreesClassifier(LEAK_TREES, bootstrap=True, oob_score=True, random_state=seed)
    return int(np.sum(forest.fit(X, codes).oob_decision_function_.argmax(axis=1) != codes))


class FeatureScaler:
    """Makes features dense, with mean 0 and standard deviation 1 over the rows it is fitted to.

    Parameters
    ----------
    seed : int
    columns : array of int, optional
        The order in which models see features; by default as they are.

    Attributes
    ----------
    axes : TruncatedSVD or None
        Main axes of sparse features.
    largest : array
        Of each feature in absolute value, as squares could overflow.
    """

    axes: TruncatedSVD | None = None

    def __init__(self, seed: int, columns: np.ndarray | None = None) -> None:
        self.seed = seed
        self.columns = columns
        self.scaler = StandardScaler(copy=False)

    def fit_transform(self, X: Any, rows: np.ndarray | None = None) -> np.ndarray:
        """Features of all rows, or of some, on their scale; of many in single precision."""
        X = X if rows is None else take_rows(X, rows)
        X = X if self.columns is None else X[:, self.columns]
        X = drop_last_bits(X)  # one name for all of them, so that copies are not held
        n_axes = min(SPARSE_AXES, X.shape[1] - 1, X.shape[0] - 1)
        if sparse.issparse(X) and n_axes >= 2:
            self.axes = TruncatedSVD(n_axes, random_state=self.seed)
            X = self.axes.fit_transform(X)
        X = _dense(X, None)
        largest = np.maximum(np.maximum(X.max(axis=0), -X.min(axis=0)), np.finfo(float).tiny)
        self.largest = largest
        dtype = np.float32 if len(X) >= SINGLE_PRECISION_ROWS else np.float64
        X /= largest  # which is a copy
        return self.scaler.fit_transform(X).astype(dtype, copy=False)

    def transform(self, X: Any) -> np.ndarray:
        """Features of any rows, in double precision."""
        X = drop_last_bits(X if self.columns is None else X[:, self.columns])
        return self.scaler.transform(_dense(X, self.axes) / self.largest)


def _dense(X: Any, axes: TruncatedSVD | None) -> np.ndarray:
    if axes is not None:
        return axes.transform(X)
    return X.toarray() if sparse.issparse(X) else X


def check_pixels(table: Any, shape: tuple[int, ...]) -> None:
    """Raise when the rows of a table are not pictures of this shape."""
    if column_names(table):
        columns = as_pixels(table).shape[1]
    else:
        columns = 0 if table is None else np.shape(table)[1]
    if columns != int(np.prod(shape)):
        wanted = " x ".join(map(str, shape))
        raise ValueError(f"image_shape says {wanted} pixels, but the table has {columns} columns.")


def as_pixels(table: Any) -> np.ndarray:
    """The numbers of a table of any kind, one row for each picture."""
    if column_names(table):
        columns = [numbers(column.values) for column in columns_of(table)]
        return np.column_stack([column for column in columns if column is not None])
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=float)
