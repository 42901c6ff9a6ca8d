"""Several labels per row: which are missing, and which are set although they should not be.

A cell is a label of a row: set or not. Each label is an audit of two classes, but for what labels
have in common:

1. ``_cells``, ``_label_sets``: tables of 0 and 1, lists and text, made into zeros and ones
2. ``_heard``: what models say; forests are grown once for all labels
3. ``_finding``: two passes; in the second, models look at the other labels besides
4. ``_noise``: error rates that labels share, so that small overestimates do not add up
5. ``_judging``, ``_rates``: every cell, and how many are wrong, with intervals
6. ``_cell_check``: cells flipped on purpose, looked for in the same way
7. ``_cell_assembly``, ``_result``: the :class:`MultilabelAudit`
8. ``_cell_examples``, ``_cell_summary``, ``_cell_lists``, ``_cell_cleaning``,
   ``_written_labels``: what is told and done; ``_cell_view``: rows for people to decide on
"""

from ._audit import audit_multilabel
from ._finding import CellCheck
from ._inputs import label_name, read_label_sets, written_indicators, written_sets
from ._result import MultilabelAudit

__all__ = [
    "audit_multilabel",
    "MultilabelAudit",
    "CellCheck",
    "label_name",
    "read_label_sets",
    "written_indicators",
    "written_sets",
]
