import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata._suspicion import flag

suspicions = hnp.arrays(float, st.integers(1, 30), elements=st.floats(0, 1, width=16))


def test_the_native_rule_keeps_a_tie():
    assert flag(np.array([0.5, 0.51])).tolist() == [False, True]


@given(suspicions, st.floats(0, 1), st.floats(0, 1))
def test_raising_the_threshold_never_adds_a_flag(suspicion, one, other):
    low, high = sorted([one, other])
    assert np.all(flag(suspicion, threshold=low)[flag(suspicion, threshold=high)])


@given(suspicions, st.floats(0, 1))
def test_a_share_flags_exactly_the_nearest_number_of_the_most_suspicious(suspicion, share):
    flagged = flag(suspicion, share=share)
    assert flagged.sum() == int(np.floor(share * len(suspicion) + 0.5))
    if flagged.any() and not flagged.all():
        assert suspicion[flagged].min() >= suspicion[~flagged].max()


def test_ties_go_to_the_smaller_index():
    assert flag(np.array([0.1, 0.7, 0.7, 0.7]), share=0.5).tolist() == [False, True, True, False]


@given(suspicions)
def test_an_estimated_share_flags_the_expected_number(suspicion):
    flagged = flag(suspicion, share="estimate", probability=True)
    assert flagged.sum() == int(np.floor(suspicion.sum() + 0.5))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"threshold": 0.5, "share": 0.5}, "two rules; pass at most one"),
        ({"share": "estimate"}, "needs suspicions that are probabilities"),
        ({"threshold": "0.5"}, "threshold='0.5' must be a number"),
        ({"threshold": float("nan")}, "threshold=nan must be a number"),
        ({"share": -0.1}, r"share=-0.1 must be a number between 0 and 1"),
    ],
)
def test_bad_rules_get_a_sentence(rule, sentence):
    with pytest.raises(ValueError, match=sentence):
        flag(np.array([0.1, 0.9]), **rule)
