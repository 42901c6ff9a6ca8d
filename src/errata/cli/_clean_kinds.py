"""``errata clean`` of each kind of audit."""

from functools import partial
from pathlib import Path
from typing import Any

import errata

from .._files import atomic_path
from .._format import count, plural
from .._kinds import CLASSES, MULTILABEL, NUMBERS, VOTES
from ._cleaning import (
    Counts,
    beside_table,
    check_count,
    clean_by_place,
    clean_with_people,
    counts_of,
    decisions_for,
    new_cells,
    not_as_audited,
    outcome,
    people,
    rows_by_contents,
    rows_in_audit,
    tell_of_blanks,
    tell_of_places,
)
from ._columns import check_known, column, read_column
from ._console import say
from ._folder import audited_table, check_new_folder, check_out, find_table, tidy


def clean_classes(
    audit: Any, folder: Path, table: Path | None, out: Path, *, use: str, force: bool, **how: Any
) -> None:
    """Write the audited table without the labels found wrong; ``how`` is for ``clean``."""
    label = audit.about["label"]
    if label is None:
        raise ValueError(f"{folder} is an audit of labels that are not a column of a table.")
    table, files = audited_table(table, audit.about, folder)
    if files is None:
        check_out(table, out, force=force)
    else:
        check_new_folder(table, files, out, force=force)
    # By their contents where they are known: in a table that was sorted, the wrong ones would go.
    by_place = files is not None or audit.stored is not None
    rows = None if by_place else rows_in_audit(table, label, audit)
    tidy(out.parent)
    with decisions_for(folder, audit, use) as decisions:
        how |= {"decisions": decisions, "undecided": "keep" if use == "only" else "act"}
        if rows is None:
            counts = clean_by_place(audit, table, files, out, how)
        else:
            counts = _clean_found_rows(audit, table, rows, out, how)
        decided = None if decisions is None else people(counts.decided, audit, decisions)
    if decided is not None:
        say(decided)
    if use != "only":
        is_unsure = how["action"] == "relabel" and how["unsure"] == "keep"
        why_kept = "the class is not sure" if is_unsure else "no class loses more than half"
        told = CLASSES.command.no_skill
        if audit.has_skill:
            told = outcome(counts, how["threshold"], why_kept)
        say(f"{told}." if counts.changed else f"{told}; nothing changed.")
        tell_of_blanks(counts.blank)
    say(f"Wrote {out} with {count(counts.kept)} of {plural(len(audit), 'row')}.")


def _clean_found_rows(
    audit: Any, table: Path, rows: Any, out: Path, cleaning: dict[str, Any]
) -> Counts:
    """Copy a table whose rows were found in the audit, in whatever order."""
    label = audit.about["label"]
    places = rows.tolist()
    cells = read_column(table, label).tolist()
    cleaned = beside_table(audit.clean(**cleaning), cells, places)
    new = new_cells(cleaned, cells, places)
    errata.tables.copy_with_rows(table, out, cleaned.kept[rows], name=label, values=new)
    return counts_of(cleaned, audit.p_wrong, audit.labelled, cleaning["threshold"])


def clean_target_file(
    audit: Any,
    folder: Path,
    table: Path | None,
    out: Path,
    *,
    use: str,
    force: bool,
    **how: Any,
) -> None:
    """Write the audited table without the numbers found wrong; ``how`` is for ``clean``."""
    target = audit.about["target"]
    if target is None:
        raise ValueError(f"{folder} is an audit of targets that are not a column of a table.")
    table = table or find_table(audit.about.get("table"), folder)
    check_out(table, out, force=force)
    rows = _target_rows_in_audit(table, target, audit)
    tidy(out.parent)
    beside = partial(_beside_table, audit, table, target, rows)
    cleaned, decided = clean_with_people(audit, folder, use, how, beside)
    cells = read_column(table, target).tolist()
    is_new = (cleaned.did == "replaced") | (cleaned.did == "unlabelled")
    write = errata.auditing.numbers.written_cells
    new = write(
        *(cells, is_new[rows], cleaned.labels[rows], audit.digits), typed=cleaned.decided[rows]
    )
    errata.tables.copy_with_rows(table, out, cleaned.kept[rows], name=target, values=new)
    counts = counts_of(cleaned, audit.p_wrong, audit.has_target, how["threshold"])
    if decided is not None:
        say(decided)
    if use != "only":
        say(_target_outcome(audit, counts, how["threshold"]))
    say(f"Wrote {out} with {count(counts.kept)} of {plural(len(audit), 'row')}.")


