"""The files of a saved audit: what they are called, their version, and how columns are read.

``audit.json`` holds what there is to tell, ``rows.parquet`` a line for each row, or a folder
``rows`` a file for each part of a large table. ``cards.parquet`` and ``components.parquet`` are
what a review needs, and ``gold.parquet`` what tests its reviewers.

pyarrow's own ways (``to_numpy``, ``take``, ``unique``) import pandas and all of its functions: that
takes longer than everything else that the page of a review does before it is there.
"""

import gc
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .._files import readable, say_missing

VERSION = 17  # one more whenever what is written changes
NUMBERS = "audit.json"
METRICS = "metrics.json"
ROWS = "rows.parquet"
PARTS = "rows"  # the folder of a table that was audited in parts
CARDS = "cards.parquet"
GOLD_CARDS = "gold.parquet"  # where some labels are certain
COMPONENTS = "components.parquet"
COMPONENT_GROUP = 2**17  # rows that are written at a time
REPORT = "report.html"

CARD_GROUP = 200  # cards that are read at once; they may be long texts
KEPT_GROUPS = 3
MISSING = -1  # the code of no label


def check_replaceable(path: Path) -> None:
    """Raise when something stands there that is no audit."""
    if path.exists() and not is_audit(path):
        raise FileExistsError(f"{path} is there already and is not an audit; choose another name.")


def is_audit(path: Path) -> bool:
    """Whether a folder holds an audit, or what looks like one."""
    return (path / NUMBERS).is_file() and ((path / ROWS).is_file() or (path / PARTS).is_dir())


def check_folder(path: Path) -> None:
    """Raise when this is no folder at all."""
    if not path.is_dir():
        hint = "; give the folder that errata audit has written."
        wrong = f"{path} is a file{hint}" if path.exists() else say_missing(path, hint)
        raise FileNotFoundError(wrong)


