"""What the table says of all rows of an audit, and what the audit suggests: lists of values."""

from collections.abc import Callable
from typing import Any, NamedTuple

Read = Callable[[str], list[Any]]  # the cells of a column


class Recorded(NamedTuple):
    """One entry for each row; None where there is no label."""

    labels: list[Any]
    suggested: list[Any]


def recorded_rows(numbers: dict[str, Any], read: Read) -> Recorded:
    """The rows of an audit with these ``numbers`` in its ``audit.json``."""
    if numbers.get("kind") == "multilabel":
        return _sets(numbers["names"], read)
    labels = "targets" if numbers.get("kind") == "numbers" else "labels"
    return Recorded(*([_or_none(cell) for cell in read(name)] for name in (labels, "suggested")))


def _sets(names: list[Any], read: Read) -> Recorded:
    """Of several labels a row, those that it has."""
    are_set = [read(f"label {place}") for place in range(len(names))]
    doubted = [read(f"flagged {place}") for place in range(len(names))]
    should_be = [
        [bool(one) != bool(other) for one, other in zip(*columns, strict=True)]
        for columns in zip(are_set, doubted, strict=True)
    ]
    return Recorded(_of_rows(names, are_set), _of_rows(names, should_be))


def _of_rows(names: list[Any], columns: list[list[Any]]) -> list[Any]:
    rows = zip(*columns, strict=True)
    return [[name for name, own in zip(names, row, strict=True) if own] for row in rows]


def _or_none(label: Any) -> Any:
    """A label; None for NaN, which stands for none among numbers."""
    return label if label == label else None
