"""Decisions to take along: beside the rows of the table, one by one, or to Label Studio and back.

``_table`` reads the audit that they are about and writes tables of rows and of events, and
``_label_studio`` tasks for Label Studio, whose annotations it reads. What brings scikit-learn is
imported where it is used: the page imports this sub-package, and must start at once.
"""

from ._label_studio import export_label_studio, import_label_studio
from ._table import Audited, export_events, export_table, read_audited

__all__ = [
    "Audited",
    "export_events",
    "export_label_studio",
    "export_table",
    "import_label_studio",
    "read_audited",
]
