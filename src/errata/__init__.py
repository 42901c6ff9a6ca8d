"""errata finds the wrong labels in a data set, and learns well in spite of them.

The sub-packages (``errata.noise``, ``errata.datasets``, ...) are loaded when first used,
so that ``import errata`` and the command line answer at once.
"""

# Nothing is imported here, not even typing: the command line cannot answer Ctrl-C before its own
# file begins.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import (
        auditing,
        bench,
        comparing,
        compat,
        datasets,
        elm,
        ensemble,
        exceptions,
        feature_selection,
        filters,
        hardness,
        metrics,
        noise,
        projections,
        report,
        review,
        sequence,
        stats,
        tables,
        testing,
        tolerant,
    )
    from .auditing import (
        Audit,
        AuditDiff,
        AuditedClassifier,
        MultilabelAudit,
        TargetAudit,
        VoteAudit,
        audit,
        audit_file,
        audit_multilabel,
        audit_targets,
        audit_votes,
        diff,
        plant_errors,
    )
    from .comparing import Comparison, compare

__version__ = "0.1.0"

__all__ = [
    "audit",
    "audit_file",
    "audit_targets",
    "Audit",
    "TargetAudit",
    "AuditedClassifier",
    "audit_votes",
    "VoteAudit",
    "audit_multilabel",
    "MultilabelAudit",
    "diff",
    "AuditDiff",
    "plant_errors",
    "compare",
    "Comparison",
    "auditing",
    "bench",
    "comparing",
    "compat",
    "datasets",
    "elm",
    "ensemble",
    "exceptions",
    "feature_selection",
    "filters",
    "hardness",
    "metrics",
    "noise",
    "projections",
    "report",
    "review",
    "sequence",
    "stats",
    "tables",
    "testing",
    "tolerant",
]


_SHORTCUTS = {
    "audit": "auditing",
    "audit_file": "auditing",
    "audit_targets": "auditing",
    "Audit": "auditing",
    "TargetAudit": "auditing",
    "AuditedClassifier": "auditing",
    "audit_votes": "auditing",
    "VoteAudit": "auditing",
    "audit_multilabel": "auditing",
    "MultilabelAudit": "auditing",
    "diff": "auditing",
    "AuditDiff": "auditing",
    "plant_errors": "auditing",
    "compare": "comparing",
    "Comparison": "comparing",
}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in _SHORTCUTS:
        return getattr(import_module(f"{__name__}.{_SHORTCUTS[name]}"), name)
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
