"""``errata clean``: a table without the labels that an audit found wrong."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

import errata

from .._format import count, plural
from ._columns import read_column
from ._console import say
from ._decided import decisions_for
from ._folder import check_out, find_table, tidy
from ._matching import rows_in_audit
from ._options import FRACTION

ACTIONS = ("drop", "relabel", "unlabel")
CHANGES = ("dropped", "relabelled", "unlabelled")
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
    help="The cleaned table, in the format of the audited one.",
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
    help="The audited table. [default: where it was audited, or beside AUDIT]",
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
    have been sorted since the audit and have further columns, but no row may have changed.

    \b
    Actions, on rows that nobody decided with errata review:
      drop     leave the rows out, but never more than half of a class
      relabel  give them, and rows without a label, the suggested class where that is sure
      unlabel  keep the rows and empty the cell

    \b
    Examples:
      errata clean train.audit -o train.clean.csv
      errata clean train.audit -o better.csv --action relabel --sure 0.9 --unsure drop
    """
    audit = errata.Audit.load(folder)
    label = audit.about["label"]
    if label is None:
        raise ValueError(f"{folder} is an audit of labels that are not a column of a table.")
    table = table or find_table(audit.about.get("table"), folder)
    check_out(table, out, force=force)
    # Not by their place: in a table that was sorted since, the wrong ones would go.
    rows = rows_in_audit(table, label, audit)
    tidy(out.parent)
    with decisions_for(folder, audit, use) as decisions:
        cleaned = audit.clean(
            action,
            threshold=threshold,
            sure=sure,
            unsure=unsure,
            decisions=decisions,
            undecided="keep" if use == "only" else "act",
            ambiguous=ambiguous,
        )
        cells = read_column(table, label)
        cleaned = _beside_table(cleaned, cells, rows)
        people = None if decisions is None else _people(cleaned, audit, decisions)
    kept, cells = cleaned.kept[rows], _new_cells(cleaned, cells, rows)
    errata.tables.copy_with_rows(table, out, kept, name=label, values=cells)
    if people is not None:
        say(people)
    if use != "only":
        is_unsure = action == "relabel" and unsure == "keep"
        why_kept = "the class is not sure" if is_unsure else "no class loses more than half"
        wrong = int(((audit.p_wrong > threshold) & ~cleaned.decided).sum())
        did = cleaned.did[~cleaned.decided & audit.labelled]
        told = _outcome(did, wrong, threshold, why_kept) if audit.has_skill else NO_SKILL
        changed = set(cleaned.did.tolist())  # also by people, and where there was no label
        say(f"{told}; nothing changed." if changed.isdisjoint(CHANGES) else f"{told}.")
        _tell_of_blanks(cleaned.did[~cleaned.decided & ~audit.labelled])
    say(f"Wrote {out} with {count(cleaned.kept.sum())} of {plural(len(audit), 'row')}.")


def _people(cleaned: Any, audit: Any, decisions: Any) -> str:
    """What people decided, and what became of it."""
    did = Counter(cleaned.did[cleaned.decided].tolist())
    done = [f"{count(did[what])} {what}" for what in ("relabelled", "kept", "dropped") if did[what]]
    if did["weighted"]:
        done.append(f"{count(did['weighted'])} ambiguous and kept")
    disputed = (errata.review.resolve(decisions, audit.row_keys()).kinds == "disputed").sum()
    if disputed:
        done.append(f"{count(disputed)} more disputed, as if undecided")
    told = f"People decided {plural(cleaned.decided.sum(), 'row')}"
    return f"{told}: {', '.join(done)}." if done else f"{told}."


def _beside_table(cleaned: Any, cells: Any, rows: Any) -> Any:
    """What was done to the table: an audit may have begun with the classes that people gave."""
    did = cleaned.did.astype("<U10")
    for row, cell in zip(rows.tolist(), cells.tolist(), strict=True):
        is_kept = cleaned.decided[row] and did[row] == "kept"
        if is_kept and errata.review.as_text(cleaned.labels[row]) != errata.review.as_text(cell):
            did[row] = "relabelled"
    return cleaned._replace(did=did)


def _new_cells(cleaned: Any, cells: Any, rows: Any) -> list[Any]:
    """The column of labels: a cell stays as it was unless its label was changed."""
    new = [None if cell != cell else cell for cell in cells.tolist()]  # NaN is a gap among numbers
    for place, row in enumerate(rows.tolist()):
        if cleaned.did[row] in CHANGES:
            new[place] = errata.review.from_text(errata.review.as_text(cleaned.labels[row]))
    return new


def _tell_of_blanks(did: Any) -> None:
    """Say how many rows without a label were given one, if there were any."""
    filled = int((did == "relabelled").sum())
    if len(did):
        some = f"{count(filled) if filled else 'none'} got the suggested class"
        say(f"{plural(len(did), 'row')} had no label; {some}.")


def _outcome(labelled: Any, wrong: int, threshold: float, why_kept: str) -> str:
    """What became of the labels above the threshold, in one sentence."""
    labels = f"{plural(wrong, 'label')} {'is' if wrong == 1 else 'are'}"
    probably = f"wrong with a probability above {threshold:g}"
    if not wrong:
        return f"No label is {probably}"
    did = Counter(labelled.tolist())
    done = [f"{count(did[what])} {what}" for what in CHANGES if did[what]]
    spared = wrong - sum(did[what] for what in CHANGES)
    if spared:
        done.append(f"{count(spared)} kept, as {why_kept}")
    return f"{labels} {probably}: {', '.join(done)}"
