"""What the summary of an audit of any kind says."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._format import four_digits
from ._noise_rate import NoiseRate
from ._settings import CLEAN_THRESHOLD

if TYPE_CHECKING:
    from ._base import BaseAudit


def shared_summary(audit: "BaseAudit") -> dict[str, Any]:
    """What header, notes, list of rows and method of every report are made from."""
    about = audit.about
    return {
        "kind": audit.kind,
        **{name: about[name] for name in ("errata", "title", "seed", "features")},
        "notes": audit.notes,
        "models": audit.models,
        "examples": audit.examples,
        "by": about.get("by"),
        "review": {"command": about.get("review"), "so_far": audit.reviewed},
    }


def findings(
    audit: "BaseAudit", *, rows: int, n_flagged: int, above: int, dropped: int
) -> dict[str, Any]:
    """What the answer is made from.

    ``rows`` are those whose label was audited. ``clean`` drops ``dropped`` rows with its defaults,
    of ``above`` rows that are wrong with more than its threshold.
    """
    if not audit.has_skill:
        above, dropped = 0, 0
    cleaned = {"threshold": CLEAN_THRESHOLD, "rows": dropped, "above": above}
    return {
        "kind": audit.kind,
        "rows": rows,
        "has_skill": audit.has_skill,
        "noise_rate": rate_told(audit.noise_rate, rows),
        "flagged": {
            "count": n_flagged,
            "expected_precision": _number(audit.expected_precision),
            "expected_recall": _number(audit.expected_recall),
            "rule": audit.rule,
            "cleaned": cleaned | {"command": audit.about.get("clean")},
        },
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else four_digits(value)


def rate_told(rate: NoiseRate, n: int) -> dict[str, Any]:
    """A fraction of ``n`` labels with its interval, and how many these are."""
    # Rounded like the percentages beside them: 20% of 100 labels are 20 of 100.
    counts = {
        "count": round(n * rate.estimate),
        "count_low": round(n * rate.low),
        "count_high": round(n * rate.high),
    }
    return {name: round(float(v), 5) for name, v in rate._asdict().items()} | counts
