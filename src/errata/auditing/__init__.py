"""The audit: which labels are wrong, how many, which way, and how sure that is.

Its stages, in the order in which they run:

1. ``_audit``: all of them on one page; ``_opening``: tables that must be in memory
2. ``_inputs``: what the user passes, checked once; ``_leaks``: columns that hold the label;
   ``_pixels``: rows that are pictures; ``_spellings``: labels that may be one
   ``sequences/``: rows that follow each other in time
3. ``_copies``, ``_groups``, ``_ties``: rows that must be left out, counted and changed together
4. ``_models``, ``_default_models``, ``_user_models``: models and their out-of-fold probabilities
   ``_cross_fitting``, ``_rbf_ridge``, ``_forest``: how they are fitted
   ``_fitted_ridge``, ``_fitted_trees``, ``_fitted_boosting``: what they say of other rows
5. ``_pooling``, ``_calibration``: one probability of each label from all models
6. ``_skill``: whether the columns tell the labels apart at all
7. ``classes/``: the noise model, and the posterior that each label is wrong
   ``numbers/``: the same for numeric targets
   ``multilabel/``: the same where a row may have several labels
8. ``_flags``: the rows worth a look; ``_flag_line``: the same of rows too many to be sorted
9. ``_self_check``: injected errors, looked for in the same way
10. ``_showing``: what a person wants to see, by ``_examples``, ``_nearby``, ``_reasons``, ``_map``,
    ``_notes``; ``explaining/``: one row on request
11. ``_assembly``, ``_result``: the :class:`errata.Audit`; ``_base``: what audits of all kinds share
12. ``_totals``: sums over all rows; ``_cleaning``, ``_summary``, ``_storage``: what can be done
    ``_diff``: what changed from one audit to the next
    ``_for_review``, ``cards/``: what a person needs to decide on rows one by one
13. ``_class_posterior``, ``_audited_classifier``, ``_committee``: learning from it

``_settings`` holds every constant, with the command that chose it.
"""

from ._audit import AuditedClassifier, audit
from ._self_check import SelfCheck
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

__all__ = [
    "audit",
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
