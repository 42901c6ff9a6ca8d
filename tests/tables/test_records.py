from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables._records import Change, Record, changed, with_blank_lines


@given(st.lists(st.booleans(), min_size=1))
def test_blank_lines_hang_on_and_nothing_is_lost(blanks):
    records = [Record(f"{i}\n", None if blank else [i], i) for i, blank in enumerate(blanks)]
    joined = list(with_blank_lines(records))
    assert "".join(record.raw for record in joined) == "".join(record.raw for record in records)
    rows = [record.cells for record in records if record.cells is not None]
    assert [record.cells for record in joined] == (rows or [None])


def test_rows_that_go_are_not_given():
    records = [Record(f"{i}\n", [i], i) for i in range(3)]
    change = Change(np.array([True, False, True]), "y", ["a", "b", "c"])
    assert [(r.cells[0], v) for r, v in changed(records, change, Path("t"))] == [(0, "a"), (2, "c")]
    with pytest.raises(ValueError, match="t has 2 rows, but 3 values were given"):
        list(changed(records[:2], change, Path("t")))
