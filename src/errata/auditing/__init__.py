"""The audit: which labels are wrong, how many, which way, and how sure that is.

``_audit.run_audit`` is the driver of every kind of label: read, find, self-check, flags, result.
What differs by kind is a *problem*, in a folder of its own: ``classes/`` (with recordings from
``sequences/``), ``numbers/``, ``multilabel/`` and ``votes/``. What they share:

``inputs/``    what the user passes, checked once: labels, features, groups, duplicates, decisions
``models/``    models and their out-of-fold probabilities, pooled and calibrated
``results/``   flags, the results and what can be done with them: clean, sum up, save, compare
``stored/``    the same of tables that are read in parts
``examples/``  what a person wants to see of single rows, and what a review needs

``_learning`` is what an audit of classes learns from its rows and judges others by, ``_self_check``
injects errors, ``_planting`` plants them in a copy of a file, and ``_settings`` holds the constants
that files share, with the commands that chose them.
"""

from typing import TYPE_CHECKING, Any

from ._audit_file import audit_file
from ._planting import plant_errors
from ._self_check import SelfCheck
from .classes._audit import audit
from .examples._explanations import RowExplanation
from .models._base import CrossFit, NewRows, OutOfFoldModel, TrainingData
from .models._default import default_models
from .multilabel import CellCheck, MultilabelAudit, audit_multilabel
from .numbers import TargetAudit, TargetSelfCheck, audit_targets
from .results._audit import Audit
from .results._base import BaseAudit, add_review, load_audit
from .results._cleaning import Cleaned
from .results._diff import AuditDiff, DiffSide, diff
from .results._file_cleaning import CleanedFile
from .results._rates_by import NoiseRate
from .votes import VoteAudit, audit_votes

if TYPE_CHECKING:
    from ._audited_classifier import AuditedClassifier

__all__ = [
    "audit",
    "audit_file",
    "audit_targets",
    "AuditedClassifier",
    "Audit",
    "audit_votes",
    "VoteAudit",
    "TargetAudit",
    "audit_multilabel",
    "MultilabelAudit",
    "CellCheck",
    "BaseAudit",
    "CleanedFile",
    "load_audit",
    "diff",
    "AuditDiff",
    "DiffSide",
    "plant_errors",
    "add_review",
    "NoiseRate",
    "SelfCheck",
    "TargetSelfCheck",
    "Cleaned",
    "RowExplanation",
    "OutOfFoldModel",
    "TrainingData",
    "NewRows",
    "CrossFit",
    "default_models",
]


def __getattr__(name: str) -> Any:
    """The one class that needs the filters, which take long to import."""
    if name == "AuditedClassifier":
        from ._audited_classifier import AuditedClassifier

        return AuditedClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
