import numpy as np
import pytest

from errata.auditing.numbers._inputs import TargetColumn, notes_on_leaks

pd = pytest.importorskip("pandas", reason="the tables extra is not installed")

RANDOM = np.random.default_rng(0)
Y = RANDOM.normal(size=200)


def notes(**columns):
    return notes_on_leaks(pd.DataFrame(columns), TargetColumn(None, Y, "y", []))


def test_a_column_made_from_the_target_is_named():
    [note] = notes(size=RANDOM.normal(size=200), cents=np.round(100 * Y), log=np.exp(-Y))
    assert "By 'cents', 'log' the rows" in note


def test_a_column_that_merely_tells_much_is_not():
    assert notes(near=Y + 0.1 * RANDOM.normal(size=200), word=["a", "b"] * 100) == []
