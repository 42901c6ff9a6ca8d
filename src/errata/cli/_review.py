"""``errata review``: decide on suspects, one keystroke each, in a browser."""

from pathlib import Path
from typing import Any

import click

import errata

from .._format import plural
from ._common import say
from ._options import FRACTION, PATH

QUEUES = ("suspects", "calibration", "spot", "disputed", "all")


@click.command()
@click.argument("folder", metavar="AUDIT", type=PATH)
@click.option("--reviewer", metavar="NAME", help="Who decides. [default: your user name]")
@click.option(
    "--queue",
    type=click.Choice(QUEUES),
    default="suspects",
    show_default=True,
    help="Which rows come first; see above.",
)
@click.option(
    "--blind",
    is_flag=True,
    help="Do not say which class is the label and which the suggestion, nor how sure errata is.",
)
@click.option(
    "--table",
    type=PATH,
    help="The audited table, to audit it again from the page. [default: where it was audited]",
)
@click.option(
    "--images",
    metavar="FOLDER",
    type=PATH,
    help="Where the pictures are that a column of the table names.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Where to listen. [default: any]"
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Another address than this machine's own is reachable by others, and not encrypted.",
)
@click.option("--origin", metavar="URL", help="What browsers see, behind a proxy or a tunnel.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--keys", metavar="ACTION=KEY,...", help="Other keys, as in accept=Enter,keep=x.")
@click.option(
    "--stop-at",
    type=FRACTION,
    default=0.1,
    show_default=True,
    help="Say that it is time to stop when less than this fraction of the next twenty rows is "
    "expected to be wrong.",
)
@click.option(
    "--gold",
    type=FRACTION,
    default=0.0,
    help="Test the reviewer: this fraction of the queue are rows whose label is certain (errata "
    "audit --known). They look like the others and change nothing. [default: none]",
)
@click.option(
    "--second-reader",
    is_flag=True,
    help="Show what others have decided, blind and without their verdicts: how far do you agree?",
)
def review(folder: Path, no_browser: bool, second_reader: bool, **options: Any) -> None:
    """Decide on the suspects of AUDIT, one keystroke each.

    AUDIT is the folder that errata audit has written. A page opens in your browser; every decision
    is on disk, in a file beside the audit, before the next row is shown. Stop with Ctrl-C, go on
    whenever you like.

    \b
    Queues:
      suspects     flagged rows, the most suspicious first
      calibration  rows drawn by lot: are labels wrong, or do classes overlap?
      spot         more of them, most not flagged: what did the audit miss?
      disputed     rows on which reviewers differ
      all          every row that can be shown

    \b
    Examples:
      errata review train.audit
      errata review train.audit --reviewer anna --blind
      errata review train.audit --queue spot
      errata review train.audit --queue calibration --gold 0.1
      errata review train.audit --reviewer ben --second-reader
    """
    if second_reader:
        options["queue"] = "second"
    try:
        errata.review.serve(folder, browser=not no_browser, ready=_print_address, **options)
    except KeyboardInterrupt:
        _sum_up(folder, second_reader)
        raise SystemExit(130) from None


def _print_address(address: str) -> None:
    say(f"Review at {address}")
    say("Whoever has this address may decide. Stop with Ctrl-C.")


def _sum_up(folder: Path, second_reader: bool) -> None:
    """Say how many decisions are kept."""
    path = errata.review.decisions_path(folder)
    with errata.review.Decisions(path, read_only=True) as decisions:
        rows = sum(verdict.state == "decided" for verdict in decisions.verdicts().values())
    say(f"{plural(rows, 'row')} decided, in {path}.")
    if second_reader:
        say(f"How far you agree: errata decisions {folder}")
