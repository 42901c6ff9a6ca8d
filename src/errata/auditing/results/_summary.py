"""An audit in words and numbers: the dict that report, terminal and JSON are made from."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import capitalise, four_digits, percent
from .._self_check import SelfCheck, correct_by_holm, count_found_by
from .._settings import CLEAN_THRESHOLD, MATRIX_UP_TO
from ..inputs._labels import label_text
from ._flags import Totals, count_dropped, histogram_edges
from ._rates_by import NoiseRate

if TYPE_CHECKING:
    from ._audit import Audit
    from ._base import BaseAudit

SUMMARY_PAIRS = 200
SUMMARY_DUPLICATES = 50
NO_NOISE = 0.0005  # a noise rate below is none in words
CAUSE_WEIGHT = 0.05  # of a cause worth a word
CAUSE_DIFFERENCE = 0.01  # of rates worth telling apart
OVERLOOKED = 0.05  # chance of saying so of a value whose errors are found as often as others
OVERLOOKED_SHOWN = 3  # values in a sentence
PLANTED = ("planted_rows", "planted_labels", "planted_classes", "planted_found")

CAUSES = {
    "the classes merely overlap": ("none",),
    "labels are wrong here and there": ("uniform", "pattern", "class to class"),
    "they are wrong where classes meet": ("boundary",),
}


def alternatives(audit: "Audit") -> str | None:
    """Which noise hypothesis gives which number, where the data cannot choose between them."""
    likely: dict[str, float] = {}
    for cause, kinds in CAUSES.items():
        own = [(h["weight"], h["rate"]) for h in audit.hypotheses if h["kind"] in kinds]
        weight = sum(weight for weight, _ in own)
        if weight >= CAUSE_WEIGHT:
            likely[cause] = sum(weight * rate for weight, rate in own) / weight
    least = min(likely.values(), default=0.0)
    most = max(likely.values(), default=0.0)
    if most - least < max(CAUSE_DIFFERENCE, most / 4):
        return None
    words = {c: "none" if rate < NO_NOISE else percent(rate) for c, rate in likely.items()}
    rates = [f"{words[cause]} if {cause}" for cause in CAUSES if cause in likely]
    return "The data leave open how many labels are wrong: " + ", ".join(rates) + "."


def summarise(audit: "BaseAudit") -> dict[str, Any]:
    """See :meth:`errata.Audit.summary`: what every kind tells, and what only one does."""
    about = audit._about
    return {
        "kind": audit.kind,
        **{name: about[name] for name in ("errata", "title", "seed", "features")},
        "notes": audit.notes,
        "models": audit.models,
        "examples": audit.examples,
        "by": about.get("by"),
        "review": {"command": about.get("review"), "so_far": audit._reviewed},
        "self_check": None if audit.self_check is None else describe_check(audit.self_check),
        **audit._findings(),
        **audit._details(),
    }


def describe_classes(audit: "Audit") -> dict[str, Any]:
    """Entries of the summary that only an audit of classes has."""
    totals = audit._totals
    return {
        "label": audit._about["label"],
        "classes": list(map(label_text, audit.classes)),
        "hypotheses": audit.hypotheses,
        "alternatives": alternatives(audit) if audit.has_skill else None,
        "per_class": _per_class(audit.classes, totals),
        "confusion": _confusion(audit.classes, totals),
        "transition": (
            audit.transition.round(4).tolist() if len(audit.classes) <= MATRIX_UP_TO else None
        ),
        "histogram": {
            "edges": histogram_edges().round(2).tolist(),
            "counts": totals.histogram.tolist(),
            "flagged": totals.flagged_histogram.tolist(),
        },
        "map": audit._points,
        "issues": audit._about.get("issues") if audit._find_issues() else None,
        "duplicates": _duplicates(audit),
        "duplicates_total": len(audit.duplicates),
        "stretches": _stretches(audit),
        "overlooked": _overlooked(audit) if audit.has_skill else None,
    }


def _overlooked(audit: "Audit") -> dict[str, Any] | None:
    """How many planted errors of each label and class were found, and whose are overlooked."""
    check = audit.self_check
    if check is None or not len(check.planted_rows):
        return None
    n = len(audit.classes)
    sides = {"with label": check.planted_labels, "in class": check.planted_classes}
    if n == 2:  # what has one label is of the other class: nothing else can be told
        del sides["in class"]
    found = [count_found_by(codes, check.planted_found, n) for codes in sides.values()]
    columns = {name: np.concatenate([each[name] for each in found]) for name in found[0]}
    columns["overlooked"] = correct_by_holm(columns["overlooked"], columns["planted"])
    lists = {
        "of": np.repeat(list(sides), n).tolist(),
        "value": list(map(label_text, audit.classes)) * len(sides),
        **{name: column.tolist() for name, column in columns.items()},
    }
    values = [dict(zip(lists, line, strict=True)) for line in zip(*lists.values(), strict=True)]
    by = audit._about.get("by") or {"values": []}
    named = [v | {"of": f"in {by['column']}"} for v in by["values"] if "overlooked" in v]
    return {"values": values, "sentence": _name_overlooked(named + values, check)}


def _name_overlooked(values: list[dict[str, Any]], check: SelfCheck) -> str | None:
    """A sentence on the values whose planted errors are found less often than others."""
    few = [value for value in values if value["overlooked"] < OVERLOOKED]
    few = sorted(few, key=lambda value: value["overlooked"])[:OVERLOOKED_SHOWN]
    if not few:
        return None
    planted = len(check.planted_found)
    found = int(check.planted_found.sum())
    parts = [
        f"of {v['planted']:,} errors planted {v['of']} {v['value']}, {v['found']:,} "
        f"{'was' if v['found'] == 1 else 'were'} found, "
        f"of {planted - v['planted']:,} elsewhere {found - v['found']:,}"
        for v in few
    ]
    trials = f" (in {check.repeats} trials)" if check.repeats > 1 else ""
    return f"{capitalise('; '.join(parts))}{trials}."


def _duplicates(audit: "Audit") -> list[dict[str, Any]]:
    labels = vars(audit)["labels"]  # not all of them, which may be on disk
    return [
        {"rows": rows.tolist(), "labels": list(map(label_text, labels[rows]))}
        for rows in audit.duplicates[:SUMMARY_DUPLICATES]
    ]


def _stretches(audit: "Audit") -> dict[str, Any] | None:
    """How many stretches there are, and the worst of them; None where rows are not in time."""
    if audit._timeline is None:
        return None
    return {
        "count": len(audit._stretch_columns()["start"]),
        "recordings": len(audit._timeline.recordings.ends),
        "worst": audit._traces,
    }


def _per_class(classes: np.ndarray, totals: Totals) -> list[dict[str, Any]]:
    return [
        {
            "class": label_text(name),
            "rows": int(totals.rows[c]),
            "expected_wrong": round(float(totals.wrong[c]), 2),
            "rate": round(float(totals.wrong[c] / max(totals.rows[c], 1)), 4),
            "flagged": int(totals.flagged[c]),
        }
        for c, name in enumerate(classes)
    ]


def _confusion(classes: np.ndarray, totals: Totals) -> list[dict[str, Any]]:
    """Pairs of label and suggestion among the flagged rows, the most frequent first."""
    names = list(map(label_text, classes))
    most = sorted(totals.confusion.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        {"label": names[label], "suggested": names[suggested], "count": count}
        for (label, suggested), count in most[:SUMMARY_PAIRS]
    ]


def describe_check(check: Any) -> dict[str, Any]:
    """The fate of injected errors as valid JSON, with a sentence."""
    values: dict[str, Any] = {}
    for name, value in check._asdict().items():
        if name in PLANTED:  # one entry for each error
            continue
        if isinstance(value, np.ndarray):
            values[name] = value.round(4).tolist()
        elif name.endswith("_error"):  # in units of a target
            values[name] = float(f"{value:.4g}")
        else:
            values[name] = round(value, 4) if isinstance(value, float) else value
    return values | {"sentence": check._sentence()}


def draw_histogram(audit: "BaseAudit") -> dict[str, Any]:
    """How many rows have which ``p_wrong``, and how many of these are flagged."""
    edges = histogram_edges()
    return {
        "edges": edges.round(2).tolist(),
        "counts": np.histogram(audit.p_wrong[audit._labelled], edges)[0].tolist(),
        "flagged": np.histogram(audit.p_wrong[audit.flagged], edges)[0].tolist(),
    }


def findings(audit: "BaseAudit", n_labels: int, totals: Totals | None = None) -> dict[str, Any]:
    """Entries of the summary that the answer is made from.

    ``n_labels`` are those that were audited. ``totals`` are the sums over rows with classes; of
    other labels ``clean`` drops no more than half of all rows.
    """
    cleaned: dict[str, Any] = {"threshold": CLEAN_THRESHOLD, "command": audit._about.get("clean")}
    if totals is None:
        n_flagged = int(audit.flagged.sum())
        above = np.array([np.sum(audit.p_wrong > CLEAN_THRESHOLD)])
        dropped = count_dropped(above, np.array([len(audit)]))
        cleaned["spared"] = "as no more than half of all rows go"
    else:
        n_flagged = totals.n_flagged
        above = totals.above
        dropped = totals.dropped
    cleaned["above"] = int(above.sum()) if audit.has_skill else 0
    cleaned["rows"] = dropped if audit.has_skill else 0
    precision_low, precision_high = audit.noise_rate.range_of(audit.expected_precision)
    return {
        "kind": audit.kind,
        "rows": n_labels,
        "has_skill": audit.has_skill,
        "noise_rate": describe_rate(audit.noise_rate, n_labels),
        "flagged": {
            "count": n_flagged,
            "expected_precision": _number(audit.expected_precision),
            "expected_recall": _number(audit.expected_recall),
            "expected_precision_low": _number(precision_low),
            "expected_precision_high": _number(precision_high),
            "rule": audit._rule,
            "cleaned": cleaned,
        },
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else four_digits(value)


def describe_rate(rate: NoiseRate, n: int) -> dict[str, Any]:
    """A fraction of ``n`` labels with its interval, and how many these are."""
    # Rounded like the percentages beside them: 20% of 100 labels are 20 of 100.
    counts = {
        "count": round(n * rate.estimate),
        "count_low": round(n * rate.low),
        "count_high": round(n * rate.high),
    }
    return {name: round(float(v), 5) for name, v in rate._asdict().items()} | counts
