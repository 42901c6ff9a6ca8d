"""``errata clean``: a table without the labels that an audit found wrong."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

import errata

from .._format import count, plural
from ._console import say
from ._folder import tidy
from ._matching import rows_in_audit
from ._options import FRACTION

ACTIONS = ("drop", "relabel", "unlabel")
CHANGES = ("dropped", "relabelled", "unlabelled")
NO_SKILL = (
    "The audit found that the columns do not tell the labels apart, so nobody knows which are "
    "wrong; nothing changed."
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
    table: Path | None,
    force: bool,
) -> None:
    """Write the audited table without the labels found wrong.

    AUDIT is the folder that errata audit has written. The new table has the rows in their order,
    and all that was not asked to change as it was. Rows are known by their contents: the table may
    have been sorted since the audit and have further columns, but no row may have changed.

    \b
    Actions:
      drop     leave the rows out, but never more than half of a class
      relabel  give them the suggested class where that is sure
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
    table = table or _find_table(audit, folder)
    _check_out(table, out, force)
    # Not by their place: in a table that was sorted since, the wrong ones would go.
    rows = rows_in_audit(table, label, audit)
    tidy(out.parent)
    cleaned = audit.clean(action, threshold=threshold, sure=sure, unsure=unsure)
    kept, labels = cleaned.kept[rows], cleaned.labels[rows]
    errata.tables.copy_with_rows(table, out, kept, name=label, values=labels)
    is_unsure = action == "relabel" and unsure == "keep"
    why_kept = "the class is not sure" if is_unsure else "no class loses more than half"
    wrong = int((audit.p_wrong > threshold).sum())
    say(_outcome(cleaned, wrong, threshold, why_kept) if audit.has_skill else NO_SKILL)
    say(f"Wrote {out} with {count(cleaned.kept.sum())} of {plural(len(audit), 'row')}.")


def _find_table(audit: Any, folder: Path) -> Path:
    """Where the table was, or beside the audit when both have moved."""
    if "table" not in audit.about:
        raise ValueError(f"{folder} does not say what it is an audit of; name the file: --table.")
    there = Path(audit.about["table"])
    near = folder.resolve().parent / there.name
    if not there.exists() and not near.exists():
        raise FileNotFoundError(f"{there} is not there any more; say where it is with --table.")
    return there if there.exists() else near


def _check_out(table: Path, out: Path, force: bool) -> None:
    # Even with --force: the labels that were found wrong would be gone for good.
    if out.resolve() == table.resolve():
        raise ValueError(f"{out} is the audited table itself; choose another name for --out.")
    if out.exists() and not force:
        raise ValueError(f"{out} exists already; choose another name, or pass --force.")


def _outcome(cleaned: Any, wrong: int, threshold: float, why_kept: str) -> str:
    """What became of the labels above the threshold, in one sentence."""
    labels = f"{plural(wrong, 'label')} {'is' if wrong == 1 else 'are'}"
    probably = f"wrong with a probability above {threshold:g}"
    if not wrong:
        return f"No label is {probably}; nothing changed."
    did = Counter(cleaned.did.tolist())
    done = [f"{count(did[what])} {what}" for what in CHANGES if did[what]]
    spared = wrong - sum(did[what] for what in CHANGES)
    if spared:
        done.append(f"{count(spared)} kept, as {why_kept}")
    return f"{labels} {probably}: {', '.join(done)}."