def _beside_table(audit: Any, table: Path, target: str, rows: Any, cleaned: Any) -> Any:
    """What was done to the table: the audit may have begun with the numbers that people gave."""
    if audit.known is None:
        return cleaned
    now = errata.auditing.numbers.read_targets(errata.tables.read_table(table, [target]), target)
    given = cleaned.decided[rows] & (cleaned.did[rows] == "kept")
    did = cleaned.did.copy()
    did[rows[given & (now.targets != cleaned.labels[rows])]] = "replaced"
    return cleaned._replace(did=did)


def _target_outcome(audit: Any, counts: Counts, threshold: float) -> str:
    """What became of the numbers above the threshold, in one sentence."""
    why_kept = "no more than half of the rows go"
    told = (
        outcome(counts, threshold, why_kept, "target")
        if audit.has_skill
        else NUMBERS.command.no_skill
    )
    return f"{told}." if counts.changed else f"{told}; nothing changed."


def _target_rows_in_audit(table: Path, target: str, audit: Any) -> Any:
    """The number that each row of a table has in its audit; raise when one was not audited."""
    if audit.digests is not None:
        return rows_by_contents(table, audit)
    read = errata.auditing.numbers.read_targets
    now = read(errata.tables.read_table(table, [target]), target).targets
    check_count(table, len(now), len(audit))
    other = (now != audit.targets) & ((now == now) | audit.has_target)
    if other.any():
        raise ValueError(not_as_audited(table, other))
    tell_of_places(table, "targets")
    return audit.columns()["row"]


def clean_multilabel_file(
    audit: Any,
    folder: Path,
    table: Path | None,
    out: Path,
    *,
    use: str,
    force: bool,
    **how: Any,
) -> None:
    """Write the audited table without the labels found wrong; ``how`` is for ``clean``."""
    if how["action"] == "unlabel" and audit.about["label"] is not None:
        raise ValueError(
            f"--action unlabel needs a column for each label; the lists in "
            f"{audit.about['label']!r} cannot say that a label is unknown. Relabel or drop instead."
        )
    table = table or find_table(audit.about.get("table"), folder)
    check_out(table, out, force=force)
    now = errata.tables.read_table(table)
    check_known(label_columns(audit), now.column_names, table)
    rows = _multilabel_rows_in_audit(table, now, audit)
    tidy(out.parent)
    cleaned, decided = clean_with_people(audit, folder, use, how)
    _copy(table, out, cleaned.kept[rows], _new_columns(audit, now, cleaned.labels[rows]))
    if decided is not None:
        say(decided)
    if use != "only":
        say(f"{_multilabel_outcome(audit, cleaned, how['action'], how['threshold'])}.")
    say(f"Wrote {out} with {count(cleaned.kept.sum())} of {plural(len(audit), 'row')}.")


def label_columns(audit: Any) -> list[str]:
    """The columns of labels: one of lists or text, or one of 0 and 1 for each label."""
    label = audit.about["label"]
    return list(map(str, audit.names)) if label is None else [label]


def _multilabel_rows_in_audit(table: Path, now: Any, audit: Any) -> Any:
    """The number that each row of a table has in its audit; raise when one was not audited."""
    if audit.digests is not None:
        return rows_by_contents(table, audit)
    check_count(table, now.num_rows, len(audit))
    multilabel = errata.auditing.multilabel
    found = multilabel.read_label_sets(now, label_columns(audit))
    if [multilabel.label_name(name) for name in found.names] != audit.names:
        raise ValueError(f"{table} has other labels than were audited; audit it again.")
    other = (audit.labels != found.Y).any(axis=1)
    if other.any():
        raise ValueError(not_as_audited(table, other))
    tell_of_places(table, "labels")
    return audit.columns()["row"]


