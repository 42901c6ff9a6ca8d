"""Rows on disk: what is known of each row of a large table, in files of some rows each.

A file holds what :meth:`Audit.table` has, under the same names. Columns are read when asked for.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from ..._detector import count_kept
from ..._files import atomic_path, readable
from ...audit_folder import open_rows
from .._settings import KEPT_OF_A_CLASS, LAST_OF_A_CLASS
from ..inputs._labels import labels_from
from ..results._cleaning import Cleaned, Scores, clean_labels
from ..results._flags import Rows, Totals

KNOWN = "known"
BITS = "bits"  # beside the judged rows of a part
GROUPS = "groups"  # the same
# What an audit calls them, and their names in the files.
NAMES = {
    "labels": "label",
    "suggested": "suggested",
    "p_wrong": "p_wrong",
    "p_suggested": "p_suggested",
    "suspicion": "suspicion",
    "flagged": "flagged",
}
# Small, but for the two that decide: a row must not change sides of the line on its way to disk.
_KINDS = {
    "code": np.int16,
    "other": np.int16,
    "p_wrong": np.float64,
    "p_other": np.float32,
    "suspicion": np.float64,
    "p_elsewhere": np.float32,
    "audited": np.bool_,
    "known": np.bool_,
}


Act = Callable[[Scores], Cleaned]
Part = tuple[int, int, str]  # the first row of a file, the one after its last, and its digest


class StoredRows:
    """All rows of an audit, in the files of a folder.

    ``parts`` tell of each file which rows it holds, and have a name for what it says: in the order
    of the rows, none left out.
    """

    def __init__(
        self, folder: Path, parts: Iterable[Sequence[Any]], classes: np.ndarray, totals: Totals
    ) -> None:
        self.folder = folder
        self.parts: list[Part] = [(start, stop, digest) for start, stop, digest in parts]
        self.starts = [start for start, _, _ in self.parts]
        self.classes = classes
        self.totals = totals
        self.cuts: dict[Any, Any] = {}  # what cleaning has found out about all rows

    def __len__(self) -> int:
        return self.parts[-1][1]

    @staticmethod
    def write(folder: Path, start: int, rows: Rows, classes: np.ndarray) -> Part:
        """Write the rows of a part that begins with row ``start``; the file appears when whole."""
        import pyarrow as arrow
        import pyarrow.parquet

        names = arrow.array(classes)
        n = len(rows.code)
        columns = {
            "row": np.arange(start, start + n),
            "label": names.take(arrow.array(rows.code, mask=rows.code < 0)),
            "suggested": names.take(arrow.array(rows.suggested)),
            "p_wrong": rows.p_wrong,
            "p_suggested": np.asarray(rows.p_suggested, dtype=np.float32),
            "suspicion": rows.suspicion,
            "flagged": rows.flagged,
            **({} if rows.known is None else {KNOWN: rows.known}),
        }
        with atomic_path(part_path(folder, start)) as temporary:
            pyarrow.parquet.write_table(
                arrow.table(columns),
                temporary,
                use_dictionary=["label", "suggested"],
                column_encoding={"row": "DELTA_BINARY_PACKED"},  # next to nothing, as they run on
            )
        return start, start + n, rows.digest()

    def attributes(self) -> dict[str, "StoredColumn | None"]:
        """The attributes of an audit that have one entry per row."""
        columns = {name: StoredColumn(self, name) for name in NAMES}
        return columns | {f"_{KNOWN}": StoredColumn(self, KNOWN) if self.totals.known else None}

    def slices(self) -> Iterator[slice]:
        """The rows of each part."""
        return (slice(start, stop) for start, stop, _ in self.parts)

    def read(self, name: str, start: int, stop: int) -> np.ndarray:
        """An attribute of the rows from ``start`` up to ``stop``, from the files that hold some."""
        if name not in ("labels", "suggested"):
            return self._numbers(name, start, stop)
        with_blanks = name == "labels" and self.totals.labelled < self.totals.n
        return labels_from(self.codes(name, start, stop), self.classes, with_blanks=with_blanks)

    def take(self, name: str, rows: np.ndarray) -> np.ndarray:
        """An attribute of rows anywhere, from the files that hold them."""
        home = np.searchsorted(self.starts, rows, side="right") - 1
        found = np.empty(len(rows), dtype=self.read(name, 0, 0).dtype)
        for place in np.unique(home):
            here = home == place
            start, stop, _ = self.parts[place]
            found[here] = self.read(name, start, stop)[rows[here] - start]
        return found

    def codes(self, name: str, start: int, stop: int) -> np.ndarray:
        """Labels or suggestions of some rows as places among the classes, -1 for none."""
        import pyarrow as arrow
        from pyarrow import compute

        column = self._column(name, start, stop)
        classes = arrow.array(self.classes)
        places = compute.fill_null(compute.index_in(column, value_set=classes), -1)
        return places.to_numpy().astype(np.intp)

    def _numbers(self, name: str, start: int, stop: int) -> np.ndarray:
        values = self._column(name, start, stop).to_numpy()
        return values.astype(float) if values.dtype == np.float32 else values

    def _column(self, name: str, start: int, stop: int) -> Any:
        """The column of some rows as Arrow has it."""
        import pyarrow

        stored = NAMES.get(name, name)
        chunks = []
        some = [first for first, last, _ in self.parts if first < stop and start < last]
        for begin in some or self.starts[:1]:  # no rows are of the type of any
            path = part_path(self.folder, begin)
            with open_rows(path) as file:
                column = file.read([stored])[stored]
            first = max(start - begin, 0)
            chunks += column.slice(first, max(stop - begin - first, 0)).chunks
        return pyarrow.chunked_array(chunks)

    def fingerprint(self) -> str:
        """A name for all rows; each of them is known by its place."""
        digest = blake2b("".join(digest for _, _, digest in self.parts).encode(), digest_size=16)
        digest.update("\x1f".join(map(repr, self.classes.tolist())).encode())
        return digest.hexdigest()

    def clean(self, rows: slice, has_skill: bool, action: str, **options: Any) -> Cleaned:
        """See :meth:`errata.Audit.clean_rows`."""

        def act(scores: Scores) -> Cleaned:
            return clean_labels(scores.believed(has_skill), action, spare=False, **options)

        key = (has_skill, action, *sorted(options.items()))
        if key not in self.cuts:
            self.cuts[key] = self.find_cuts(act)
        scores = self._scores(rows)
        cleaned = act(scores)
        dropped = np.flatnonzero(cleaned.did == "dropped")
        p_wrong = scores.p_wrong[dropped]
        least, first = (of_class[scores.codes[dropped]] for of_class in self.cuts[key])
        back = dropped[(p_wrong < least) | ((p_wrong == least) & (dropped + rows.start < first))]
        cleaned.kept[back] = True
        cleaned.weight[back] = 1.0
        cleaned.did[back] = "kept"
        return cleaned

    def find_cuts(self, act: Act) -> tuple[np.ndarray, np.ndarray]:
        """Look through all rows for what is too much of a class.

        ``act`` drops whatever it would drop of a class that is large enough. Returns for each class
        from which probability and, of equals, which row on rows may be dropped.
        """
        n_classes = len(self.classes)
        sizes = np.zeros(n_classes, dtype=np.intp)
        found = []
        for rows in self.slices():
            scores = self._scores(rows)
            sizes += np.bincount(scores.codes[scores.codes >= 0], minlength=n_classes)
            cleaned = act(scores)
            sizes += self._grown(rows, scores.codes, cleaned)
            dropped = np.flatnonzero(cleaned.did == "dropped")
            found.append((scores.codes[dropped], scores.p_wrong[dropped], dropped + rows.start))
        codes, p_wrong, places = map(np.concatenate, zip(*found, strict=True))
        kept = count_kept(sizes, min_per_class=LAST_OF_A_CLASS, min_fraction=KEPT_OF_A_CLASS)
        least = np.full(n_classes, -np.inf)
        first = np.zeros(n_classes, dtype=np.intp)
        back = kept - (sizes - np.bincount(codes, minlength=n_classes))
        for code in np.flatnonzero(back > 0):
            members = np.flatnonzero(codes == code)
            ordered = members[np.lexsort((places[members], p_wrong[members]))]
            if back[code] == len(members):
                least[code] = np.inf
            else:
                least[code] = p_wrong[ordered[back[code]]]
                first[code] = places[ordered[back[code]]]
        return least, first

    def _scores(self, rows: slice) -> Scores:
        """Labels and probabilities that cleaning goes by, of some rows."""
        columns: dict[str, Any] = {
            name: self.read(name, rows.start, rows.stop)
            for name in ("labels", "suggested", "p_wrong", "p_suggested")
        }
        return Scores(codes=self.codes("labels", rows.start, rows.stop), **columns)

    def _grown(self, rows: slice, codes: np.ndarray, cleaned: Cleaned) -> np.ndarray:
        """By how much classes grow as rows are relabelled: what is left of a class counts."""
        n_classes = len(self.classes)
        moved = (cleaned.did == "relabelled") & (codes >= 0)
        if not moved.any():
            return np.zeros(n_classes, dtype=np.intp)
        new = self.codes("suggested", rows.start, rows.stop)[moved]
        return np.bincount(new, minlength=n_classes) - np.bincount(
            codes[moved], minlength=n_classes
        )

    def copy_to(self, folder: Path) -> None:
        """The same files elsewhere: they never change, so where it can be, under a second name."""
        folder.mkdir()
        for start in self.starts:
            source = part_path(self.folder, start)
            with readable(source):
                link_or_copy(source, folder / source.name)


class StoredColumn:
    """One attribute of all rows; a slice of it, or some rows, are read from disk."""

    def __init__(self, rows: StoredRows, name: str) -> None:
        self.rows = rows
        self.name = name

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        if not isinstance(rows, slice):
            return self.rows.take(self.name, rows)
        start, stop, _ = rows.indices(len(self))
        return self.rows.read(self.name, start, stop)


def link_or_copy(source: Path, target: Path) -> None:
    """A second name for a file, or a copy of it where a disk knows no such thing."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def part_path(folder: Path, start: int) -> Path:
    """The file of the part that begins with a row, so that names sort as the rows do.

    >>> part_path(Path("rows"), 1_500).name
    'part-000000001500.parquet'
    """
    return folder / f"part-{start:012d}.parquet"


def path_beside(folder: Path, what: str, start: int) -> Path:
    """The file of something else that is known of a part."""
    return folder / f"{what}-{start:012d}.npy"


def save_arrays(path: Path, arrays: list[Any]) -> None:
    """Write arrays behind each other; the file appears when it is whole."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.save(file, np.concatenate(arrays))


def write_judged(path: Path, judged: Rows) -> None:
    """Write the rows of a part; the file appears when it is whole."""
    import pyarrow
    import pyarrow.parquet

    columns = {
        name: column.astype(kind, copy=False)
        for name, kind in _KINDS.items()
        if (column := getattr(judged, name)) is not None
    }
    table = pyarrow.table(columns)
    with atomic_path(path) as temporary:
        pyarrow.parquet.write_table(table, temporary)


def read_judged(path: Path, *names: str) -> dict[str, np.ndarray]:
    """The columns of :class:`Rows` that :func:`write_judged` has written, or some of them."""
    with open_rows(path) as file:
        table = file.read(list(names) or None)
    return {name: table[name].to_numpy() for name in table.column_names}
