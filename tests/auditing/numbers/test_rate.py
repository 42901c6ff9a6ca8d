import numpy as np
import pytest

from errata.auditing.numbers._finding import estimate_rate, rate_notes
from errata.auditing.numbers._noise_model import ScaleHypotheses
from errata.auditing.numbers._settings import TARGET_RATES


def certain(place):
    weights = np.zeros((2, len(TARGET_RATES)))
    weights[1, place] = 1
    return ScaleHypotheses([], weights)


def test_the_interval_is_wider_than_both_posteriors():
    low, high = TARGET_RATES[20], TARGET_RATES[40]  # below a quarter both
    rate = estimate_rate([certain(20), certain(40)], 1.0)
    assert rate.estimate == pytest.approx((low + high) / 2)
    assert rate.low == pytest.approx(max(0, low / 1.5 - 0.02))
    assert rate.high == pytest.approx(high * 1.5 + 0.02)


def test_a_rate_that_cannot_be_told_may_be_none_and_a_note_says_so():
    many = estimate_rate([certain(-1)], 1.0)
    assert (many.estimate, many.low) == (pytest.approx(0.5), 0)
    (note,) = rate_notes(many)
    assert note.startswith("50% of the targets look wrong.")
    few = estimate_rate([certain(40)], 1.0)
    assert few.low > 0
    assert rate_notes(few) == []


def test_more_may_hide_where_less_is_explained():
    explained, half = (estimate_rate([certain(10)], r2) for r2 in (1.0, 0.5))
    assert half.high == pytest.approx(explained.high + 0.05)
    assert half.low == explained.low


def test_that_nothing_is_wrong_counts():
    doubtful = certain(30)._replace(p_errors=0.5)
    rate = estimate_rate([doubtful, doubtful], 1.0)
    assert rate.estimate == pytest.approx(TARGET_RATES[30] / 2)
    assert rate.low == 0
    assert rate.high == pytest.approx(TARGET_RATES[30] * 1.5 + 0.02)
    nothing = certain(30)._replace(p_errors=0.01)
    assert estimate_rate([nothing], 1.0).high == pytest.approx(0.02)


def test_the_interval_stays_between_none_and_all():
    rate = estimate_rate([certain(0), certain(-1)], -3.0)
    assert rate.low == 0
    assert rate.high <= 1
