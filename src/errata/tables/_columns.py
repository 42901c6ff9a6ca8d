"""Any table as a list of named columns, and what their cells hold.

A column of text is an Arrow array where pyarrow is installed. Everything that takes Python to find
out is found out about its distinct words, once each. Other columns are NumPy arrays.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from .._compat import take_rows
from .._format import instead, join_names
from .._validation import MISSING_WORDS, are_floats, is_missing

# NumPy would make arrays as wide as the longest text, or square ones, of these.
_NOT_FOR_NUMPY = (str, bytes, list, tuple, dict, set)

# Types of cells of which NumPy itself knows which float they are, and that None is NaN.
_PLAIN = frozenset({float, int, bool, Decimal, type(None)})


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
    keys, column = _get_access(table)
    values = [_convert_cells(column(place)) for place in range(len(keys))]
    lengths = {len(cells) for cells in values}
    if len(lengths) > 1:
        raise ValueError(f"the columns are not of one length, but of {sorted(lengths)}.")
    if lengths in (set(), {0}):
        raise ValueError("the table is empty; errata needs rows and columns.")
    return [Column(*parts) for parts in zip(keys, _make_names(keys), values, strict=True)]


def pick_columns(table: Any, names: Sequence[str]) -> Iterator[Column]:
    """The columns of a table with these names, one at a time; the others are not read."""
    keys, column = _get_access(table)
    places = {name: place for place, name in enumerate(_make_names(keys))}
    for name in names:
        if name not in places:
            raise ValueError(
                f"there is no column {name!r}, which features were made of; {instead(name, places)}"
            )
        place = places[name]
        yield Column(keys[place], name, _convert_cells(column(place)))


def is_arrow_table(table: Any) -> bool:
    """Whether it is a table of pyarrow, as :func:`read_table` gives, without importing it."""
    return hasattr(table, "column_names") and hasattr(table, "itercolumns")


def column_names(table: Any) -> list[Any]:
    """The names of a table's columns; none for an array, which has no names."""
    if isinstance(table, Mapping):
        return list(table)
    return list(table.column_names if is_arrow_table(table) else getattr(table, "columns", ()))


def column_array(table: Any, key: Any) -> np.ndarray:
    """One column of a dataframe or a mapping as a NumPy array; text as objects."""
    return Column(key, str(key), _convert_cells(table[key])).array()


def drop_columns(columns: list[Column], drop: Sequence[Any]) -> list[Column]:
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