def read_numbers(path: Path) -> dict[str, Any]:
    """The content of ``audit.json``; raise where it is of another version, or no audit."""
    check_folder(path)
    try:
        found: dict[str, Any] = json.loads((path / NUMBERS).read_text(encoding="utf-8"))
        version = int(found["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = f"it has no {NUMBERS}" if isinstance(error, FileNotFoundError) else error
        raise ValueError(
            f"{path} is not an audit that errata has written ({why}); give the folder of one, or "
            "audit the table again."
        ) from error
    if version != VERSION:
        age, hint = ("a newer", "update errata, or ") if version > VERSION else ("an older", "")
        raise ValueError(
            f"{path} was written by {age} errata, in version {version} of the format, and this one "
            f"reads version {VERSION}; {hint}run the audit again."
        )
    return found


def write_numbers(folder: Path, numbers: dict[str, Any], metrics: dict[str, float]) -> None:
    """Write ``audit.json``, and ``metrics.json`` for tools that track numbers from run to run."""
    written = numbers | {"version": VERSION}
    (folder / NUMBERS).write_text(json.dumps(written, allow_nan=False), encoding="utf-8")
    text = json.dumps(metrics, indent=2, allow_nan=False)
    (folder / METRICS).write_text(f"{text}\n", encoding="utf-8")


def write_cards(path: Path, parts: Iterable[tuple[np.ndarray, list[dict[str, Any]]]]) -> None:
    """Write rows and their cards, a part at a time, in row groups of two hundred."""
    import pyarrow as arrow
    from pyarrow import parquet

    schema = arrow.schema([("row", arrow.int64()), ("card", arrow.string())])
    encoder = json.JSONEncoder(allow_nan=False)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer, _without_collector():
        for rows, cards in parts:
            texts = [encoder.encode(card) for card in cards]
            part = arrow.table({"row": rows, "card": texts}, schema=schema)
            writer.write_table(part, row_group_size=CARD_GROUP)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Spare Python its search for cycles while many objects are made that have none.

    It would look through all that is in memory again and again, for a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class CardFile:
    """``cards.parquet``: what to show of each row that has a card, by its place in the file."""

    def __init__(self, path: Path) -> None:
        self._file = open_rows(path)
        groups = self._file.metadata.num_row_groups
        sizes = [self._file.metadata.row_group(group).num_rows for group in range(groups)]
        self._starts = np.cumsum([0, *sizes])
        self.rows: np.ndarray = convert_numbers(self._file.read(columns=["row"])["row"])
        self._groups: OrderedDict[int, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self.rows)

    def card(self, place: int) -> dict[str, Any]:
        """One card."""
        return json.loads(self.text(place))

    def text(self, place: int) -> str:
        """One card as it is stored: JSON."""
        group = int(np.searchsorted(self._starts, place, side="right")) - 1
        return self._group(group)[place - int(self._starts[group])].as_py()

    def _group(self, group: int) -> Any:
        if group not in self._groups:
            self._groups[group] = self._file.read_row_group(group, columns=["card"])["card"]
            if len(self._groups) > KEPT_GROUPS:
                self._groups.popitem(last=False)
        self._groups.move_to_end(group)
        return self._groups[group]

    def texts(self) -> Any:
        """All cards in their order, a group in memory at a time."""
        for batch in self._file.iter_batches(batch_size=CARD_GROUP, columns=["card"]):
            yield from (text.as_py() for text in batch["card"])

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def write_components(path: Path, p: np.ndarray) -> None:
    """The probability that each label is wrong under each component, in single precision."""
    import pyarrow as arrow
    import pyarrow.parquet

    names = [f"component_{kind}" for kind in range(p.shape[1])]
    schema = arrow.schema([(name, arrow.float32()) for name in names])
    # No two rows have the same probabilities: a dictionary of them takes time and room.
    with pyarrow.parquet.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for start in range(0, max(len(p), 1), COMPONENT_GROUP):
            columns = np.ascontiguousarray(p[start : start + COMPONENT_GROUP].T, dtype=np.float32)
            writer.write_table(arrow.table(list(columns), schema=schema))


def read_components(path: Path, rows: Any = slice(None)) -> np.ndarray:
    """The numbers of :func:`write_components`, of all rows or some, shape (n, components)."""
    names = list_columns(path)
    return np.stack([convert_numbers(read_column(path, name))[rows] for name in names], axis=1)


def open_rows(path: Path, *, read_dictionary: list[str] | None = None) -> Any:
    """A file of an audit, open, by pyarrow's ``ParquetFile``; raise where it is gone or damaged."""
    from pyarrow import parquet

    with readable(path):
        try:
            return parquet.ParquetFile(path, read_dictionary=read_dictionary)
        except (ValueError, OSError) as error:
            if isinstance(error, PermissionError):
                raise
            raise ValueError(f"{path} is damaged; audit the table again.") from error


def read_column(path: Path, name: str) -> Any:
    """A column; `read_table` would import pandas. Labels that are texts come as codes."""
    coded = [name] if name in ("labels", "suggested") else None
    with open_rows(path, read_dictionary=coded) as file:
        return file.read([name])[name]


def list_columns(path: Path) -> list[str]:
    """The names of the columns of a file."""
    with open_rows(path) as file:
        return file.schema_arrow.names


def convert_numbers(column: Any) -> np.ndarray:
    """A column of numbers or truth values; of numbers, NaN where one is missing."""
    parts = [_convert_chunk(chunk) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.empty(0)


def encode_values(column: Any) -> tuple[list[Any], np.ndarray]:
    """The different values of a column, sorted, and the place of each row's among them."""
    read = _read_codes if hasattr(column.type, "index_type") else _read_numbers
    return _join_codes(map(read, column.chunks))


def _convert_chunk(chunk: Any) -> np.ndarray:
    values, valid = _split_chunk(chunk)
    return values if valid is None else np.where(valid, values, np.nan)


def _split_chunk(chunk: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Numbers or truth values, and where they are valid; None for everywhere."""
    valid, content = chunk.buffers()
    end = chunk.offset + len(chunk)
    if str(chunk.type) == "bool":
        values = np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little").astype(bool)
    else:
        values = np.frombuffer(content, chunk.type.to_pandas_dtype())
    values = values[chunk.offset : end]
    if not chunk.null_count:
        return values, None
    there = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little").astype(bool)
    return values, there[chunk.offset : end]


def _read_numbers(chunk: Any) -> tuple[list[Any], np.ndarray]:
    # Without a detour by floats, which cannot hold all whole numbers.
    values, valid = _split_chunk(chunk)
    there = values == values if valid is None else valid & (values == values)
    distinct, found = np.unique(values[there], return_inverse=True)
    codes = np.full(len(values), MISSING)
    codes[there] = found
    return distinct.tolist(), codes


def _read_codes(chunk: Any) -> tuple[list[Any], np.ndarray]:
    codes = _convert_chunk(chunk.indices)
    values = chunk.dictionary.to_pylist()
    return values, np.where(np.isnan(codes), MISSING, codes).astype(np.int64)


def _join_codes(parts: Iterable[tuple[list[Any], np.ndarray]]) -> tuple[list[Any], np.ndarray]:
    """Codes of several parts, each with values of its own, in terms of the values of all."""
    kept = list(parts)
    values = sorted({value for own, _ in kept for value in own})
    place = {value: code for code, value in enumerate(values)}
    whole = [np.array([*(place[value] for value in own), MISSING])[codes] for own, codes in kept]
    return values, np.concatenate([np.empty(0, np.int64), *whole])
