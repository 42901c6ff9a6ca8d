from pathlib import Path

import numpy as np
import pytest

from errata.cli._cleaning import _check_labels


@pytest.mark.parametrize(("now", "then"), [([True], [1]), (["1"], [1])], ids=["bool", "text"])
def test_labels_that_look_alike_are_of_one_type(now, then):
    with pytest.raises(ValueError, match=r"the labels of a.csv have changed .*: row 0 .* said 1;"):
        _check_labels(Path("a.csv"), np.array(now), np.array(then))


def test_whole_numbers_are_floats_in_a_column_that_had_a_gap():
    _check_labels(Path("a.csv"), np.array([1, 2]), np.array([1.0, 2.0]))


def test_the_row_that_changed_is_called_by_its_number():
    with pytest.raises(ValueError, match=r"row 7 .* says 'dog' and said 'cat'"):
        _check_labels(Path("a.csv"), np.array(["dog"]), np.array(["cat"]), numbers=np.array([7]))
