"""Numeric targets and their table: read, checked, made into features, and written again."""

import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.stats import spearmanr

from ..._format import count, join_names, percent, plural
from ..._validation import as_column
from ...audit_folder.decisions import Decisions, as_text, differ, from_text, resolve
from ...tables import Features, features_of
from ...tables._columns import (
    Column,
    column_array,
    column_names,
    columns_of,
    count_rows,
    numbers,
    quick_numbers,
    spread,
    without_columns,
    words_of,
)
from ...tables.features._parsing import parse_numbers
from .._settings import LEAK_ROWS, NAMED_COLUMNS
from ..inputs._decisions import notes_on_decisions, row_names
from ..inputs._features import fit_scale
from ..inputs._groups import group_numbers
from ..inputs._inputs import check_trust
from ..inputs._labels import check_one_per_row, labels_or_none, missing_column, one_per_row
from ..results._cleaning import read_decided
from ._task import find_atoms

# Numeric targets as they are read and written: chosen by hand, without influence on any p_wrong.
FEWEST_TARGETS = 30  # rows
FEW_TARGETS = 100  # below which a note says so
MAYBE_CLASSES = 30  # different whole numbers that may be names of classes
CAPPED = 0.01  # of the rows at one end: it may be a limit
FEWEST_CAPPED = 5
WRITTEN_SO = 0.95  # of the numbers have no more digits than suggestions get
MOST_DECIMALS = 6
MOST_NOUGHTS = 3
GIVES_TARGET = 0.999  # rank correlation from which a column looks made from the target

LARGEST = 1e100  # of what is squared and summed on the way

# A number, perhaps with marks of thousands, and what stands before and behind it.
# Letters before a number are a unit only with a space between: h12 is a name.
_WITH_UNIT = re.compile(
    r"((?:[^\d+\-.,]*\s)?[^\w+\-.,]*)"
    r"([+-]?[\d.,](?:[\d.,\s'_]*\d)?(?:[eE][+-]?\d+)?)"
    r"(\D*)"
)


class TargetColumn(NamedTuple):
    """Targets as numbers, NaN where a row has none, and the table without them."""

    table: Any
    targets: np.ndarray
    name: str | None  # of the column, where it has one
    notes: list[str]

    @property
    def has_target(self) -> np.ndarray:
        """Whether each row has one."""
        return ~np.isnan(self.targets)


class TargetInputs(NamedTuple):
    """A table ready for the audit of its targets."""

    given: TargetColumn
    features: Features | None
    X: np.ndarray | None  # features on one scale
    groups: np.ndarray | None  # rows that are left out together
    notes: list[str]
    known: np.ndarray | None = None  # targets that people gave
    leaks: Sequence[Any] = ()  # columns that look made from the target

    @property
    def doubtful(self) -> np.ndarray:
        """Whether a row has a target that may be wrong."""
        there = self.given.has_target
        return there if self.known is None else there & ~self.known


def read_target_inputs(
    table: Any,
    y: Any,
    *,
    embeddings: Any,
    groups: Any,
    drop: Sequence[Any],
    trust: Sequence[Any] = (),
    seed: int,
    n_jobs: int | None,
    decisions: Any = None,
    keys: Any = None,
) -> TargetInputs:
    """Read and check targets, features and groups; set columns that hold the target aside."""
    given = read_targets(table, y)
    known = None
    if decisions is not None:
        given, known = lay_over_targets(given, decisions, keys)
    if len(drop):
        given = given._replace(table=_without(given.table, drop))
    n = len(given.targets)
    if given.table is not None:
        check_one_per_row("the table", count_rows(given.table), n, what="targets")
    source = given.table if embeddings is None else embeddings
    notes = [*given.notes]
    features = None
    X = None
    leaks: list[Any] = []
    if source is not None:
        features = features_of(source, random_state=seed, n_jobs=n_jobs)
        check_one_per_row("the table", features.X.shape[0], n, what="targets")
        leaks, leak_notes = find_target_leaks(source, given, features.columns, trust)
        if leaks:
            features = features_of(source, drop=leaks, random_state=seed, n_jobs=n_jobs)
        X, _ = fit_scale(features.X, seed)
        notes += [*leak_notes, *features.notes]
    if groups is not None:
        groups = group_numbers(one_per_row("groups", groups, n), np.arange(n))
    return TargetInputs(given, features, X, groups, notes, known, leaks)


def _without(table: Any, drop: Sequence[Any]) -> Any:
    names = column_names(table)
    for key in drop:
        if names and key not in names:
            raise ValueError(missing_column(key, "to drop", names))
    return without_columns(table, drop)


