import numpy as np

from errata.auditing.numbers import write_numbers
from errata.auditing.numbers._inputs import Digits

TENTHS = Digits(1, 0.0)


def changed(cells, row, value, digits=TENTHS):
    mask = np.arange(len(cells)) == row
    return write_numbers(cells, mask, np.where(mask, value, 0.0), digits)


def test_cells_that_stay_are_what_they_were():
    assert changed(["4.00", "7", "x"], 1, 5.25) == ["4.00", "5.2", "x"]


def test_decimal_commas_and_units_are_kept():
    assert changed(["12,5 kg", "130 kg"], 1, 13.04) == ["12,5 kg", "13,0 kg"]
    assert changed(["$1,200.5", "$90"], 1, 950.0) == ["$1,200.5", "$950.0"]


def test_numbers_stay_numbers_and_whole_ones_whole():
    assert changed([3, 40], 1, 4.0) == [3, 4]
    assert isinstance(changed([3, 40], 1, 4.0)[1], int)
    assert changed([3.5, 40.5], 1, 4.0) == [3.5, 4.0]


def test_nothing_empties_a_cell_and_gaps_stay_gaps():
    assert changed(["4.5", "7"], 1, np.nan) == ["4.5", None]
    assert changed([4.5, float("nan")], 0, 5.0) == [5.0, None]


def test_what_people_typed_keeps_its_digits():
    mask, digits = np.array([True, True]), Digits(0, 0.0)
    both = write_numbers(["12 kg", "13 kg"], mask, np.array([12.25, 13.25]), digits, ~mask ^ [1, 0])
    assert both == ["12.25 kg", "13 kg"]