def _get_access(table: Any) -> tuple[Sequence[Any], Callable[[int], Any]]:
    """The names of a table's columns, and a function that gets the one in some place.

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
    return _get_array_access(table)


def _get_array_access(table: Any) -> tuple[Sequence[Any], Callable[[int], Any]]:
    array = table if isinstance(table, np.ndarray) else np.asarray(table, dtype=object)
    if array.ndim != 2:
        raise ValueError(
            f"a table has rows and columns, but this one has the shape {array.shape}; "
            f"{_explain_shape(array)}."
        )
    places = range(array.shape[1])
    if array is table:
        return places, lambda place: array[:, place]
    return places, lambda place: array[:, place].tolist()


def _explain_shape(array: np.ndarray) -> str:
    """The advice where an array is not a table."""
    if array.ndim > 2:
        return "give each row in one line, as reshape(len(X), -1) does"
    if array.ndim == 1 and len(array) and isinstance(array[0], str):
        return 'pass texts as a column with a name, {"text": X}, or embeddings of them'
    if array.ndim == 1 and len(array) and isinstance(array[0], Mapping | np.void):
        return "pass a list of records as pandas.DataFrame(X)"
    return "a single column is passed as reshape(-1, 1) makes it, or with a name, as {name: X}"


def _convert_cells(column: Any) -> Any:
    """Cells of a column as :class:`Column` holds them."""
    if isinstance(column, list | tuple):
        kept = any(isinstance(cell, _NOT_FOR_NUMPY) or is_pillow_picture(cell) for cell in column)
        column = _make_objects(column) if kept else np.asarray(column)
    if isinstance(column, np.ndarray):
        return _store_text(column) if column.dtype.kind in "OU" else column
    series = nw.from_native(column, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(column)
    if series.dtype == nw.String or _are_categories_of_text(series):
        return _convert_to_arrow(series)
    if series.dtype.is_integer() and series.null_count() and not are_floats(series.drop_nulls()):
        return _make_objects([None if is_missing(c) else int(c) for c in series.to_list()])
    if series.dtype.is_numeric() or series.dtype.is_temporal() or series.dtype == nw.Boolean:
        return series.to_numpy()
    return _store_text(_make_objects(series.to_list()))


def is_pillow_picture(cell: Any) -> bool:
    """Whether it is a picture of Pillow, which need not be installed; NumPy would see pixels."""
    return hasattr(cell, "getexif") and hasattr(cell, "convert")


def _make_objects(cells: Sequence[Any]) -> np.ndarray:
    objects = np.empty(len(cells), dtype=object)
    objects[:] = cells
    return objects


def _are_categories_of_text(series: nw.Series) -> bool:
    if not isinstance(series.dtype, nw.Categorical | nw.Enum):
        return False
    return series.cat.get_categories().dtype == nw.String


def _convert_to_arrow(series: nw.Series) -> Any:
    import pyarrow as arrow

    try:
        native = series.to_native()
        # narwhals copies all chunks into one, which is not needed and doubles the memory.
        cells = native if isinstance(native, arrow.ChunkedArray) else series.to_arrow()
    except UnicodeError:
        return _make_objects(series.to_list())
    cells = cells if isinstance(cells, arrow.ChunkedArray) else arrow.chunked_array([cells])
    # Categories, nulls alone, and views into shared buffers, as newer libraries hold them, lack
    # some of the functions.
    plain = arrow.types.is_string(cells.type) or arrow.types.is_large_string(cells.type)
    return cells if plain else cells.cast(arrow.large_string())


def _store_text(cells: np.ndarray) -> Any:
    """Objects as an Arrow array when all of them are text."""
    import pyarrow as arrow

    first = next((cell for cell in cells if not is_missing(cell)), None)
    if not isinstance(first, str):
        return cells
    try:
        return arrow.chunked_array([arrow.array(cells, arrow.string(), from_pandas=True)])
    except (arrow.ArrowException, UnicodeError):
        return cells  # text and other things


def _make_names(keys: Sequence[Any]) -> list[str]:
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


def words_of(values: Any) -> tuple[np.ndarray, list[str]]:
    """The word of each cell by its code, -1 where it is missing; and the words, sorted.

    ``values`` is an Arrow array of text, or a NumPy array. Words have no blanks around them.

    Examples
    --------
    >>> words_of(np.array(["b", None, " a", "NA", "b "], dtype=object))
    (array([ 1, -1,  0, -1,  1]), ['a', 'b'])
    """
    codes, found = encode_words(values)
    words = sorted(set(found))
    place = {word: code for code, word in enumerate(words)}
    places = [place[word] for word in found]
    return np.array([*places, -1])[codes], words  # code -1 is the entry at the end


def encode_words(values: Any) -> tuple[np.ndarray, list[str]]:
    """The same in any order, which takes a fourth of the time; a word may be there twice."""
    codes, distinct = _encode_cells(values)
    stripped = [None if is_missing(word, text=True) else word.strip() for word in distinct]
    words = [word for word in stripped if word is not None]
    present = np.array([*(word is not None for word in stripped), False])
    return np.where(present, np.cumsum(present) - 1, -1)[codes], words


def numbers(values: Any) -> np.ndarray | None:
    """The column as floats, missing cells as NaN; None when it holds anything but numbers.

    Examples
    --------
    >>> numbers(np.array(["1.5", "", "NA", "2"]))
    array([1.5, nan, nan, 2. ])
    >>> numbers(np.array(["1.5", "red"])) is None
    True
    """
    found = quick_numbers(values)
    if found is not None or not is_arrow(values):
        return found
    codes, words = words_of(values)
    found = convert_to_floats(words)
    return None if found is None else spread(found, codes)


def quick_numbers(values: Any) -> np.ndarray | None:
    """The same, but of text only what Arrow takes for numbers: not ``1_000``, nor Arabic digits."""
    if is_arrow(values):
        return cast_first(lambda: values, lambda: _drop_missing_words(values))
    if values.dtype.kind in "cmM":
        return None
    if values.dtype.kind not in "biuf" and not _PLAIN.issuperset(map(type, values.tolist())):
        values = np.where(is_missing_cell(values), np.nan, values.astype(object))
    return convert_to_floats(values)


def convert_to_floats(cells: Any) -> np.ndarray | None:
    """A list or an array as floats, or None when a cell is not a number."""
    cells = cells if isinstance(cells, np.ndarray) else np.array(cells, dtype=object)
    try:
        return cells.astype(float)
    except (TypeError, ValueError, OverflowError):
        return None


def spread(found: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The value of each cell, by that of its word; NaN or NaT where the code is -1."""
    nothing = np.array(["NaT" if found.dtype.kind == "M" else np.nan]).astype(found.dtype)
    return np.concatenate([found, nothing])[codes]


def times(values: np.ndarray) -> np.ndarray:
    """Dates or durations as floats in their own unit, NaT as NaN.

    Examples
    --------
    >>> times(np.array(["1970-01-03", "NaT"], dtype="M8[D]"))
    array([ 2., nan])
    """
    return np.where(np.isnat(values), np.nan, values.astype(np.int64))