def check_predictions(predictions: Any, n: int) -> np.ndarray | None:
    if predictions is None:
        return None
    told = np.asarray(predictions, dtype=float)
    if told.ndim not in (1, 2) or len(told) != n:
        raise ValueError(
            f"predictions must have the shape ({n},) or ({n}, m), a number of each model for each "
            f"row, but their shape is {told.shape}."
        )
    if not np.isfinite(told).all():
        raise ValueError("predictions hold numbers that are missing or infinite; predict all rows.")
    if (np.abs(told) > LARGEST).any():
        raise ValueError(f"predictions hold numbers too large to compute with, beyond {LARGEST:g}.")
    return told


def read_targets(table: Any, y: Any) -> TargetColumn:
    """Take the targets out of the table; raise for what cannot be audited, with what to do."""
    name = y if isinstance(y, str) else None
    told = "y" if name is None else f"column {name!r}"
    if name is not None:
        if name not in column_names(table):
            raise ValueError(missing_column(name, "to take targets from", column_names(table)))
        table, y = without_columns(table, [name]), column_array(table, name)
    cells = as_column(y)
    if cells.ndim != 1:
        raise ValueError(
            f"y must hold one target per row, but its shape is {cells.shape}; audit one column "
            "of targets after the other."
        )
    targets, notes = _as_numbers(cells, told)
    _check_targets(targets, told)
    return TargetColumn(table, targets, name, [*notes, *_remarks(targets, told)])


def _as_numbers(cells: np.ndarray, told: str) -> tuple[np.ndarray, list[str]]:
    """Cells as floats, and how text was read."""
    if cells.dtype.kind in "bmM":
        what = "true or false" if cells.dtype.kind == "b" else "dates or durations"
        raise ValueError(f"{told} holds {what}, not numbers; name a column of numbers.")
    found = numbers(labels_or_none(cells))
    if found is not None:
        return found.astype(float), []
    codes, words = words_of(cells)
    read = read_numeric_cells(told, words)
    if read.values is None:
        raise ValueError(
            f"{told} holds values that are not numbers ({join_names(read.odd, most=3)}); name a "
            "column of numbers, or audit classes with errata.audit."
        )
    return spread(read.values, codes), [read.remark] if read.remark else []


def _check_targets(targets: np.ndarray, told: str) -> None:
    infinite = np.flatnonzero(np.isinf(targets))
    if len(infinite):
        raise ValueError(
            f"{told} holds {plural(len(infinite), 'infinite number')} (the first is in row "
            f"{infinite[0]}, counted from 0); correct such rows, or leave their targets empty."
        )
    _check_size(targets, told)
    present = targets[~np.isnan(targets)]
    if len(present) < FEWEST_TARGETS:
        raise ValueError(
            f"{told} holds {plural(len(present), 'target')}, and fewer than {FEWEST_TARGETS} tell "
            "too little; audit a larger table."
        )
    if present.min() == present.max():
        raise ValueError(
            f"{told} holds the number {present[0]:g} only: nothing can be learnt about it; name "
            "another column."
        )


def _check_size(values: np.ndarray, told: str) -> None:
    """Raise for numbers whose squares no computer can hold."""
    large = np.flatnonzero(np.abs(values) > LARGEST)
    if len(large):
        raise ValueError(
            f"{told} holds numbers that are too large to compute with, beyond {LARGEST:g} (the "
            f"first is {values[large[0]]:g} in row {large[0]}, counted from 0); correct them, or "
            "give the column in a larger unit."
        )


def _remarks(targets: np.ndarray, told: str) -> list[str]:
    """What a reader should know of the targets."""
    present = targets[~np.isnan(targets)]
    return [
        *_on_missing(len(targets) - len(present)),
        *_on_few(len(present)),
        *_on_classes(present, told),
        *_on_ends(present),
    ]


def _on_missing(missing: int) -> list[str]:
    if not missing:
        return []
    have = "row has" if missing == 1 else "rows have"
    return [f"{count(missing)} {have} no target: nothing is learnt from there, and each gets one."]


def _on_few(rows: int) -> list[str]:
    if rows >= FEW_TARGETS:
        return []
    return [f"There are {rows} rows only, so the answer is rough."]


def _on_classes(present: np.ndarray, told: str) -> list[str]:
    values = np.unique(present)
    if len(values) > MAYBE_CLASSES or np.any(values % 1):
        return []
    return [
        f"{told[0].upper()}{told[1:]} holds {len(values)} different whole numbers. If they are "
        "names of classes, audit them with errata.audit, or --label on the command line."
    ]


