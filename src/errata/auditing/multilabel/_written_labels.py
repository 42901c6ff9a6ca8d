"""Labels written back into the cells of a table, as the other cells of the column are written."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._known import yes_or_no
from ._cells import labels_in_cells


def label_name(label: Any) -> Any:
    """What an audit calls a label."""
    return label if isinstance(label, str | int) else str(label)


def written_indicators(cells: np.ndarray, new: np.ndarray) -> list[Any]:
    """A column of yes and no with some cells changed, in the words that it has; NaN empties a cell.

    Examples
    --------
    >>> written_indicators(np.array(["No", "yes", "No"]), np.array([1.0, 1.0, np.nan]))
    ['yes', 'yes', None]
    """
    given, old = cells.tolist(), yes_or_no(cells).tolist()
    words: dict[Any, Any] = {}
    for is_set, cell in zip(old, given, strict=True):
        words.setdefault(is_set, cell)
    return [
        cell if value == is_set else None if value != value else words[bool(value)]
        for cell, is_set, value in zip(given, old, new.tolist(), strict=True)
    ]


def written_sets(cells: Sequence[Any], names: Sequence[Any], new: np.ndarray) -> list[Any]:
    """A column of lists, or of text, with some labels taken away and others added at the end.

    ``new`` of shape (n, L) says which labels each row has. Cells whose labels stay keep their text.

    Examples
    --------
    >>> written_sets(["dog | cat", "cat", "dog | cat"], ["cat", "dog"],
    ...              np.array([[1, 1], [1, 1], [0, 1]]))
    ['dog | cat', 'cat | dog', 'dog']
    """
    found = labels_in_cells(cells, "the column of labels")
    labels = {label_name(label): label for own in found.sets for label in own}
    write = _writer(cells, found.separator)
    written = list(cells)
    for row, own in enumerate(found.sets):
        wanted = [name for name, is_set in zip(names, new[row], strict=True) if is_set]
        kept = [label for label in own if label_name(label) in set(wanted)]
        added = [labels[name] for name in wanted if labels[name] not in own]
        if added or len(kept) < len(own):
            written[row] = write([*kept, *added])
    return written


def _writer(cells: Sequence[Any], separator: str | None) -> Callable[[list[Any]], Any]:
    """How a list of labels is written in such a column."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    if separator is not None:
        marks = Counter(mark for text in texts for mark in _marks(text, separator))
        between = marks.most_common(1)[0][0] if marks else separator
        return lambda labels: between.join(labels)
    return _list_writer(texts) if texts else list


def _marks(text: str, separator: str) -> list[str]:
    """What stands between labels, with the spaces around it."""
    return re.findall(rf"(?<=\S)\s*{re.escape(separator)}\s*(?=\S)", text)


def _list_writer(texts: Sequence[str]) -> Callable[[list[Any]], str]:
    """Lists in text, as JSON or Python write them: JSON knows double quotes only."""
    quotes = {found[0] for text in texts if (found := re.search("[\"']", text))}
    one = repr if "'" in quotes else lambda label: json.dumps(label, ensure_ascii=False)
    between = ", " if any(", " in text for text in texts) else ","
    return lambda labels: f"[{between.join(map(one, labels))}]"
