"""How many rows of a stored table are read at a time, by the memory there is."""

from collections.abc import Callable

from .._format import size
from ..tables._memory import memory_bytes
from ._settings import FEWEST_PART_ROWS, LEARN_ROWS, MOST_PART_ROWS, PART_ROWS

# Bytes, measured with `python benchmarks/scale.py parquet`.
_PROCESS = 350_000_000  # errata and what it stands on, models, a block of rows that is judged
_LEARNT_CELL = 40  # of the rows that are learnt from: cells, features, and these scaled
_PART_CELL, _PART_ROW = 16, 200  # of a part: cells, and what is found out about each row


def part_rows(memory: int | str | None) -> Callable[[int], int]:
    """A function of the number of columns that says how many rows a part may have.

    Examples
    --------
    >>> part_rows(None)(20), part_rows("600MB")(20), part_rows("4GB")(20)
    (200000, 173076, 500000)
    """
    if memory is None:
        return lambda n_columns: PART_ROWS
    given = memory_bytes(memory)

    def rows(n_columns: int) -> int:
        fixed = _PROCESS + _LEARNT_CELL * LEARN_ROWS * n_columns
        each = _PART_CELL * n_columns + _PART_ROW
        most = (given - fixed) // each
        if most < FEWEST_PART_ROWS:
            raise ValueError(
                f"memory={memory!r} is too little for a table of {n_columns} columns; "
                f"{size(fixed + each * FEWEST_PART_ROWS)} are needed."
            )
        return min(most, MOST_PART_ROWS)

    return rows
