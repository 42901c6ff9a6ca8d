import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errata.auditing.inputs._groups import places_among

ROWS = st.lists(st.integers(0, 20), max_size=12)


@given(st.sets(st.integers(0, 20), min_size=1), ROWS)
def test_rows_are_found_among_those_in_order(ordered, rows):
    ordered, rows = np.array(sorted(ordered)), np.array(rows, dtype=int)
    at, there = places_among(ordered, rows)
    assert there.tolist() == np.isin(rows, ordered).tolist()
    assert ordered[at][there].tolist() == rows[there].tolist()
    assert len(ordered[at]) == len(rows)
