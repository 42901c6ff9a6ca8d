"""``errata diff``: what changed from one audit to the next."""

import json
from pathlib import Path
from typing import Any

import click

import errata

from .._format import plural
from .._kinds import KINDS
from ._common import fail, say
from ._options import PATH


@click.command()
@click.argument("old", metavar="OLD", type=PATH)
@click.argument("new", metavar="NEW", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--markdown", is_flag=True, help="Print Markdown, for a comment on a change or its page."
)
@click.option(
    "--fail-on-new",
    "most_new",
    type=click.IntRange(0),
    metavar="N",
    help="End with exit code 1 when more than N rows are newly flagged, for pipelines.",
)
def diff(old: Path, new: Path, as_json: bool, markdown: bool, most_new: int | None) -> None:
    """Show what changed from the audit OLD to the audit NEW.

    Both are folders that errata audit has written, of one kind. Says how the noise rate changed,
    and whether chance may explain that; which rows are newly flagged; and which are not flagged any
    more, because their label changed, they are gone, or they merely look right now.

    Rows are matched by the column of --id where both audits were given the same, else by what their
    cells other than the label hold, else by their place. The output says which.

    \b
    Examples:
      errata diff monday.audit friday.audit
      errata diff main.audit branch.audit --markdown >> comment.md
      errata diff main.audit branch.audit --fail-on-new 0
    """
    if as_json and markdown:
        raise ValueError("--json and --markdown are two forms of one thing; give one of them.")
    found = errata.diff(old, new)
    say(_describe(found, as_json=as_json, markdown=markdown))
    if most_new is not None:
        check_newly_flagged(found, most_new)  # last, so that a pipeline that fails has its answer


def _describe(found: Any, *, as_json: bool, markdown: bool) -> str:
    """The changes, in the form asked for."""
    if as_json:
        return json.dumps(found.to_dict(), indent=2, allow_nan=False)
    return found.markdown() if markdown else found.summary()


def check_newly_flagged(found: Any, most: int) -> None:
    """End with exit code 1 where too many rows are newly flagged."""
    new = len(found.newly_flagged)
    if new > most:
        rows = f"{plural(new, KINDS[found.kind].row)} {'is' if new == 1 else 'are'}"
        fail(f"{rows} newly flagged, more than --fail-on-new {most}.")
