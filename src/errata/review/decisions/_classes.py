"""Labels and classes as text that keeps their type: JSON."""

import json
from typing import Any


def as_text(label: Any) -> str:
    """A label as JSON text, in which 1, "1", true and "" stay apart; null where there is none.

    Whole numbers are 1 and not 1.0: a column of them has floats as soon as one cell is empty.

    Examples
    --------
    >>> as_text(1), as_text(1.0), as_text("1"), as_text(True), as_text(""), as_text(float("nan"))
    ('1', '1', '"1"', 'true', '""', 'null')
    """
    value = label.item() if hasattr(label, "item") else label
    if value != value:  # NaN stands for a label that is missing, and is no JSON
        value = None
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, allow_nan=False)


def from_text(text: str) -> Any:
    """The label that :func:`as_text` has written.

    Examples
    --------
    >>> from_text('"cat"'), from_text("3"), from_text("null")
    ('cat', 3, None)
    """
    return json.loads(text)
