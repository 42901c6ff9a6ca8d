"""What ``errata audit`` leaves in its folder: the audit, the report, and lists to read."""

from pathlib import Path
from typing import Any

import errata

from .._format import count

MOST_RANKED = 100_000  # rows of a large table in ranked.csv: nobody reads further


def write_outputs(found: Any, folder: Path, ids: Any = None) -> str:
    """Write all of it; return what the ranked list holds, in words."""
    found.save(folder)
    found.report(folder / "report.html")
    ranked, words = _ranked(found)
    if ids is not None:
        ranked["id"] = ids[ranked["row"]]
    # Further digits say nothing, and differ from one machine to the next.
    ranked["p_wrong"] = ranked["p_wrong"].round(4).clip(max=0.9999)  # as in the report
    ranked["flagged"] = ranked["flagged"].astype(int)  # 0 and 1 can be summed in a spreadsheet
    wanted = ["row", *(() if ids is None else ("id",)), "label", "suggested", "p_wrong", "flagged"]
    columns = {name: ranked[name] for name in wanted}
    errata.tables.write_table(folder / "ranked.csv", columns, guard_formulas=True)
    if found.timeline is not None:
        stretches = found.stretch_columns()
        stretches["p_wrong"] = stretches["p_wrong"].round(4).clip(max=0.9999)
        errata.tables.write_table(folder / "stretches.csv", stretches, guard_formulas=True)
    return words


def _ranked(found: Any) -> tuple[dict[str, Any], str]:
    """The rows of the list, the most suspicious first, and what they are."""
    if len(found) <= errata.auditing._settings.EXACT_ROWS:
        return found.ranked_columns(), "All rows"
    ranked, flagged = found.ranked_columns(flagged=True, most=MOST_RANKED), found.totals.n_flagged
    if flagged <= MOST_RANKED:
        return ranked, "The flagged rows"
    return ranked, f"The {count(MOST_RANKED)} most suspicious of the flagged rows"
