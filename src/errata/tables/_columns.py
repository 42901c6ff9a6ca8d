"""Any table as a list of named columns: dataframes through narwhals, mappings, arrays."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from .._compat import take_rows
from .._names import instead
from .._optional import require
from .._validation import is_missing
from ..exceptions import MissingExtraError
from ._cells import is_arrow

# NumPy would make arrays as wide as the longest text, or square ones, of these.
_NOT_FOR_NUMPY = (str, bytes, list, tuple, dict, set)


class Column(NamedTuple):
    """A column: what the table calls it, what we call it, its cells.

    ``values`` is an Arrow array for text where pyarrow is installed, a NumPy array otherwise.
    """

    key: Any
    name: str
    values: Any

    def array(self, rows: np.ndarray | None = None) -> np.ndarray:
        """The cells, or those of some rows, as a NumPy array; text as objects."""
        cells = self.values if rows is None else self.take(rows)
        return cells.to_numpy(zero_copy_only=False) if is_arrow(cells) else cells

    def take(self, rows: np.ndarray) -> Any:
        """The cells of some rows, of the kind that the column is."""
        return self.values.take(rows) if is_arrow(self.values) else self.values[rows]

    def cell(self, row: int) -> Any:
        """One cell, None where an Arrow array has null."""
        return self.values[row].as_py() if is_arrow(self.values) else self.values[row]


def columns_of(table: Any) -> list[Column]:
    """The columns of a dataframe of any kind, a mapping, or a two-dimensional array."""
    keys, column = _access(table)
    values = [_values(column(place)) for place in range(len(keys))]
    lengths = {len(cells) for cells in values}
    if len(lengths) > 1:
        raise ValueError(f"the columns are not of one length, but of {sorted(lengths)}.")
    if lengths in (set(), {0}):
        raise ValueError("the table is empty; errata needs rows and columns.")
    return [Column(*parts) for parts in zip(keys, _names(keys), values, strict=True)]


def columns_called(table: Any, names: Sequence[str]) -> Iterator[Column]:
    """Those columns of a table that have these names, one at a time; the others are not read."""
    keys, column = _access(table)
    places = {name: place for place, name in enumerate(_names(keys))}
    for name in names:
        if name not in places:
            raise ValueError(
                f"there is no column {name!r}, which features were made of; {instead(name, places)}"
            )
        place = places[name]
        yield Column(keys[place], name, _values(column(place)))


def is_arrow_table(table: Any) -> bool:
    """Whether it is a table of pyarrow, as :func:`read_table` gives, without importing it."""
    return hasattr(table, "column_names") and hasattr(table, "itercolumns")


def column_names(table: Any) -> list[Any]:
    """What a table calls its columns; nothing for an array, which does not."""
    if isinstance(table, Mapping):
        return list(table)
    return list(table.column_names if is_arrow_table(table) else getattr(table, "columns", ()))


def column_array(table: Any, key: Any) -> np.ndarray:
    """One column of a dataframe or a mapping as a NumPy array; text as objects."""
    return Column(key, str(key), _values(table[key])).array()


def without(columns: list[Column], drop: Sequence[Any]) -> list[Column]:
    """The columns that are not to be dropped, by what either side calls them."""
    drop = [drop] if isinstance(drop, str) else list(drop)
    known = {key for column in columns for key in (column.key, column.name)}
    for key in drop:
        if key not in known:
            hint = instead(key, [column.name for column in columns])
            raise ValueError(f"there is no column {key!r} to drop; {hint}")
    return [column for column in columns if not {column.key, column.name} & set(drop)]


def without_columns(table: Any, keys: Sequence[Any]) -> Any:
    """A table of any kind without some of its columns."""
    if not len(keys):
        return table
    if isinstance(table, Mapping):
        return {name: column for name, column in table.items() if name not in keys}
    if hasattr(table, "iloc"):  # narwhals takes no names that are not text
        return table.drop(columns=list(keys))
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame.drop(list(keys)).to_native()
    return np.delete(np.asarray(table), list(keys), axis=1)


def count_rows(table: Any) -> int:
    """Rows of a table of any kind."""
    if isinstance(table, Mapping):
        return len(next(iter(table.values()), ()))
    return table.shape[0] if hasattr(table, "shape") else len(table)


def take_table_rows(table: Any, rows: np.ndarray) -> Any:
    """Some rows of a table of any kind, in that kind."""
    if isinstance(table, Mapping):
        return {name: take_rows(column, rows) for name, column in table.items()}
    return take_rows(table, rows)


def _access(table: Any) -> tuple[Sequence[Any], Callable[[int], Any]]:
    """What a table calls its columns, and how to get at the one in some place.

    By place and not by name where a name may occur twice, as in pandas and Arrow.
    """
    if isinstance(table, Mapping):
        return (keys := list(table)), lambda place: table[keys[place]]
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        return list(table.columns), lambda place: table.iloc[:, place]
    if is_arrow_table(table):
        return list(table.column_names), table.column
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return (names := frame.columns), lambda place: frame.get_column(names[place])
    return _array_access(table)


def _array_access(table: Any) -> tuple[Sequence[Any], Callable[[int], Any]]:
    array = table if isinstance(table, np.ndarray) else np.asarray(table, dtype=object)
    if array.ndim != 2:
        raise ValueError(
            f"a table has rows and columns, but this one has the shape {array.shape}; "
            f"{_as_a_table(array)}."
        )
    given = array is table
    return range(
        array.shape[1]
    ), lambda place: array[:, place] if given else array[:, place].tolist()


def _as_a_table(array: np.ndarray) -> str:
    """What to pass instead of an array that is not a table."""
    if array.ndim > 2:
        return "give each row in one line, as reshape(len(X), -1) does"
    if array.ndim == 1 and len(array) and isinstance(array[0], str):
        return 'pass texts as a column with a name, {"text": X}, or embeddings of them'
    return "a single column is passed as reshape(-1, 1) makes it, or with a name, as {name: X}"


def _values(column: Any) -> Any:
    """Cells of a column as :class:`Column` holds them."""
    if isinstance(column, list | tuple):
        column = _array(column)
    if isinstance(column, np.ndarray):
        return _text(column) if column.dtype.kind in "OU" else column
    series = nw.from_native(column, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(column)
    if series.dtype == nw.String or _are_categories_of_text(series):
        return _arrow_text(series)
    if series.dtype.is_numeric() or series.dtype.is_temporal() or series.dtype == nw.Boolean:
        return series.to_numpy()
    return _text(_objects(series.to_list()))


def _array(cells: Sequence[Any]) -> np.ndarray:
    kept = any(isinstance(cell, _NOT_FOR_NUMPY) or is_pillow_picture(cell) for cell in cells)
    return _objects(cells) if kept else np.asarray(cells)


def is_pillow_picture(cell: Any) -> bool:
    """Whether it is a picture of Pillow, which need not be installed; NumPy would see pixels."""
    return hasattr(cell, "getexif") and hasattr(cell, "convert")


def _objects(cells: Sequence[Any]) -> np.ndarray:
    objects = np.empty(len(cells), dtype=object)
    objects[:] = cells
    return objects


def _are_categories_of_text(series: nw.Series) -> bool:
    if not isinstance(series.dtype, nw.Categorical | nw.Enum):
        return False
    return series.cat.get_categories().dtype == nw.String


def _arrow_text(series: nw.Series) -> Any:
    try:
        arrow = require("pyarrow", extra="tables")
        native = series.to_native()
        # narwhals copies all chunks into one, which is not needed and doubles the memory.
        cells = native if isinstance(native, arrow.ChunkedArray) else series.to_arrow()
    except (MissingExtraError, UnicodeError):
        return _objects(series.to_list())
    cells = cells if isinstance(cells, arrow.ChunkedArray) else arrow.chunked_array([cells])
    # Categories, nulls alone, and views into shared buffers, as newer libraries hold them, lack
    # some of the functions.
    plain = arrow.types.is_string(cells.type) or arrow.types.is_large_string(cells.type)
    return cells if plain else cells.cast(arrow.large_string())


def _text(cells: np.ndarray) -> Any:
    """Objects as an Arrow array when all of them are text, and pyarrow is there."""
    first = next((cell for cell in cells if not is_missing(cell)), None)
    if not isinstance(first, str):
        return cells
    try:
        arrow = require("pyarrow", extra="tables")
    except MissingExtraError:
        return cells
    try:
        return arrow.chunked_array([arrow.array(cells, arrow.string(), from_pandas=True)])
    except (arrow.ArrowException, UnicodeError):
        return cells  # text and other things


def _names(keys: Sequence[Any]) -> list[str]:
    """Names as text; the second "a" is called "a (2)", columns of an array by their place."""
    if isinstance(keys, range):
        return [f"x{place}" for place in keys]
    seen: Counter[str] = Counter()
    names = []
    for key in keys:
        seen[str(key)] += 1
        times = seen[str(key)]
        names.append(str(key) if times == 1 else f"{key} ({times})")
    return names
