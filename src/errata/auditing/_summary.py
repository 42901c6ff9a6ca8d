"""An audit in words and numbers: the plain dict that report, terminal and JSON are made from."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._audit import Audit

MATRIX_UP_TO = 50  # classes
DUPLICATES = 50
PAIRS = 200


def one_line(audit: "Audit") -> str:
    """The answer in a sentence."""
    n, rate = len(audit), audit.noise_rate
    return (
        f"about {round(n * rate.estimate):,} of {n:,} labels are probably wrong "
        f"(between {int(n * rate.low):,} and {int(np.ceil(n * rate.high)):,}); "
        f"{int(audit.flagged.sum()):,} rows are flagged"
    )


def summarise(audit: "Audit") -> dict[str, Any]:
    """See :meth:`errata.auditing.Audit.summary`."""
    about = audit.about
    return {
        "errata": about["errata"],
        "title": about["title"],
        "seed": about["seed"],
        "rows": len(audit),
        "features": about["features"],
        "label": about["label"],
        "classes": [str(c) for c in audit.classes],
        "noise_rate": _rate(audit),
        "flagged": {
            "count": int(audit.flagged.sum()),
            "expected_precision": _number(audit.expected_precision),
            "expected_recall": _number(audit.expected_recall),
            "rule": audit.rule,
        },
        "notes": audit.notes,
        "per_class": _per_class(audit),
        "confusion": _confusion(audit),
        "transition": (
            audit.transition.round(4).tolist() if len(audit.classes) <= MATRIX_UP_TO else None
        ),
        "witnesses": audit.witnesses,
        "self_check": _self_check(audit),
        "histogram": _histogram(audit),
        "map": audit.points,
        "duplicates": [
            {"rows": rows.tolist(), "labels": [str(label) for label in audit.labels[rows]]}
            for rows in audit.duplicates[:DUPLICATES]
        ],
        "duplicates_total": len(audit.duplicates),
        "suspects": audit.suspects,
        "suspects_total": int(audit.flagged.sum()),
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)


def _rate(audit: "Audit") -> dict[str, Any]:
    n, rate = len(audit), audit.noise_rate
    counts = {
        "count": round(n * rate.estimate),
        "count_low": int(n * rate.low),
        "count_high": int(np.ceil(n * rate.high)),
    }
    return {name: round(float(v), 5) for name, v in rate._asdict().items()} | counts


def _per_class(audit: "Audit") -> list[dict[str, Any]]:
    codes, k = audit.codes, len(audit.classes)
    rows = np.bincount(codes, minlength=k)
    wrong = np.bincount(codes, weights=audit.p_wrong, minlength=k)
    flagged = np.bincount(codes, weights=audit.flagged, minlength=k)
    return [
        {
            "class": str(name),
            "rows": int(rows[c]),
            "expected_wrong": round(float(wrong[c]), 2),
            "rate": round(float(wrong[c] / rows[c]), 4),
            "flagged": int(flagged[c]),
        }
        for c, name in enumerate(audit.classes)
    ]


def _confusion(audit: "Audit") -> list[dict[str, Any]]:
    """Pairs of label and suggestion among the flagged rows, the most frequent first."""
    k = len(audit.classes)
    given = audit.codes[audit.flagged]
    suggested = np.searchsorted(audit.classes, audit.suggested[audit.flagged])
    pairs, counts = np.unique(given * k + suggested, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:PAIRS]
    return [
        {
            "label": str(audit.classes[pairs[i] // k]),
            "suggested": str(audit.classes[pairs[i] % k]),
            "count": int(counts[i]),
        }
        for i in most
    ]


def _self_check(audit: "Audit") -> dict[str, Any] | None:
    check = audit.self_check
    if check is None:
        return None
    return {
        "planted": check.planted,
        "top": check.top,
        "found": check.found,
        "average_precision": round(check.average_precision, 4),
        "suggested_right": round(check.suggested_right, 4),
        "repeats": check.repeats,
        "rank": check.rank.tolist(),
        "precision": check.precision.round(4).tolist(),
        "recall": check.recall.round(4).tolist(),
        "sentence": (
            f"Of {check.planted:,} errors we planted, {check.found:,} are among the "
            f"{check.top:,} most suspicious rows."
        ),
    }


def _histogram(audit: "Audit") -> dict[str, Any]:
    edges = np.linspace(0, 1, 21)
    return {
        "edges": edges.round(2).tolist(),
        "counts": np.histogram(audit.p_wrong, edges)[0].tolist(),
        "flagged": np.histogram(audit.p_wrong[audit.flagged], edges)[0].tolist(),
    }
