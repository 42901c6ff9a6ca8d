from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables.formats._records import (
    Change,
    Record,
    apply_change,
    attach_blank_lines,
    make_change,
)


@given(st.lists(st.booleans(), min_size=1))
def test_blank_lines_hang_on_and_nothing_is_lost(blanks):
    records = [Record(f"{i}\n", None if blank else [i], i) for i, blank in enumerate(blanks)]
    joined = list(attach_blank_lines(records))
    assert "".join(record.raw for record in joined) == "".join(record.raw for record in records)
    rows = [record.cells for record in records if record.cells is not None]
    assert [record.cells for record in joined] == (rows or [None])


def test_rows_that_go_are_not_given():
    records = [Record(f"{i}\n", [i], i) for i in range(3)]
    change = make_change(np.array([True, False, True]), "y", ["a", "b", "c"])

    def kept(records):
        found = apply_change(records, lambda record: record.cells[0], change, Path("t"))
        return [(record.cells[0], value) for record, value in found]

    assert kept(records) == [(0, "a"), (2, "c")]
    for others in (records[:2], [*records, records[0]]):
        with pytest.raises(ValueError, match=f"t has {len(others)} rows, but 3 values were given"):
            kept(others)


def test_a_change_sees_cells_and_places_some_rows_at_a_time(monkeypatch):
    monkeypatch.setattr("errata.tables.formats._records.COPIED_ROWS", 2)
    records = [Record(f"{i}\n", [i], i) for i in range(5)]
    seen = []

    def of(start, cells):
        seen.append((start, cells))
        return [cell != 3 for cell in cells], [10 * cell for cell in cells]

    found = apply_change(records, lambda record: record.cells[0], Change("y", of), Path("t"))
    assert [value for _, value in found] == [0, 10, 20, 40]
    assert seen == [(0, [0, 1]), (2, [2, 3]), (4, [4])]
