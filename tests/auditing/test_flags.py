import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata.auditing.results._flags import LEAST_FLAGGED, draw_flags, no_flags

probabilities = hnp.arrays(float, st.integers(1, 40), elements=st.floats(0, 1))


@given(probabilities)
def test_flags_are_the_most_suspicious_rows(p):
    flags = draw_flags(p, p)
    assert p[flags.flagged].min(initial=1) >= p[~flags.flagged].max(initial=0)


@given(probabilities, st.floats(0, 1))
def test_a_precision_asked_for_is_expected(p, precision):
    flags = draw_flags(p, p, precision)
    if flags.flagged.any():
        assert flags.expected_precision >= precision - 1e-12
        np.testing.assert_allclose(flags.expected_precision, p[flags.flagged].mean())
    else:
        assert np.isnan(flags.expected_precision)
        assert p.max() < precision


def test_a_small_doubt_is_not_flagged():
    p = np.r_[0.4, np.full(20, LEAST_FLAGGED - 0.01), np.zeros(979)]
    assert np.flatnonzero(draw_flags(p, p).flagged).tolist() == [0]
    doubted = np.r_[np.full(300, LEAST_FLAGGED), np.zeros(700)]
    np.testing.assert_array_equal(draw_flags(doubted, doubted).flagged, doubted > 0)


def test_a_small_doubt_is_not_flagged_however_suspicious():
    p, suspicion = np.array([0.9, 0.1, 0.8]), np.array([0.9, 0.8, 0.7])
    np.testing.assert_array_equal(draw_flags(p, suspicion).flagged, [True, False, True])


def test_labels_without_doubt_are_not_flagged():
    flags = draw_flags(np.zeros(5), np.zeros(5))
    assert not flags.flagged.any()
    assert np.isnan(flags.expected_precision)
    assert np.isnan(flags.expected_recall)


def test_nothing_is_flagged_where_nothing_can_be_told():
    flags = no_flags(5)
    assert not flags.flagged.any()
    assert "do not tell" in flags.rule


def test_the_longest_list_that_keeps_the_precision_is_flagged():
    p = np.array([0.9, 0.1, 0.9, 0.9, 0.0])  # the first rows are wrong by 0.9, 0.5, 0.63, 0.7, 0.56
    flags = draw_flags(p, np.linspace(1, 0, 5), 0.65)
    np.testing.assert_array_equal(flags.flagged, [True, True, True, True, False])
    np.testing.assert_allclose(flags.expected_precision, 0.7)
    assert "65%" in flags.rule
