"""``errata clean`` of an audit of numeric targets."""

from functools import partial
from pathlib import Path
from typing import Any

import errata

from .._format import count, plural
from ._cleaned import Counts, clean_with_people, counts_of, outcome
from ._columns import read_column
from ._console import say
from ._folder import check_out, find_table, tidy
from ._matching import check_count, not_as_audited, rows_by_contents, tell_of_places

ACTIONS = ("drop", "replace", "unlabel")
NO_SKILL = (
    "The audit found that the columns do not predict the target, so nobody knows which are wrong"
)


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
    rows = _rows_in_audit(table, target, audit)
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
        say(_outcome(audit, counts, how["threshold"]))
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


def _outcome(audit: Any, counts: Counts, threshold: float) -> str:
    """What became of the numbers above the threshold, in one sentence."""
    why_kept = "no more than half of the rows go"
    told = outcome(counts, threshold, why_kept, "target") if audit.has_skill else NO_SKILL
    return f"{told}." if counts.changed else f"{told}; nothing changed."


def _rows_in_audit(table: Path, target: str, audit: Any) -> Any:
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