def is_missing_cell(values: Any) -> np.ndarray:
    """Where a column has no value."""
    if is_arrow(values):
        codes, _ = words_of(values)
        return codes < 0
    if values.dtype.kind in "biu":
        return np.zeros(len(values), dtype=bool)
    if values.dtype.kind in "fcmM":
        return values != values
    cells = (is_missing(cell, text=True) for cell in values.tolist())
    return np.fromiter(cells, dtype=bool, count=len(values))


def is_arrow(values: Any) -> bool:
    """Whether a column is an Arrow array of text; a NumPy array otherwise."""
    return not isinstance(values, np.ndarray)


def cast_first(*attempts: Callable[[], Any]) -> np.ndarray | None:
    """The first of some Arrow arrays of text that holds nothing but numbers, as floats."""
    import pyarrow

    invalid = pyarrow.ArrowInvalid
    for cells in attempts:
        try:
            return cells().cast("float64").to_numpy()  # null becomes NaN
        except invalid:
            continue
    return None


def _drop_missing_words(values: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    stripped = compute.utf8_trim_whitespace(values)
    words = pyarrow.array(MISSING_WORDS, stripped.type)
    missing = compute.is_in(compute.utf8_lower(stripped), value_set=words)
    return compute.if_else(missing, None, stripped)


def _encode_cells(values: Any) -> tuple[np.ndarray, list[Any]]:
    """A code for each cell, -1 where it has none, and what the codes stand for."""
    if is_arrow(values):
        # A code for each cell, -1 for null, and what the codes stand for.
        encoded = values.dictionary_encode().unify_dictionaries()
        chunks = [chunk.indices.fill_null(-1).to_numpy() for chunk in encoded.chunks]
        return np.concatenate(chunks), encoded.chunk(0).dictionary.to_pylist()
    return _encode_numbers(values) if values.dtype.kind in "iuf" else _encode_objects(values)


def _encode_numbers(values: np.ndarray) -> tuple[np.ndarray, list[str | None]]:
    """Numbers among words, in the way that Arrow would write them: 1.0 is the word "1"."""
    distinct, codes = np.unique(values, return_inverse=True)
    written = [
        int(number) if number == np.floor(number) and abs(number) < 1e15 else number
        for number in distinct.tolist()
    ]
    return codes, [None if number != number else str(number) for number in written]


def _encode_objects(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    place: dict[str, int] = {}
    codes = [
        -1 if is_missing(cell) else place.setdefault(str(cell), len(place))
        for cell in values.tolist()
    ]
    return np.array(codes, dtype=int), list(place)


def as_table(X: Any) -> Any:
    """A ``datasets.Dataset`` or a stream of Arrow as an Arrow table; whatever else as it is.

    Classes of a dataset are called by name. A stream is whatever has ``__arrow_c_stream__`` and is
    no dataframe, such as the result of a query in DuckDB. Rows come in the order that the dataset
    has them in, also if it was sorted or some were picked. Pictures stay the bytes they are stored
    as.

    Examples
    --------
    >>> as_table({"x": [1, 2]})
    {'x': [1, 2]}
    """
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.filled(X.astype(float if X.dtype.kind in "biuf" else object), np.nan)
    if isinstance(X, Mapping) and hasattr(X, "tocsr"):  # a sparse matrix of keys
        return X.tocsr()
    if isinstance(X, Mapping) and len(X) and all(map(_is_dataset, X.values())):
        first = next(iter(X))
        raise ValueError(
            f"this holds several datasets ({join_names(X)}); pass one of them, as in X[{first!r}]."
        )
    if not _is_dataset(X):
        is_stream = hasattr(X, "__arrow_c_stream__") and not nw.dependencies.is_into_dataframe(X)
        if not is_stream:
            return X
        import pyarrow as arrow

        return arrow.table(X)
    if not hasattr(X, "__len__"):
        raise ValueError(
            "this dataset is streamed; collect it first, as in "
            "datasets.Dataset.from_list(list(X), features=X.features)."
        )
    table = X.with_format("arrow")[:]
    for place, name in enumerate(table.column_names):
        names = getattr(X.features[name], "names", None)
        if names is not None and hasattr(X.features[name], "int2str"):
            table = table.set_column(place, name, _name_classes(table.column(place), names))
    return table


def _is_dataset(X: Any) -> bool:
    return all(hasattr(X, name) for name in ("features", "with_format", "column_names"))


def _name_classes(codes: Any, names: list[str]) -> Any:
    """Classes by their names; those without a class, which are null or -1, as null."""
    import pyarrow as arrow

    cells = [None if code is None or code < 0 else names[code] for code in codes.to_pylist()]
    return arrow.chunked_array([arrow.array(cells, arrow.string())])
