import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata.tolerant import reinforcement_weights, select_log_alpha
from errata.tolerant._alpha import l2_bracket
from strategies import log_probabilities

penalties = pytest.mark.parametrize("penalty", ["l1", "l2"])
targets = st.floats(0.05, 0.99)

# p = (0.01, 0.1, 0.5, 0.8, 1): L1 by hand, (73); L2 by bisection with an independent prototype.
GOLDEN_P = np.array([0.01, 0.1, 0.5, 0.8, 1.0])
GOLDEN = [
    ("l1", 0.95, 75, [0.75, 1, 1, 1, 1]),
    ("l1", 0.80, 100 / 11, [1 / 11, 10 / 11, 1, 1, 1]),
    ("l1", 0.60, 100 / 61, [1 / 61, 10 / 61, 50 / 61, 1, 1]),
    ("l2", 0.95, 23197.07868, [0.75455695, 0.99572588, 0.99982762, 0.99993265, 0.99995689]),
    ("l2", 0.80, 412.5584001, [0.18353219, 0.83215098, 0.99048798, 0.99624108, 0.99758778]),
    ("l2", 0.60, 13.85042295, [0.03653008, 0.30929786, 0.81035316, 0.90716184, 0.93665706]),
]


def mean_weight(log_p, target, penalty, sample_weight=None):
    log_alpha = select_log_alpha(log_p, target, penalty=penalty, sample_weight=sample_weight)
    weights = reinforcement_weights(log_p, log_alpha, penalty=penalty)
    return np.average(weights, weights=sample_weight)


@pytest.mark.parametrize(("penalty", "target", "alpha", "weights"), GOLDEN)
def test_b3_golden_table(penalty, target, alpha, weights):
    log_alpha = select_log_alpha(np.log(GOLDEN_P), target, penalty=penalty)
    np.testing.assert_allclose(np.exp(log_alpha), alpha, rtol=1e-9)
    found = reinforcement_weights(np.log(GOLDEN_P), log_alpha, penalty=penalty)
    np.testing.assert_allclose(found, weights, rtol=0, atol=1e-8)


@penalties
@given(log_probabilities(), targets)
def test_b3_the_mean_weight_is_the_target(penalty, log_p, target):
    np.testing.assert_allclose(mean_weight(log_p, target, penalty), target, rtol=0, atol=1e-9)


@penalties
@pytest.mark.parametrize("n", [20, 40, 100])
@pytest.mark.parametrize("n_far", [1, 2, 5])
def test_b3_far_outliers_that_are_exactly_the_share_to_give_up(penalty, n, n_far):
    log_p = np.random.RandomState(0).uniform(-2, 0, n)
    log_p[:n_far] = -1e4
    log_alpha = select_log_alpha(log_p, 0.95, penalty=penalty)
    assert np.isfinite(log_alpha)
    np.testing.assert_allclose(mean_weight(log_p, 0.95, penalty), 0.95, rtol=0, atol=1e-9)


@pytest.mark.parametrize("log_p", [-900.0, 0.0, 30.0])
def test_b3_equal_rows_get_equal_weights(log_p):
    rows = np.full(7, log_p)
    # L1: alpha = target / p; L2: alpha = target² / ((1 - target) p²), 18.05 for p = 1.
    np.testing.assert_allclose(
        select_log_alpha(rows, 0.95), np.log(0.95) - log_p, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        select_log_alpha(rows, 0.95, penalty="l2"), np.log(18.05) - 2 * log_p, rtol=1e-9
    )
    for penalty in ("l1", "l2"):
        log_alpha = select_log_alpha(rows, 0.95, penalty=penalty)
        weights = reinforcement_weights(rows, log_alpha, penalty=penalty)
        np.testing.assert_allclose(weights, 0.95, rtol=0, atol=1e-9)


@given(log_probabilities(), targets)
def test_b4_the_bracket_holds(log_p, target):
    low, high = l2_bracket(log_p, target)
    assert np.all(reinforcement_weights(log_p, low, penalty="l2") <= target + 1e-9)
    assert np.all(reinforcement_weights(log_p, high, penalty="l2") >= target - 1e-9)


@given(log_probabilities(low=-50), targets, st.floats(-40, 40))
def test_b7_a_constant_added_to_log_p_only_shifts_log_alpha(log_p, target, constant):
    for penalty, power in [("l1", 1), ("l2", 2)]:
        here = select_log_alpha(log_p, target, penalty=penalty)
        there = select_log_alpha(log_p + constant, target, penalty=penalty)
        for_both = reinforcement_weights(log_p, here, penalty=penalty)
        shifted = reinforcement_weights(log_p, there + power * constant, penalty=penalty)
        np.testing.assert_allclose(shifted, for_both, rtol=0, atol=1e-9)


@penalties
@given(log_probabilities(low=-50, max_size=12), targets, st.data())
def test_sample_weights_count_rows(penalty, log_p, target, data):
    counts = data.draw(hnp.arrays(int, len(log_p), elements=st.integers(0, 4)))
    assume(counts.any())
    weighted = select_log_alpha(log_p, target, penalty=penalty, sample_weight=counts)
    repeated = select_log_alpha(np.repeat(log_p, counts), target, penalty=penalty)
    np.testing.assert_allclose(
        reinforcement_weights(log_p, weighted, penalty=penalty),
        reinforcement_weights(log_p, repeated, penalty=penalty),
        rtol=0,
        atol=1e-8,
    )


@penalties
def test_impossible_rows_are_given_up_first(penalty):
    log_p = np.array([-np.inf, -1.0, -0.5, -0.2, 0.0])
    np.testing.assert_allclose(mean_weight(log_p, 0.7, penalty), 0.7, rtol=0, atol=1e-9)


def test_l1_can_spend_its_whole_share_on_impossible_rows():
    log_p = np.array([-np.inf, -1.0, -0.5, -0.2, 0.0])
    weights = reinforcement_weights(log_p, select_log_alpha(log_p, 0.8))
    np.testing.assert_allclose(weights, [0, 1, 1, 1, 1], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("penalty", "target"), [("l1", 0.81), ("l2", 0.8)])
def test_too_many_impossible_rows_get_a_sentence(penalty, target):
    log_p = [-np.inf, -1.0, -0.5, -0.2, 0.0]
    with pytest.raises(ValueError, match=r"1 of 5 rows have probability zero.*target below 0.8"):
        select_log_alpha(log_p, target, penalty=penalty)


@pytest.mark.parametrize("target", [0, 1, 1.5, -0.1, np.nan, "most", None])
def test_a_target_outside_0_and_1_gets_a_sentence(target):
    with pytest.raises(ValueError, match=r"target=.* must be"):
        select_log_alpha([0.0, -1.0], target)


@pytest.mark.parametrize(
    ("sample_weight", "sentence"),
    [
        ([1, 2, 3], r"sample_weight must hold one number for each of the 2 rows.*\(3,\)"),
        ([1, -1], r"sample_weight\[1\] = -1.0 is no weight; .* at least 0"),
        ([1, np.nan], r"sample_weight\[1\] = nan"),
        ([0, 0], "sample_weight is zero everywhere"),
    ],
)
def test_bad_sample_weights_get_a_sentence(sample_weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        select_log_alpha([0.0, -1.0], sample_weight=sample_weight)


def test_an_unknown_penalty_gets_a_sentence():
    with pytest.raises(ValueError, match="penalty='l0' is not known"):
        select_log_alpha([0.0, -1.0], penalty="l0")
