"""An audit of numeric targets in words and numbers: what report and terminal are made from."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import number
from .._settings import BAND_POINTS, CLEAN_THRESHOLD, TARGET_POINTS
from .._shared_summary import findings, shared_summary
from .._totals import histogram_edges
from ._findings import TargetSelfCheck
from ._hints import hints_in_words
from ._target_cleaning import droppable

if TYPE_CHECKING:
    from ._result import TargetAudit

UNEVEN = 0.5  # from here on it is worth a word that noise varies between rows


def target_findings(audit: "TargetAudit") -> dict[str, Any]:
    """What the answer is made from."""
    above = audit.p_wrong > CLEAN_THRESHOLD
    name = audit.about["target"]
    told = findings(
        audit,
        rows=int(audit.has_target.sum()),
        n_flagged=int(audit.flagged.sum()),
        above=int(above.sum()),
        dropped=int(droppable(above, audit.p_wrong).sum()),
    )
    told["flagged"]["cleaned"]["spared"] = "as no more than half of all rows go"
    return told | {"noun": None if name is None else [f"value of {name}", f"values of {name}"]}


def summarise_targets(audit: "TargetAudit") -> dict[str, Any]:
    """See :meth:`errata.auditing.TargetAudit.summary`."""
    return shared_summary(audit) | {
        **target_findings(audit),
        "target": audit.about["target"],
        "hints": hints_in_words(audit.hint[audit.flagged]),
        "error_kinds": _error_kinds(audit),
        "self_check": _self_check(audit.self_check),
        "histogram": _histogram(audit),
        "points": _points(audit),
        "band": _band(audit),
        "noise": _noise(audit),
    }


def _error_kinds(audit: "TargetAudit") -> dict[str, int]:
    """What flagged targets look like that no slip explains."""
    unexplained = audit.flagged & (audit.hint == "")
    return dict(Counter(audit.error_kind[unexplained].tolist()))


def _noise(audit: "TargetAudit") -> dict[str, Any]:
    """How right targets spread around what is predicted."""
    spread = np.quantile(audit.local_scale, [0.1, 0.5, 0.9])
    return {
        "tail": audit.tail,
        "on_log_scale": audit.on_log_scale,
        "is_uneven": audit.scale > UNEVEN,
        "local_scale": [float(f"{value:.4g}") for value in spread],
    }


def _histogram(audit: "TargetAudit") -> dict[str, Any]:
    edges, there = histogram_edges(), audit.has_target
    return {
        "edges": edges.round(2).tolist(),
        "counts": np.histogram(audit.p_wrong[there], edges)[0].tolist(),
        "flagged": np.histogram(audit.p_wrong[audit.flagged], edges)[0].tolist(),
    }


def _points(audit: "TargetAudit") -> dict[str, Any]:
    """Rows to draw: the flagged ones first, then others by lot, but the same ones every time."""
    there = np.flatnonzero(audit.has_target)
    lot = np.random.default_rng(0).random(len(there))
    order = there[np.lexsort((lot, ~audit.flagged[there]))][:TARGET_POINTS]
    names = {"target": audit.targets, "predicted": audit.predicted}
    names |= {"low": audit.low, "high": audit.high}
    return {
        "row": order.tolist(),
        "flagged": audit.flagged[order].tolist(),
        **{name: [float(f"{v:.6g}") for v in column[order]] for name, column in names.items()},
    }


def _band(audit: "TargetAudit") -> dict[str, list[float]]:
    """Along what is predicted, how far below and above it right targets reach: medians."""
    order = np.argsort(audit.predicted, kind="stable")
    parts = [part for part in np.array_split(order, BAND_POINTS) if len(part)]
    columns = {
        "predicted": audit.predicted,
        "below": audit.low - audit.predicted,
        "above": audit.high - audit.predicted,
    }
    return {
        name: [float(f"{np.median(column[part]):.6g}") for part in parts]
        for name, column in columns.items()
    }


def _self_check(check: TargetSelfCheck | None) -> dict[str, Any] | None:
    if check is None:
        return None
    plain = ("injected", "top", "found", "by_value", "lift", "repeats")
    precision = check.average_precision
    return {name: getattr(check, name) for name in plain} | {
        "average_precision": None if precision is None else round(precision, 4),
        "median_error": float(f"{check.median_error:.4g}"),
        "planted_error": float(f"{check.planted_error:.4g}"),
        "sentence": _check_sentence(check),
    }


def _check_sentence(check: TargetSelfCheck) -> str:
    found = (
        f"Of {check.injected:,} values we exchanged for those of other rows, {check.found:,} are "
        f"among the {check.top:,} most suspicious rows; {check.by_value:,} would be by how unusual "
        "the value is alone."
    )
    if not check.lift:
        return f"{found} Planted errors do not stand out."
    off, was = number(check.median_error), number(check.planted_error)
    return f"{found} What is predicted for them is off by {off}, the planted values by {was}."
