import numpy as np

from errata.ensemble.boosting._base import boost_one_vs_rest
from errata.ensemble.boosting._base_learners import add_up, make_constant_base

CODES = np.array([0, 1, 2, 2])


def boost_twice(y):
    """Two constant rules: the first always right about the commoner sign, the second wrong."""
    code = int(y.sum() >= 0)
    rule = make_constant_base(code, np.zeros(len(y), dtype=int))
    return [(rule, np.array([-1.0, 1.0])), (rule, np.array([0.25, -0.25]))]


def test_two_classes_have_one_column():
    terms = boost_one_vs_rest(boost_twice, np.array([0, 1, 1]), 2)
    assert [term.round for term in terms] == [0, 1]
    assert [term.reach for term in terms] == [1, 0.25]
    np.testing.assert_array_equal(add_up(terms, np.zeros((3, 1))), 0.75)


def test_several_classes_have_a_column_each():
    terms = boost_one_vs_rest(boost_twice, CODES, 3)
    assert [term.round for term in terms] == [0, 1] * 3
    assert [np.flatnonzero(term.values.any(axis=0)).tolist() for term in terms] == [
        [0], [0], [1], [1], [2], [2]
    ]  # fmt: skip
    # The first two classes are rare; the third is half of the rows, and a tie is for it.
    np.testing.assert_array_equal(add_up(terms, np.zeros((1, 1))), [[-0.75, -0.75, 0.75]])
