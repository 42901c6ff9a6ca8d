"""What the table says of the rows that have a card, by what the audit is of.

``_classes``: one class a row; ``_numbers``: a number; ``_sets``: several labels. All of them know a
label as text, read what a person gives instead, and find the rows that a filter asks for.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ._classes import RecordedClasses
from ._numbers import RecordedNumbers
from ._sets import RecordedSets

Recorded = RecordedClasses | RecordedNumbers | RecordedSets


def read_recorded(path: Path, numbers: dict[str, Any], rows: np.ndarray) -> Recorded:
    """What is recorded of some rows, in a table of all rows of an audit with these numbers."""
    kind = numbers.get("kind")
    if kind == "numbers":
        return RecordedNumbers(path, rows)
    if kind == "multilabel":
        return RecordedSets(path, numbers["names"], rows)
    return RecordedClasses(path, numbers.get("classes"), rows)


__all__ = ["Recorded", "RecordedClasses", "RecordedNumbers", "RecordedSets", "read_recorded"]
