"""Labels that are numbers: which targets of a regression table are wrong, and what they should be.

1. ``_task``, ``_target_scale``: what is given, and targets on a scale that fits all tables
   ``_likelier_scale``: their logarithms, where these are likelier
2. ``_training``, ``_models``, ``_brought``: models, and what they
   predict of rows that they have not learnt from
   ``_copied_rows``: rows that must be left out together
   ``_atoms``: values that many rows share, and how probable they are in each
3. ``_pooling``: one prediction of each row from all models
4. ``_local_scale``: how far right targets of such a row spread
5. ``_noise_model``: densities of right and of wrong residuals
6. ``_posterior``, ``_rate``: the probability that each target is wrong, and how many are
7. ``_rounds``: the same once more without what is probably wrong
8. ``_target_skill``: whether the models predict anything
9. ``_finding``, ``_findings``: all of it on one page, and what is found;
   ``_atom_findings``: the same beside atoms
10. ``_self_check``: planted errors, looked for in the same way
11. ``_target_inputs``, ``_target_column``, ``_target_cells``, ``_target_leaks``,
    ``_decided_targets``: what the user passes, checked
12. ``_audit_targets``, ``_target_assembly``, ``_result``: the :class:`TargetAudit`;
    ``_target_summary``, ``_target_examples``, ``_target_cleaning``, ``_hints``, ``_digits``: what
    is told and done; ``_target_view``: rows for people to decide on

``_settings`` holds every constant.
"""

from ._audit import audit_targets
from ._finding import TargetFindings, TargetModel, find_wrong_targets
from ._inputs import digits_of, read_targets, written_cells
from ._models import BroughtPredictions
from ._result import TargetAudit
from ._self_check import TargetSelfCheck, check_targets

__all__ = [
    "BroughtPredictions",
    "TargetAudit",
    "TargetFindings",
    "TargetModel",
    "TargetSelfCheck",
    "audit_targets",
    "check_targets",
    "digits_of",
    "find_wrong_targets",
    "read_targets",
    "written_cells",
]
