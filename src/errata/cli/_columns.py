"""Columns of the user's table, checked at the door."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import errata


def check_known(wanted: Iterable[str], columns: Iterable[str], path: Path) -> None:
    """Raise when the table lacks a column, with the names that look like it."""
    known = list(columns)
    for name in wanted:
        if name not in known:
            near = _near(name, known)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else _listed(known)
            raise ValueError(f"{path} has no column {name!r}; {hint}")


def check_filled(column: Any, name: str, what: str) -> None:
    """Raise when some row has no label, or whatever the column should hold."""
    missing = [row for row, cell in enumerate(column.tolist()) if errata.tables.is_missing(cell)]
    if missing:
        rows = "1 row" if len(missing) == 1 else f"{len(missing)} rows"
        raise ValueError(
            f"column {name!r} has {rows} without a {what} (the first is row {missing[0]}, "
            f"counted from 0); drop such rows or fill them in."
        )


def check_labels(column: Any, name: str) -> None:
    """Raise when a column does not hold a label for each row, of two classes or more."""
    check_filled(column, name, "label")
    values = column.tolist()
    odd = _odd_kind(column.dtype.kind, values)
    if odd:
        raise ValueError(
            f"column {name!r} holds labels of the type {odd}; "
            "text, whole numbers and booleans are understood."
        )
    if len(set(values)) == 1:
        raise ValueError(
            f"column {name!r} holds one class only ({values[0]}): a label can be wrong only "
            "where there is another."
        )


def _odd_kind(kind: str, values: list[Any]) -> str | None:
    """What is wrong with labels: dates, lists, measurements, several kinds at once."""
    if kind in "mM":
        return "date"
    kinds = {type(value) for value in values}
    odd = [k.__name__ for k in kinds if not issubclass(k, str | int | float)]
    if odd:
        return min(odd)
    if str in kinds and len(kinds) > 1:
        return " and ".join(sorted(k.__name__ for k in kinds))
    broken = [value for value in values if isinstance(value, float) and not value.is_integer()]
    return f"measurement ({broken[0]:g})" if broken else None


def _near(name: str, known: list[str]) -> list[str]:
    """Names that differ in case, or by a slip of the finger."""
    folded = {column.casefold(): column for column in reversed(known)}
    return [folded[match] for match in get_close_matches(name.casefold(), folded, n=3)]


def _listed(names: list[str]) -> str:
    more = len(names) - 20
    return f"its columns are {', '.join(names[:20])}{f' and {more} more' if more > 0 else ''}."