def _on_ends(present: np.ndarray) -> list[str]:
    """Values that rows share at an end of the range: a limit of what was recorded.

    What very many rows share is an atom, judged and told of on its own.
    """
    if len(np.unique(present)) <= MAYBE_CLASSES:
        return []
    ends = {"smallest": present.min(), "largest": present.max()}
    atoms = find_atoms(present)
    shares = {end: float(np.mean(present == value)) for end, value in ends.items()}
    return [
        f"{percent(share)} of the targets are exactly {ends[end]:g}, the {end}: they may be cut "
        "off there, and rows whose true value lies beyond look wrong."
        for end, share in shares.items()
        if share > max(CAPPED, (FEWEST_CAPPED - 1) / len(present)) and ends[end] not in atoms
    ]


class ReadCells(NamedTuple):
    """Each distinct word of a column as a number, how it was read, and what a comma stands for."""

    values: np.ndarray | None  # None where a word is not a number
    remark: str = ""
    comma: str = ""
    odd: tuple[str, ...] = ()  # some words that are no numbers


def read_numeric_cells(told: str, words: list[str]) -> ReadCells:
    """Words as numbers; raise where they are in different units.

    Examples
    --------
    >>> read_numeric_cells("price", ["1,250 EUR", "80 EUR"]).values
    array([1250.,   80.])
    """
    values, comma, remark = parse_numbers(told, words)
    if values is not None:
        return ReadCells(values, remark, comma)
    parts = [_WITH_UNIT.fullmatch(word.strip()) for word in words]
    whole = [part for part in parts if part is not None]
    if len(whole) < len(words):
        odd = [word for word, part in zip(words, parts, strict=True) if part is None]
        return ReadCells(None, odd=tuple(odd))
    units = sorted({"".join(part.group(1, 3)).strip() for part in whole} - {""})
    plain = [re.sub(r"[\s'_]", "", part.group(2)) for part in whole]
    values, comma, _ = parse_numbers(told, plain)
    if values is None:
        return ReadCells(None, odd=tuple(words))
    if len(units) > 1:
        raise ValueError(
            f"{told} holds numbers in {len(units)} different units ({join_names(units, most=3)}); "
            "convert them to one unit first."
        )
    unit = f" and {units[0]!r} as the unit" if units else ""
    return ReadCells(values, f"In {told}, cells were read as numbers{unit}.", comma)


class Digits(NamedTuple):
    """How the targets of a column are written."""

    decimals: int | None  # behind the point; below 0 for round numbers; None for all there are
    least: float  # a number below would have another sign than all that look right

    def write(self, values: np.ndarray) -> np.ndarray:
        """Numbers as the column would hold them."""
        values = np.maximum(values, self.least)
        return values if self.decimals is None else np.round(values, self.decimals)

    def finer(self, values: np.ndarray) -> np.ndarray:
        """Numbers with one digit more, as the bounds of an interval."""
        return values if self.decimals is None else np.round(values, self.decimals + 1)

    def text(self, value: float) -> str:
        """A number in the same digits, for people.

        >>> [Digits(places, 0.0).text(200 / 3) for places in (1, -1, None)]
        ['66.7', '67', '66.6667']
        """
        return f"{value:.6g}" if self.decimals is None else f"{value:.{max(self.decimals, 0)}f}"


def find_digits(targets: np.ndarray) -> Digits:
    """How targets are written, of which at most a few are wrong.

    Examples
    --------
    >>> find_digits(np.array([12.5, 30.0, 17.25])).write(np.array([18.2179, -3.0]))
    array([18.22, 12.5 ])
    >>> find_digits(np.array([1200, 300, 1700])).write(np.array([481.7]))
    array([500.])
    """
    decimals = None
    for places in range(-MOST_NOUGHTS, MOST_DECIMALS + 1):
        off = np.abs(np.round(targets, places) - targets)
        if np.mean(off <= 1e-9 * np.maximum(1.0, np.abs(targets))) >= WRITTEN_SO:
            decimals = places
            break
    least = float(targets.min())
    return Digits(decimals, -np.inf if least < 0 else least)


def write_numbers(
    cells: list[Any],
    changed: np.ndarray,
    values: np.ndarray,
    digits: Digits,
    typed: np.ndarray | None = None,
) -> list[Any]:
    """A column with some numbers put in place of others, written as its cells are.

    Cells that do not change stay what they were. NaN empties a cell. What people have ``typed``, a
    mask, keeps all its digits.

    Examples
    --------
    >>> write_numbers(["12,5 kg", "130 kg"], np.array([False, True]), np.array([12.5, 13.04]),
    ...               Digits(1, 0.0))
    ['12,5 kg', '13,0 kg']
    """
    words = sorted({cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()})
    is_comma = bool(words) and read_numeric_cells("", words).comma == "."
    new = [None if cell != cell else cell for cell in cells]  # NaN is a gap among numbers
    for row in np.flatnonzero(changed).tolist():
        value = float(values[row])
        is_typed = typed is not None and typed[row]
        text = f"{value:.12g}" if is_typed else digits.text(value)
        new[row] = _written(cells[row], value, text.replace(".", "," if is_comma else "."))
    return new


