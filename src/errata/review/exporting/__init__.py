"""Decisions to take along: beside the rows of the table, one by one, or to Label Studio and back.

``_audited`` is the audit that they are about, ``_table`` writes tables of rows and of events, and
``_label_studio`` tasks for Label Studio, whose annotations it reads. What brings scikit-learn is
imported where it is used: the page imports this sub-package, and must start at once.
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
