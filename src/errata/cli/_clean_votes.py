"""``errata clean`` of an audit of votes: the items with the label that each of them gets."""

from pathlib import Path
from typing import Any

import errata

from .._format import count, plural
from ._cleaned import clean_with_people, counts_of, outcome, tell_of_blanks
from ._columns import check_known, column
from ._console import say
from ._folder import check_out, find_table, tidy

NO_SKILL = (
    "The audit found that the votes do not tell who is right, so every item keeps its majority"
)


def clean_votes(
    audit: Any, folder: Path, out: Path, *, table: Path | None, use: str, force: bool, **how: Any
) -> None:
    """Write the items, or the rows of their table, with their label; ``how`` is for ``clean``."""
    source = _table_of_items(audit, folder, table)
    check_out(source or Path(audit.about.get("table") or folder), out, force=force)
    tidy(out.parent)
    cleaned, decided = clean_with_people(audit, folder, use, how)
    threshold = how.get("threshold", 0.5)
    counts = counts_of(cleaned, audit.p_wrong, audit.labelled, threshold)
    columns = _items(audit, cleaned) if source is None else _rows(audit, cleaned, source)
    errata.tables.write_table(out, columns)
    if decided is not None:
        say(decided)
    if use != "only":
        told = outcome(counts, threshold, "the consensus is not sure, or a class would lose half")
        say(f"{told if audit.has_skill else NO_SKILL}.")
        tell_of_blanks(counts.blank)
    say(f"Wrote {out} with {count(counts.kept)} of {plural(len(audit), 'item')}.")


def _table_of_items(audit: Any, folder: Path, given: Path | None) -> Path | None:
    """The file that ``--features`` named, wherever it is now; None where there was none."""
    if audit.about.get("features_table") is None:
        if given is not None:
            raise ValueError(f"{folder} was made from votes alone; --table has no effect.")
        return None
    return given or find_table(audit.about["features_table"], folder)


def _items(audit: Any, cleaned: Any) -> dict[str, Any]:
    """The names of the items that stay, and their labels."""
    kept = cleaned.kept
    names = {"item": audit.items[kept], "label": _plain(cleaned.labels[kept])}
    return {str(audit.about[what]): cells for what, cells in names.items()}


def _rows(audit: Any, cleaned: Any, source: Path) -> dict[str, Any]:
    """The rows of the table whose items stay, with a column of labels."""
    table, name, label = errata.tables.read_table(source), audit.about["id"], audit.about["label"]
    check_known([name], table.column_names, source)
    if label in table.column_names:
        raise ValueError(f"{source} has a column {label!r} already; rename it for the labels.")
    place = {item: row for row, item in enumerate(audit.items.tolist())}
    rows = [place.get(item) for item in column(table, name).tolist()]
    if None in rows:
        unknown = column(table, name)[rows.index(None)]
        raise ValueError(f"{source} has the item {unknown}, which was not audited.")
    stay = [at for at, row in enumerate(rows) if cleaned.kept[row]]
    labels = cleaned.labels[[rows[at] for at in stay]]
    kept = table.take(stay)
    return dict(zip(kept.column_names, kept.columns, strict=True)) | {label: _plain(labels)}


def _plain(labels: Any) -> list[Any]:
    """Labels as a file holds them; None where there is none."""
    texts = [None if label is None or label != label else label for label in labels.tolist()]
    whole = all(text is None or (isinstance(text, float) and text.is_integer()) for text in texts)
    return [text if text is None or not whole else int(text) for text in texts]