def _new_columns(audit: Any, now: Any, labels: Any) -> dict[str, list[Any]]:
    """The columns of labels in which a cell changes."""
    multilabel = errata.auditing.multilabel
    label = audit.about["label"]
    cells = {name: column(now, name) for name in label_columns(audit)}
    if label is None:
        new = {
            name: multilabel.written_indicators(column_cells, labels[:, place])
            for place, (name, column_cells) in enumerate(cells.items())
        }
    else:
        new = {label: multilabel.written_sets(cells[label].tolist(), audit.names, labels)}
    return {name: values for name, values in new.items() if values != cells[name].tolist()}


def _copy(table: Path, out: Path, kept: Any, columns: dict[str, list[Any]]) -> None:
    """Copy a table with some columns replaced, one after the other."""
    copy = errata.tables.copy_with_rows
    if len(columns) < 2:
        ((name, values),) = columns.items() or [(None, None)]
        copy(table, out, kept, name=name, values=values)
        return
    errata.tables._table.check_same_format(table, out)  # now, while errors name it
    with atomic_path(out) as temporary:
        for place, (name, values) in enumerate(columns.items()):
            copy(temporary if place else table, temporary, kept, name=name, values=values)


def _multilabel_outcome(audit: Any, cleaned: Any, action: str, threshold: float) -> str:
    """What became of the labels above the threshold, in one sentence."""
    if not audit.has_skill:
        return f"{MULTILABEL.command.no_skill}; nothing changed"
    wrong = (audit.p_wrong_cells > threshold) & audit.can_be_judged & ~cleaned.decided[:, None]
    probably = f"wrong with a probability above {threshold:g}"
    if not wrong.any():
        return f"No label of a row is {probably}; nothing changed"
    n_rows = int(wrong.any(axis=1).sum())
    labels = f"{plural(int(wrong.sum()), 'label')} in {plural(n_rows, 'row')}"
    done = _done(audit, cleaned, action, wrong)
    return f"{labels} {'is' if wrong.sum() == 1 else 'are'} {probably}: {', '.join(done)}"


def _done(audit: Any, cleaned: Any, action: str, wrong: Any) -> list[str]:
    if action == "drop":
        dropped = int((~cleaned.kept & ~cleaned.decided).sum())
        spared = int(wrong.any(axis=1).sum()) - dropped
        what = "no more than half of the rows go"
        counts = {f"{plural(dropped, 'row')} dropped": dropped}
    elif action == "relabel":
        new, old = (labels[~cleaned.decided] for labels in (cleaned.labels, audit.labels))
        added = (new > old).sum()
        taken = (new < old).sum()
        spared = int(wrong.sum() - added - taken)
        what = "that is not sure"
        counts = {f"{count(added)} added": added, f"{count(taken)} taken away": taken}
    else:
        spared = 0
        what = ""
        counts = {f"{count(wrong.sum())} emptied": wrong.sum()}
    kept = {f"{count(spared)} kept, as {what}": spared}
    return [told for told, number in (counts | kept).items() if number]


def clean_votes(
    audit: Any, folder: Path, table: Path | None, out: Path, *, use: str, force: bool, **how: Any
) -> None:
    """Write the items, or the rows of their table, with their label; ``how`` is for ``clean``."""
    source = _table_of_items(audit, folder, table)
    check_out(source or Path(audit.about.get("table") or folder), out, force=force)
    tidy(out.parent)
    cleaned, decided = clean_with_people(audit, folder, use, how)
    threshold = how["threshold"]
    counts = counts_of(cleaned, audit.p_wrong, audit.labelled, threshold)
    columns = _items(audit, cleaned) if source is None else _rows(audit, cleaned, source)
    errata.tables.write_table(out, columns)
    if decided is not None:
        say(decided)
    if use != "only":
        told = outcome(counts, threshold, "the consensus is not sure, or a class would lose half")
        say(f"{told if audit.has_skill else VOTES.command.no_skill}.")
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
    table = errata.tables.read_table(source)
    name = audit.about["id"]
    label = audit.about["label"]
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
