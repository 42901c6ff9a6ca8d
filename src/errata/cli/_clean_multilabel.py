"""``errata clean`` of an audit of several labels a row."""

from pathlib import Path
from typing import Any

import errata

from .._files import atomic_path
from .._format import count, plural
from ._cleaned import clean_with_people
from ._columns import check_known, column
from ._console import say
from ._folder import check_out, find_table, tidy
from ._matching import check_count, not_as_audited, rows_by_contents, tell_of_places

NO_SKILL = (
    "The audit found that the columns tell none of the labels, so nobody knows which are wrong"
)


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
    rows = _rows_in_audit(table, now, audit)
    tidy(out.parent)
    cleaned, decided = clean_with_people(audit, folder, use, how)
    _copy(table, out, cleaned.kept[rows], _new_columns(audit, now, cleaned.labels[rows]))
    if decided is not None:
        say(decided)
    if use != "only":
        say(f"{_outcome(audit, cleaned, how['action'], how['threshold'])}.")
    say(f"Wrote {out} with {count(cleaned.kept.sum())} of {plural(len(audit), 'row')}.")


def label_columns(audit: Any) -> list[str]:
    """The columns of labels: one of lists or text, or one of 0 and 1 for each label."""
    label = audit.about["label"]
    return list(map(str, audit.names)) if label is None else [label]


def _rows_in_audit(table: Path, now: Any, audit: Any) -> Any:
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
    multilabel, label = errata.auditing.multilabel, audit.about["label"]
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


def _outcome(audit: Any, cleaned: Any, action: str, threshold: float) -> str:
    """What became of the labels above the threshold, in one sentence."""
    if not audit.has_skill:
        return f"{NO_SKILL}; nothing changed"
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
        spared, what = int(wrong.any(axis=1).sum()) - dropped, "no more than half of the rows go"
        counts = {f"{plural(dropped, 'row')} dropped": dropped}
    elif action == "relabel":
        new, old = (labels[~cleaned.decided] for labels in (cleaned.labels, audit.labels))
        added, taken = (new > old).sum(), (new < old).sum()
        spared, what = int(wrong.sum() - added - taken), "that is not sure"
        counts = {f"{count(added)} added": added, f"{count(taken)} taken away": taken}
    else:
        spared, what = 0, ""
        counts = {f"{count(wrong.sum())} emptied": wrong.sum()}
    kept = {f"{count(spared)} kept, as {what}": spared}
    return [told for told, number in (counts | kept).items() if number]
