"""``errata clean``: a table without the labels that an audit found wrong."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import errata

from .._format import count, plural
from ._clean_kinds import clean_multilabel_file, clean_target_file, clean_votes
from ._cleaning import (
    Counts,
    beside_table,
    clean_by_place,
    counts_of,
    decisions_for,
    new_cells,
    outcome,
    people,
    rows_in_audit,
    tell_of_blanks,
)
from ._columns import read_column
from ._console import say
from ._folder import audited_table, check_new_folder, check_out, tidy
from ._options import FRACTION

ACTIONS = ("drop", "relabel", "replace", "unlabel")
FOR_CLASSES = ("unsure",)  # options without effect on several labels a row
FOR_LABELS = ("sure", *FOR_CLASSES)  # and on numbers
NO_SKILL = (
    "The audit found that the columns do not tell the labels apart, so nobody knows which are wrong"
)


@click.command()
@click.argument("folder", metavar="AUDIT", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The cleaned table, in the format of the audited one; a folder for several files.",
)
@click.option(
    "--action",
    "-a",
    type=click.Choice(ACTIONS),
    default="drop",
    show_default=True,
    help="What to do with labels that are probably wrong; see above.",
)
@click.option(
    "--threshold",
    type=FRACTION,
    default=0.5,
    show_default=True,
    help="Act on labels that are wrong with more than this probability.",
)
@click.option(
    "--sure",
    type=FRACTION,
    default=0.8,
    show_default=True,
    help="Relabel only where the suggested class is more probable than this.",
)
@click.option(
    "--unsure",
    type=click.Choice(("keep", "drop")),
    default="keep",
    show_default=True,
    help="What becomes of wrong labels without a sure class (action relabel).",
)
@click.option(
    "--decisions",
    "use",
    type=click.Choice(("first", "only", "ignore")),
    default="first",
    show_default=True,
    help="What people decided comes first; or is all that is done; or is ignored.",
)
@click.option(
    "--ambiguous",
    type=click.Choice(("keep", "drop")),
    default="keep",
    show_default=True,
    help="What becomes of rows that people found ambiguous.",
)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    help="The audited table, folder or pattern. [default: where it was audited, or beside AUDIT]",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is there already.")
def clean(
    folder: Path,
    out: Path,
    action: str,
    threshold: float,
    sure: float,
    unsure: str,
    use: str,
    ambiguous: str,
    table: Path | None,
    force: bool,
) -> None:
    """Write the audited table without the labels found wrong.

    AUDIT is the folder that errata audit has written. The new table has the rows in their order,
    and all that was not asked to change as it was. Rows are known by their contents: the table may
    have been sorted since the audit and have further columns, but no row may have changed. Of an
    audit of several files, OUT is a folder of files with the same names; rows of these, and of
    tables larger than memory, are known by their places, and the labels there must be as audited.

    Of an audit of votes, OUT holds the items, or the rows of their table, with a column of labels:
    the majority's, and the consensus where that is probably wrong. The defaults there are
    --action relabel, --sure 0.5 and --unsure drop.

    Of an audit of several labels a row, drop leaves out rows with a wrong label, but never more
    than half of all; relabel adds missing labels and takes wrong ones away where that is sure; and
    unlabel empties cells of columns of 0 and 1.

    \b
    Actions, on rows that nobody decided with errata review:
      drop     leave the rows out, but never more than half of a class
      relabel  give them, and rows without a label, the suggested class where that is sure
      replace  of an audit of numbers: put what is expected in place of wrong numbers
      unlabel  keep the rows and empty the cell

    \b
    Examples:
      errata clean train.audit -o train.clean.csv
      errata clean train.audit -o better.csv --action relabel --sure 0.9 --unsure drop
      errata clean visits.audit -o visits.clean
      errata clean homes.audit -o homes.clean.csv --action replace
      errata clean photos.audit -o photos.clean.jsonl --action relabel
    """
    audit: Any = errata.auditing.load_audit(folder)
    if audit.kind == "votes":
        how = _given(action=action, threshold=threshold, sure=sure, unsure=unsure)
        how |= {"ambiguous": ambiguous, "table": table, "use": use, "force": force}
        clean_votes(audit, folder, out, **how)
        return
    if audit.kind == "numbers":
        _check_for_numbers(action)
        how = {"action": action, "threshold": threshold, "ambiguous": ambiguous}
        clean_target_file(audit, folder, table, out, use=use, force=force, **how)
        return
    if action == "replace":
        raise ValueError("--action replace is for numbers; classes are changed by relabel.")
    if audit.kind == "multilabel":
        _refuse(FOR_CLASSES)
        how = {"action": action, "threshold": threshold, "sure": sure, "ambiguous": ambiguous}
        clean_multilabel_file(audit, folder, table, out, use=use, force=force, **how)
        return
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
        cleaning = {
            "action": action,
            "threshold": threshold,
            "sure": sure,
            "unsure": unsure,
            "decisions": decisions,
            "undecided": "keep" if use == "only" else "act",
            "ambiguous": ambiguous,
        }
        if rows is None:
            counts = clean_by_place(audit, table, files, out, cleaning)
        else:
            counts = _clean_found_rows(audit, table, rows, out, cleaning)
        decided = None if decisions is None else people(counts.decided, audit, decisions)
    if decided is not None:
        say(decided)
    if use != "only":
        is_unsure = action == "relabel" and unsure == "keep"
        why_kept = "the class is not sure" if is_unsure else "no class loses more than half"
        told = outcome(counts, threshold, why_kept) if audit.has_skill else NO_SKILL
        say(f"{told}." if counts.changed else f"{told}; nothing changed.")
        tell_of_blanks(counts.blank)
    say(f"Wrote {out} with {count(counts.kept)} of {plural(len(audit), 'row')}.")


def _given(**values: Any) -> dict[str, Any]:
    """What was typed; for the rest, every kind of audit has defaults of its own."""
    source = click.get_current_context().get_parameter_source
    return {k: v for k, v in values.items() if source(k) is not ParameterSource.DEFAULT}


def _check_for_numbers(action: str) -> None:
    """Raise for what has no meaning for numbers."""
    if action == "relabel":
        raise ValueError("--action relabel is for classes; wrong numbers are changed by replace.")
    _refuse(FOR_LABELS)


def _refuse(options: Sequence[str]) -> None:
    """Raise when one of these was typed: an option without effect misleads."""
    for name in _given(**dict.fromkeys(options)):
        raise ValueError(f"--{name} is for audits of classes; leave it out.")


def _clean_found_rows(
    audit: Any, table: Path, rows: Any, out: Path, cleaning: dict[str, Any]
) -> Counts:
    """Copy a table whose rows were found in the audit, in whatever order."""
    label, places = audit.about["label"], rows.tolist()
    cells = read_column(table, label).tolist()
    cleaned = beside_table(audit.clean(**cleaning), cells, places)
    new = new_cells(cleaned, cells, places)
    errata.tables.copy_with_rows(table, out, cleaned.kept[rows], name=label, values=new)
    return counts_of(cleaned, audit.p_wrong, audit.labelled, cleaning["threshold"])
