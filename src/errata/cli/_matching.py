"""The rows of an audit found again in a table that may have changed since."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import errata

from .._format import count, plural
from ._columns import labels_of
from ._console import say


def rows_in_audit(table: Path, label: str, audit: Any) -> Any:
    """The number that each row of a table has in its audit; raise when one was not audited."""
    if audit.digests is None:
        return _rows_by_place(table, label, audit)
    now = errata.tables.read_table(table, audit.digests.columns)
    check_count(table, now.num_rows, len(audit))
    rows = audit.digests.places_of(errata.tables.row_digests(now))
    labels = labels_of(now, label)
    if (rows < 0).any():
        _refuse(table, rows, labels, audit.labels)
    # The contents are the same now; but 1 and "1" look the same, and only one of them fits.
    checked = _not_decided(audit)[rows]
    numbers = checked.nonzero()[0]
    _check_labels(table, labels[checked], audit.labels[rows][checked], numbers=numbers)
    _tell_of_order(table, rows)
    return rows


def _rows_by_place(table: Path, label: str, audit: Any) -> Any:
    """Rows of an audit made in Python, which has not seen the file and knows the labels alone."""
    now = labels_of(errata.tables.read_table(table, [label]), label)
    check_count(table, len(now), len(audit))
    _check_labels(table, now, audit.labels)
    tell_of_places(table, "labels")
    return audit.columns()["row"]


def _not_decided(audit: Any) -> Any:
    """Rows whose label is the table's: others were replaced by what people had decided."""
    if audit.about.get("decisions") is None:
        return audit.labelled | ~audit.labelled
    return audit.labelled if audit.known is None else audit.labelled & ~audit.known


def rows_by_contents(table: Path, audit: Any) -> Any:
    """The number that each row has in its audit, whatever it was labelled with; raise as above."""
    now = errata.tables.read_table(table, audit.digests.columns)
    check_count(table, now.num_rows, len(audit))
    rows = audit.digests.places_of(errata.tables.row_digests(now))
    if (rows < 0).any():
        raise ValueError(not_as_audited(table, rows < 0))
    _tell_of_order(table, rows)
    return rows


def _tell_of_order(table: Path, rows: Any) -> None:
    if (rows[1:] < rows[:-1]).any():
        say(f"The rows of {table} were in another order when they were audited; each was found.")


def tell_of_places(table: Path, judged: str) -> None:
    """Say that rows are known by their places, as nobody knows what they held."""
    say(
        f"This audit does not say what the rows of {table} held, as it was made in Python; their "
        f"{judged} are the same. If they were sorted since, audit the file instead.",
        err=True,
    )


def check_count(table: Path, now: int, then: int) -> None:
    if now != then:
        raise ValueError(
            f"{table} has {plural(now, 'row')}, but {count(then)} were audited; audit it again."
        )


def _refuse(table: Path, rows: Any, now: Any, then: Any) -> None:
    """Raise with what has changed, and where it is first to be seen."""
    new = rows < 0
    if new.all():
        raise ValueError(
            f"no row of {table} is as it was audited; it is another table, or its cells were "
            "written in another way. Audit it again."
        )
    in_place = (rows == range(len(rows)))[~new].all()
    if in_place:
        _check_labels(table, now[new], then[new], numbers=new.nonzero()[0])
    raise ValueError(not_as_audited(table, new))


def not_as_audited(table: Path, new: Any) -> str:
    """What to say of rows of a table that were not audited."""
    first = f"the first is row {new.argmax()}, counted from 0"
    changed = "row of {} is" if new.sum() == 1 else "rows of {} are"
    return f"{count(new.sum())} {changed.format(table)} not as audited ({first}); audit it again."


def _check_labels(table: Path, now: Any, then: Any, numbers: Any = None) -> None:
    rows = range(len(now)) if numbers is None else numbers
    check_as_audited(table, now.tolist(), then.tolist(), rows)


def check_as_audited(table: Path, now: list[Any], then: list[Any], rows: Iterable[int]) -> None:
    """Raise when a row of a table has another label than it had; ``rows`` are their numbers."""
    for row, new, old in zip(rows, now, then, strict=True):
        # As text 1 and 1.0 are equal, which they are when one of the columns had a gap.
        if errata.review.as_text(new) != errata.review.as_text(old):
            raise ValueError(
                f"the labels of {table} have changed since the audit: row {row} (counted from 0) "
                f"says {new!r} and said {old!r}; audit it again."
            )