def _written(cell: Any, value: float, text: str) -> Any:
    if np.isnan(value):
        return None
    if isinstance(cell, str):
        part = _WITH_UNIT.fullmatch(cell)
        return text if part is None else f"{part.group(1)}{text}{part.group(3)}"
    is_whole = isinstance(cell, int) and value == int(value)
    return int(value) if is_whole else value


def find_target_leaks(
    table: Any, given: TargetColumn, used: Sequence[Any], trust: Sequence[Any] = ()
) -> tuple[list[Any], list[str]]:
    """The columns to leave out, as they put the rows in nearly the order of the target, and why.

    Where no other column would be left, they are kept, and the note says so. ``used`` are the
    columns that models look at, ``trust`` those that are known not to be made from the target.
    """
    if sparse.issparse(table):  # its columns are words or pixels, and there are too many to try
        return [], []
    columns = columns_of(table)
    check_trust(trust, columns)
    rows = np.flatnonzero(given.has_target)[:LEAK_ROWS]
    tried = [c for c in columns if c.key in used and c.key not in trust and c.name not in trust]
    leaks = [c for c in tried if _gives(c, given.targets[rows], rows)]
    if not leaks:
        return [], []
    names = join_names([repr(column.name) for column in leaks], most=NAMED_COLUMNS)
    told = f"By {names} the rows are in nearly the same order as by the target."
    if len(leaks) == len(used):
        return [], [
            f"{told} What was made from the target repeats its errors and hides them, and no other "
            "column is there to find them by."
        ]
    it, was = ("it", "was") if len(leaks) == 1 else ("they", "were")
    keys = ", ".join(repr(column.key) for column in leaks[:NAMED_COLUMNS])
    more = ", ..." if len(leaks) > NAMED_COLUMNS else ""
    return [column.key for column in leaks], [
        f"{told} What was made from the target repeats its errors and hides them, so {it} {was} "
        f"left out. If {it} {was} measured independently, pass trust=[{keys}{more}] (on the "
        "command line --trust)."
    ]


def _gives(column: Column, targets: np.ndarray, rows: np.ndarray) -> bool:
    values = quick_numbers(column.values)
    if values is None:
        return False
    values = values[rows]
    there = np.isfinite(values)
    if there.mean() < 0.5 or len(np.unique(values[there])) < 3:
        return False
    return bool(abs(spearmanr(values[there], targets[there]).statistic) >= GIVES_TARGET)


def lay_over_targets(
    given: TargetColumn, decisions: Decisions | str | os.PathLike, keys: Any
) -> tuple[TargetColumn, np.ndarray]:
    """Targets with the numbers that people gave, and which these are; rows are found by their keys.

    Unusable rows have no target then; ambiguous, disputed and skipped ones are audited like any
    others.
    """
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return lay_over_targets(given, opened, keys)
    names = row_names(keys, len(given.targets))
    rows, texts, _, gone = read_decided(decisions, names)
    targets, _ = give_numbers(given.targets, rows, texts)
    targets[gone] = np.nan
    known = np.zeros(len(targets), dtype=bool)
    known[rows] = True
    left = int(np.sum(~np.isnan(targets) & ~known))
    if left < FEWEST_TARGETS:
        raise ValueError(
            f"people have decided all but {plural(left, 'target')}; {FEWEST_TARGETS} that nobody "
            "has decided are the least to audit."
        )
    notes = notes_on_decisions(resolve(decisions, names), decisions, what="target")
    return given._replace(targets=targets, notes=[*given.notes, *notes]), known


def give_numbers(
    targets: np.ndarray, rows: np.ndarray, texts: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Targets with the numbers that people typed, and which are other ones.

    Those that people kept stay to the last digit.
    """
    new = targets.copy()
    changed = np.zeros(len(targets), dtype=bool)
    for row, text in zip(rows.tolist(), texts, strict=True):
        if not differ(text, as_text(targets[row])):
            continue
        given = from_text(text)
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise ValueError(
                f"row {row} was decided to be {given!r}, which is no number; these are decisions "
                "about another column."
            )
        new[row] = given
        changed[row] = True
    return new, changed
