import numpy as np
import pytest

from errata.tables._number_formats import formatted_numbers


def read(cells):
    return formatted_numbers("x", cells)


@pytest.mark.parametrize(
    ("cells", "expected", "remark"),
    [
        (["1", "2.5", "+3"], [1, 2.5, 3], ""),
        (["1", "?", "none"], [1, np.nan, np.nan], "In 'x', read '?', 'none' as missing."),
        (["1,5", "2"], [1.5, 2], "In 'x', read commas as decimal points."),
        (["0,500", "1,250"], [0.5, 1.25], "In 'x', read commas as decimal points."),
        (["1,200", "999", "1,000,000.5"], [1200, 999, 1e6 + 0.5], "commas as marks of thousands"),
    ],
)
def test_numbers_as_people_write_them(cells, expected, remark):
    found, _, said = read(cells)
    np.testing.assert_array_equal(found, expected)
    assert remark in said
    assert bool(said) == bool(remark)


@pytest.mark.parametrize("cells", [["1", "2", "3+"], ["?", "-"], ["a,b", "1,5"], ["1", "? ?"]])
def test_other_things_are_no_numbers(cells):
    assert read(cells) == (None, ",", "")
