"""Texts that a spreadsheet would run as formulas: labels and names are other people's."""

import re
from typing import Any

_STARTS = ("=", "+", "-", "@", "\t", "\r")  # the report's script has the same rule
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def guarded(cell: Any) -> Any:
    """The cell, with an apostrophe before it where it is text that begins like a formula.

    Examples
    --------
    >>> [guarded(cell) for cell in ("=1+1", "@cat", "-1.5", -1.5, "cat")]
    ["'=1+1", "'@cat", '-1.5', -1.5, 'cat']
    """
    if not isinstance(cell, str) or not cell.startswith(_STARTS) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"
