"""Decisions to take along: beside the rows of the table, one by one, or to Label Studio and back.

``_audited`` and ``_recorded`` are the audit that they are about; ``_table``, ``_events`` and
``_tasks`` write, ``_annotations`` reads, and ``_controls`` is what Label Studio asks for. Rooms
that bring scikit-learn are imported where they are used: the page imports this one, and must start
at once.
"""

from ._audited import Audited, read_audited
from ._label_studio import Imported, export_label_studio, import_label_studio
from ._table import export_events, export_table

__all__ = [
    "Audited",
    "Imported",
    "export_events",
    "export_label_studio",
    "export_table",
    "import_label_studio",
    "read_audited",
]
