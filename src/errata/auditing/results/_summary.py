"""An audit in words and numbers: the dict that report, terminal and JSON are made from."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import four_digits, percent
from .._settings import (
    CAUSE_DIFFERENCE,
    CAUSE_WEIGHT,
    CLEAN_THRESHOLD,
    MATRIX_UP_TO,
    NO_NOISE,
    SUMMARY_DUPLICATES,
    SUMMARY_PAIRS,
)
from ._flags import Totals, histogram_edges
from ._rates_by import NoiseRate

if TYPE_CHECKING:
    from .._self_check import SelfCheck
    from ._audit import Audit
    from ._base import BaseAudit


CAUSES = {
    "the classes merely overlap": ("none",),
    "labels are wrong here and there": ("uniform", "pattern", "class to class"),
    "they are wrong where classes meet": ("boundary",),
}


def alternatives(audit: "Audit") -> str | None:
    """Which noise hypothesis gives which number, where the data cannot choose between them."""
    parts = _by_cause(audit.hypotheses)
    likely = {cause: rate for cause, (weight, rate) in parts.items() if weight >= CAUSE_WEIGHT}
    least = min(likely.values(), default=0.0)
    most = max(likely.values(), default=0.0)
    if most - least < max(CAUSE_DIFFERENCE, most / 4):
        return None
    told = [f"{_rate_in_words(likely[cause])} if {cause}" for cause in CAUSES if cause in likely]
    return "The data leave open how many labels are wrong: " + ", ".join(told) + "."


def _rate_in_words(rate: float) -> str:
    return "none" if rate < NO_NOISE else percent(rate)


def _by_cause(hypotheses: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Weight and noise rate of each cause that a person can tell apart."""
    found: dict[str, tuple[float, float]] = {}
    for cause, kinds in CAUSES.items():
        rows = [(h["weight"], h["rate"]) for h in hypotheses if h["kind"] in kinds]
        weight = sum(weight for weight, _ in rows)
        if weight > 0:
            found[cause] = weight, sum(weight * rate for weight, rate in rows) / weight
    return found


def summarise(audit: "Audit") -> dict[str, Any]:
    """See :meth:`errata.Audit.summary`."""
    totals = audit._totals
    return shared_summary(audit) | {
        "label": audit.about["label"],
        "classes": [str(c) for c in audit.classes],
        **class_findings(audit, totals),
        "hypotheses": audit.hypotheses,
        "alternatives": alternatives(audit) if audit.has_skill else None,
        "per_class": _per_class(audit.classes, totals),
        "confusion": _confusion(audit.classes, totals),
        "transition": (
            audit.transition.round(4).tolist() if len(audit.classes) <= MATRIX_UP_TO else None
        ),
        "self_check": _self_check(audit),
        "histogram": _histogram(totals),
        "map": audit.points,
        "duplicates": _duplicates(audit),
        "duplicates_total": len(audit.duplicates),
        "stretches": _stretches(audit),
    }


def _duplicates(audit: "Audit") -> list[dict[str, Any]]:
    labels = vars(audit)["labels"]  # not all of them, which may be on disk
    return [
        {"rows": rows.tolist(), "labels": [str(label) for label in labels[rows]]}
        for rows in audit.duplicates[:SUMMARY_DUPLICATES]
    ]


def class_findings(audit: "Audit", totals: Totals) -> dict[str, Any]:
    """What the answer is made from."""
    return findings(
        audit,
        rows=totals.labelled,
        n_flagged=totals.n_flagged,
        above=int(totals.above.sum()),
        dropped=totals.dropped,
    )


def _stretches(audit: "Audit") -> dict[str, Any] | None:
    """How many stretches there are, and the worst of them; None where rows are not in time."""
    if audit.timeline is None:
        return None
    return {
        "count": len(audit._stretch_columns()["start"]),
        "recordings": len(audit.timeline.recordings.ends),
        "worst": audit.traces,
    }


def _per_class(classes: np.ndarray, totals: Totals) -> list[dict[str, Any]]:
    return [
        {
            "class": str(name),
            "rows": int(totals.rows[c]),
            "expected_wrong": round(float(totals.wrong[c]), 2),
            "rate": round(float(totals.wrong[c] / max(totals.rows[c], 1)), 4),
            "flagged": int(totals.flagged[c]),
        }
        for c, name in enumerate(classes)
    ]


def _confusion(classes: np.ndarray, totals: Totals) -> list[dict[str, Any]]:
    """Pairs of label and suggestion among the flagged rows, the most frequent first."""
    most = sorted(totals.confusion.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        {"label": str(classes[label]), "suggested": str(classes[suggested]), "count": count}
        for (label, suggested), count in most[:SUMMARY_PAIRS]
    ]


def _self_check(audit: "Audit") -> dict[str, Any] | None:
    check = audit.self_check
    return None if check is None else check_in_numbers(check) | {"sentence": _check_sentence(check)}


def check_in_numbers(check: "SelfCheck") -> dict[str, Any]:
    """What became of the injected errors, as valid JSON."""
    curves = ("precision", "recall", "label_precision", "label_recall")
    return {
        **{name: getattr(check, name) for name in ("injected", "top", "found", "by_label", "lift")},
        "average_precision": check.average_precision and round(check.average_precision, 4),
        "suggested_right": round(check.suggested_right, 4),
        "repeats": check.repeats,
        "rank": check.rank.tolist(),
        **{name: getattr(check, name).round(4).tolist() for name in curves},
    }


def _check_sentence(check: "SelfCheck") -> str:
    found = (
        f"Of {check.injected:,} errors we planted, {check.found:,} are among the {check.top:,} "
        "most suspicious rows"
    )
    alone = f"{found}; knowing the labels alone, {check.by_label:,} would be"
    if check.lift:
        return f"{alone}."
    return f"{alone}. Among rows of one label, planted errors do not stand out."


def _histogram(totals: Totals) -> dict[str, Any]:
    return {
        "edges": histogram_edges().round(2).tolist(),
        "counts": totals.histogram.tolist(),
        "flagged": totals.flagged_histogram.tolist(),
    }


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
        above = 0
        dropped = 0
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
