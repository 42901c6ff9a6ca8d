"""What is kept of an audit on disk: the format that an audit writes, and report and review read.

``_files`` has names, versions and columns, ``_components`` what verdicts reweigh, ``_piles`` the
rows that are drawn for a review, ``_images`` pictures as text, and ``decisions`` what people say.
Nothing here needs scikit-learn or pandas, so that the page of a million rows is there at once.
"""

from ._components import (
    Components,
    Evidence,
    Left,
    RowSums,
    evidence_of,
    expected_left,
    gather_components,
    no_evidence,
    undecidable,
    update,
)
from ._files import (
    CARDS,
    COMPONENTS,
    MISSING,
    NUMBERS,
    PARTS,
    REPORT,
    ROWS,
    CardFile,
    check_folder,
    column_numbers,
    is_audit,
    new_folder,
    read_column,
    read_numbers,
    stored_columns,
    texts_at,
    values_and_codes,
    write_cards,
    write_components,
    write_numbers,
)
from ._images import pixels_uri, thumbnail_uri, upright
from ._piles import OTHERS, SUSPECTS, draw_piles

__all__ = [
    "CARDS",
    "COMPONENTS",
    "MISSING",
    "NUMBERS",
    "OTHERS",
    "PARTS",
    "REPORT",
    "ROWS",
    "SUSPECTS",
    "CardFile",
    "Components",
    "Evidence",
    "Left",
    "RowSums",
    "check_folder",
    "column_numbers",
    "draw_piles",
    "evidence_of",
    "expected_left",
    "gather_components",
    "is_audit",
    "new_folder",
    "no_evidence",
    "pixels_uri",
    "read_column",
    "read_numbers",
    "stored_columns",
    "texts_at",
    "thumbnail_uri",
    "undecidable",
    "update",
    "upright",
    "values_and_codes",
    "write_cards",
    "write_components",
    "write_numbers",
]
