"""Labels and classes as text that keeps their type: JSON."""

import json
from math import isclose
from typing import Any

ROUNDING = 1e-9  # numbers that differ by less of their size are the same, written differently


def as_text(label: Any) -> str:
    """A label as JSON text, in which 1, "1", true and "" stay apart; null where there is none.

    Whole numbers are 1 and not 1.0: a column of them has floats as soon as one cell is empty. Of
    several labels of a row the order does not matter.

    Examples
    --------
    >>> as_text(1), as_text(1.0), as_text("1"), as_text(True), as_text(""), as_text(float("nan"))
    ('1', '1', '"1"', 'true', '""', 'null')
    >>> as_text(["dog", "cat"])
    '["cat", "dog"]'
    """
    value = label.item() if hasattr(label, "item") else label
    if isinstance(value, list):
        return f"[{', '.join(sorted(map(as_text, value)))}]"
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


def differ(one: str, other: str) -> bool:
    """Whether two texts stand for different labels; numbers differ by more than rounding.

    Examples
    --------
    >>> differ("0.3", "0.30000000000000004"), differ("0.3", "0.31"), differ("1", '"1"')
    (False, True, True)
    """
    if one == other:
        return False
    values = from_text(one), from_text(other)
    # Whole numbers are exact, and may be classes.
    numbers = all(type(value) in (int, float) for value in values)
    if not numbers or not any(isinstance(value, float) for value in values):
        return True
    return not isclose(*values, rel_tol=ROUNDING)
