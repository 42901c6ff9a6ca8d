"""What ``errata audit`` leaves in its folder: the audit, the report, and lists to read."""

from pathlib import Path
from typing import Any, NamedTuple

import errata

from .._format import count
from .._sentences import wording

MOST_RANKED = 100_000  # rows of a large table in ranked.csv: nobody reads further
CHANCES = ("p_wrong", "p_consensus")


class Written(NamedTuple):
    """What there is to say of the files."""

    ranked: str  # what the ranked list holds
    since: Any  # what changed since an earlier audit; None where none was named


def write_outputs(found: Any, folder: Path, earlier: Any = None) -> Written:
    """Write all of it; ``earlier`` is an audit to compare to."""
    found.save(folder)
    found.report(folder / "report.html")
    ranked, words = _ranked(found)
    if found.ids is not None:
        ranked["id"] = found.ids[ranked["row"]]
    ranked["flagged"] = ranked["flagged"].astype(int)  # 0 and 1 can be summed in a spreadsheet
    wanted = ["row", *(() if found.ids is None else ("id",)), *found.listed]
    _write(folder / "ranked.csv", {name: ranked[name] for name in wanted})
    for name, columns in found.further_lists().items():
        _write(folder / f"{name}.csv", columns)
    since = None if earlier is None else errata.diff(earlier, found)
    changes = [] if since is None else [since.markdown()]
    text = "\n\n".join([found.to_markdown(), *changes])
    (folder / "summary.md").write_text(f"{text}\n", encoding="utf-8")
    return Written(words, since)


def _write(path: Path, columns: dict[str, Any]) -> None:
    # Further digits say nothing, and differ from one machine to the next.
    chance = {k: v.round(4).clip(max=0.9999) for k, v in columns.items() if k in CHANCES}
    errata.tables.write_table(path, columns | chance, guard_formulas=True)


def _ranked(found: Any) -> tuple[dict[str, Any], str]:
    """The rows of the list, the most suspicious first, and what they are."""
    if len(found) <= errata.auditing._settings.EXACT_ROWS:
        return found.ranked_columns(), f"All {wording(found.found()).row}s"
    ranked, flagged = found.ranked_columns(flagged=True, most=MOST_RANKED), found.totals.n_flagged
    if flagged <= MOST_RANKED:
        return ranked, "The flagged rows"
    return ranked, f"The {count(MOST_RANKED)} most suspicious of the flagged rows"
