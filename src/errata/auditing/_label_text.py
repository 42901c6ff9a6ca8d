"""A label as people read it, the same whatever type its column has."""

from typing import Any


def label_text(label: Any) -> str | None:
    """The text of a label; None for a missing one.

    Whole numbers are 1 and not 1.0: a column of them has floats as soon as one cell is empty.

    >>> label_text("cat"), label_text(1), label_text(1.0), label_text(2.5), label_text(float("nan"))
    ('cat', '1', '1', '2.5', None)
    """
    value = label.item() if hasattr(label, "item") else label
    if value is None or value != value:
        return None
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)
