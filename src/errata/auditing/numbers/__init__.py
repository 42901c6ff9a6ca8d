"""Labels that are numbers: which targets of a regression table are wrong, and what they should be.

1. ``_audit``: :func:`errata.audit_targets`, one stage after the other, and rows for people to see
2. ``_inputs``: what the user passes, read and checked, and numbers written as a column has them
3. ``_task``: targets on a scale that fits all tables, copies of rows, values that many rows share
4. ``_models``: what predicts the target of a row without having learnt from it
5. ``_noise_model``: how far right targets spread, and the probability that each is wrong
6. ``_finding``: all of it in two rounds, the second without what is probably wrong, and planted
   errors, looked for in the same way
7. ``_result``: the :class:`TargetAudit`, and slips that explain errors

``python benchmarks/targets.py`` measures the constants. Two scales, clips, grids and the width of
the interval were taken over from a prototype that had chosen them on the first list of tables in
that benchmark; its second list chose nothing.
"""

from ._audit import audit_targets
from ._finding import TargetFindings, TargetSelfCheck, check_targets, find_wrong_targets
from ._inputs import Digits, read_targets, write_numbers
from ._result import TargetAudit
from ._task import TargetRows

__all__ = [
    "Digits",
    "TargetAudit",
    "TargetFindings",
    "TargetRows",
    "TargetSelfCheck",
    "audit_targets",
    "check_targets",
    "find_wrong_targets",
    "read_targets",
    "write_numbers",
]
