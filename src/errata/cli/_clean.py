"""``errata clean``: a table without the labels that an audit found wrong."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import errata

from .._files import places_of
from .._kinds import KINDS
from ._common import clean_up, find_table, say
from ._options import FRACTION, PATH, name_options

ACTIONS = ("drop", "relabel", "replace", "unlabel", "weight")


@click.command()
@click.argument("folder", metavar="AUDIT", type=PATH)
@click.option(
    "--out",
    "-o",
    required=True,
    type=PATH,
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
    type=PATH,
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

    AUDIT is the folder that errata audit has written. What people decided in errata review comes
    first; actions are for the other rows. Whatever does not change stays as it was.

    \b
    Actions:
      drop     leave the rows out, but never more than half of a class
      relabel  give them, and rows without a label, the suggested class if sure
      replace  numbers only: put the expected number in place of a wrong one
      unlabel  keep the rows and empty the cell
      weight   keep the rows, and add a column sample_weight: the probability
               that the label is right

    Rows are matched by their cells, so the table may have been sorted since, and have further
    columns, but no row may have changed. For several files, OUT is a folder of files with the same
    names. Their rows, and those of tables larger than memory, are matched by place, and their
    labels must not have changed.

    For votes, OUT holds the items, or the rows of their table, with a column of labels: the
    majority's, or the consensus where that is probably wrong. The defaults are then --action
    relabel, --sure 0.5 and --unsure drop.

    For several labels per row, drop never leaves out more than half of all rows; relabel adds
    missing labels and removes wrong ones; unlabel empties cells of columns of 0 and 1.

    \b
    Examples:
      errata clean train.audit -o train.clean.csv
      errata clean train.audit -o better.csv --action relabel --sure 0.9 --unsure drop
      errata clean visits.audit -o visits.clean
      errata clean homes.audit -o homes.clean.csv --action replace
      errata clean photos.audit -o photos.clean.jsonl --action relabel
    """
    audit: Any = errata.auditing.load_audit(folder)
    command = KINDS[audit.kind].command
    is_typed = click.get_current_context().get_parameter_source
    how = {"action": action, "threshold": threshold, "sure": sure, "unsure": unsure}
    how = {k: v for k, v in how.items() if is_typed(k) is not ParameterSource.DEFAULT}
    if how.get("action") in command.refused:
        raise ValueError(command.refused[action])
    for name in how:  # an option without effect misleads
        if name not in command.clean_defaults:
            raise ValueError(f"--{name} is for audits of classes; leave it out.")
    source = _find_source(audit, folder, table)
    clean_up(out.parent)
    with _open_decisions(folder, audit, use) as decisions:
        cleaned = audit.clean_file(
            source,
            out,
            **how,
            decisions=decisions,
            undecided="keep" if use == "only" else "act",
            ambiguous=ambiguous,
            force=force,
        )
    for sentence in cleaned.cautions:
        say(sentence, err=True)
    for sentence in cleaned.notes:
        say(name_options(sentence))


def _find_source(audit: Any, folder: Path, given: Path | None) -> Path | list[Path] | None:
    """The table to clean: as named, or where it was audited; None for votes alone."""
    about = audit._about
    source = KINDS[audit.kind].command.source
    if source != "table" and about.get(source) is None:
        if given is not None:
            raise ValueError(f"{folder} was made from votes alone; --table has no effect.")
        return None
    files = [Path(file) for file in about.get("tables") or []]
    if given is not None or about.get(source) is not None or not files:
        return given or find_table(about.get(source), folder)
    for file in files:  # those that an audit made in Python has a list of
        if not file.exists():
            raise FileNotFoundError(
                f"{file} was audited and is not there any more; say where the table is with "
                "--table."
            )
    return files


def _open_decisions(folder: Path, audit: Any, use: str) -> Any:
    """The decisions about an audit; None where there are none, or they are ignored."""
    if use == "ignore":
        return nullcontext()
    beside = errata.review.decisions_path(folder)
    before = None
    if audit._about.get("decisions") is not None:  # what errata audit --decisions was given
        before = Path(audit._about["decisions"])
        moved = (path for path in places_of(before, folder) if path.exists())
        before = next(moved, before)
        if not before.exists():
            raise FileNotFoundError(
                f"this audit was made with the decisions in {before}, which is not there any more; "
                "put it beside the audit, or pass --decisions ignore."
            )
    if not beside.exists():
        if before is None and use == "only":
            raise FileNotFoundError(f"nobody has decided anything yet: {beside} does not exist.")
        return nullcontext() if before is None else errata.review.Decisions(before, read_only=True)
    decisions = errata.review.open_decisions(folder, read_only=True)
    if before is not None:
        with errata.review.Decisions(before, read_only=True) as earlier:
            left_out = earlier.verdicts().keys() - decisions.verdicts().keys()
        if left_out:
            say(
                f"{decisions.path} lacks decisions that the audit was made with; to use them, too: "
                f"errata decisions {folder} --merge {before}",
                err=True,
            )
    return decisions
