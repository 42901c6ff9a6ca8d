"""Review: a person decides on suspects one by one, and every decision is kept.

``decisions/`` keeps them in a file beside the audit, ``exporting/`` takes them along,
``inference/`` says what they tell about the labels that nobody has looked at, and ``server/`` is
the page to decide on; ``_summary`` tells what a review has come to.
"""

from ..audit_folder.decisions import (
    Decisions,
    Event,
    Resolved,
    RowVerdict,
    as_text,
    decisions_path,
    from_text,
    open_decisions,
    resolve,
)
from ._summary import review_summary
from .exporting import (
    Audited,
    export_events,
    export_label_studio,
    export_table,
    import_label_studio,
    read_audited,
)
from .server import serve

__all__ = [
    "Audited",
    "Decisions",
    "Event",
    "Resolved",
    "RowVerdict",
    "as_text",
    "decisions_path",
    "export_events",
    "export_label_studio",
    "export_table",
    "from_text",
    "import_label_studio",
    "open_decisions",
    "read_audited",
    "resolve",
    "review_summary",
    "serve",
]
