"""An audit of several labels a row in words and numbers: what report and terminal are made from."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._settings import CLEAN_THRESHOLD
from .._shared_summary import findings, shared_summary
from .._summary import check_in_numbers
from .._totals import histogram_edges
from ..numbers._target_cleaning import droppable
from ._cell_check import CellCheck

if TYPE_CHECKING:
    from ._result import MultilabelAudit


def cell_findings(audit: "MultilabelAudit") -> dict[str, Any]:
    """What the answer is made from."""
    above = audit.p_wrong > CLEAN_THRESHOLD
    told = findings(
        audit,
        rows=audit.n_judged_cells,
        n_flagged=int(audit.flagged.sum()),
        above=int(above.sum()),
        dropped=int(droppable(above, audit.p_wrong).sum()),
    )
    told["flagged"]["cleaned"]["spared"] = "as no more than half of all rows go"
    return told | {"flagged_cells": int(audit.flagged_cells.sum())}


def summarise_cells(audit: "MultilabelAudit") -> dict[str, Any]:
    """See :meth:`errata.auditing.MultilabelAudit.summary`."""
    return shared_summary(audit) | {
        **cell_findings(audit),
        "table_rows": len(audit),
        "labels": [str(name) for name in audit.names],
        "label_column": audit.about["label"],
        "missing": _rate(audit.missing_rate),
        "wrongly_set": _rate(audit.wrongly_set_rate),
        "per_label": audit.per_label,
        "self_check": _self_check(audit.self_check),
        "histogram": _histogram(audit),
    }


def _rate(rate: tuple[float, ...]) -> dict[str, float]:
    return dict(zip(("estimate", "low", "high"), (round(v, 5) for v in rate), strict=True))


def _histogram(audit: "MultilabelAudit") -> dict[str, Any]:
    edges = histogram_edges()
    return {
        "edges": edges.round(2).tolist(),
        "counts": np.histogram(audit.p_wrong, edges)[0].tolist(),
        "flagged": np.histogram(audit.p_wrong[audit.flagged], edges)[0].tolist(),
    }


def _self_check(check: CellCheck | None) -> dict[str, Any] | None:
    return None if check is None else check_in_numbers(check) | {"sentence": _sentence(check)}


def _sentence(check: CellCheck) -> str:
    told = (
        f"We planted {check.injected:,} errors, half of them labels taken away and half of them "
        f"labels added; {check.found:,} are among the {check.top:,} most suspicious labels of "
        f"rows. Knowing which labels are set and nothing else, {check.by_label:,} would be"
    )
    return f"{told}." if check.lift else f"{told}. Planted errors do not stand out."
