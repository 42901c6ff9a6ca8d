"""Several labels per row: which are missing, and which are set although they should not be.

A cell is a label of a row: set or not. Each label is an audit of two classes, but for what labels
have in common:

1. ``_audit``: :func:`errata.audit_multilabel`, and rows for people to see
2. ``_inputs``: tables of 0 and 1, lists and text, made into zeros and ones
3. ``_finding``: models in two passes, error rates that labels share, every cell judged, and the
   self-check
4. ``_result``: the :class:`MultilabelAudit`, and labels written as a column has them
"""

from ._audit import audit_multilabel
from ._finding import CellCheck
from ._inputs import LabelSets, label_name
from ._result import MultilabelAudit, write_indicators, write_sets

__all__ = [
    "audit_multilabel",
    "MultilabelAudit",
    "CellCheck",
    "LabelSets",
    "label_name",
    "write_indicators",
    "write_sets",
]
