import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from errata.bench import NoisyTraining
from errata.bench._run import format_object


def test_functions_are_described_by_name_not_by_address():
    line = format_object(FunctionTransformer(np.log1p))
    assert "log1p" in line
    assert " at 0x" not in line


def test_nothing_is_left_out_of_a_long_description():
    def committee(depth):
        members = [(f"t{i}", DecisionTreeClassifier(max_depth=3)) for i in range(14)]
        return VotingClassifier([*members, ("last", DecisionTreeClassifier(max_depth=depth))])

    assert format_object(committee(3)) != format_object(committee(4))
    assert format_object(committee(3)) == format_object(committee(3))


def test_the_way_of_measuring_is_described():
    five, two = (NoisyTraining(split=StratifiedKFold(k, shuffle=True)) for k in (5, 2))
    assert format_object(five) != format_object(two)
    assert "StratifiedKFold(n_splits=5" in format_object(five)


@pytest.mark.parametrize("number", [np.float32(0.5), np.int64(3), True, None, "text"])
def test_plain_values_are_described_plainly(number):
    assert "np." not in format_object(number)
