import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata.tolerant.reinforced._weights import choose_log_alpha, compute_l2_bracket, weigh
from strategies import log_probabilities

penalties = pytest.mark.parametrize("penalty", ["l1", "l2"])
mean_weights = st.floats(0.05, 0.99)

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


def chosen(log_p, mean_weight, penalty, sample_weight=None):
    counts = np.ones(len(log_p)) if sample_weight is None else sample_weight.astype(float)
    return choose_log_alpha(np.asarray(log_p), counts, mean_weight, penalty)


def reached(log_p, mean_weight, penalty):
    return weigh(log_p, chosen(log_p, mean_weight, penalty), penalty).mean()


@pytest.mark.parametrize(("penalty", "mean_weight", "alpha", "weights"), GOLDEN)
def test_b3_golden_table(penalty, mean_weight, alpha, weights):
    log_alpha = chosen(np.log(GOLDEN_P), mean_weight, penalty)
    np.testing.assert_allclose(np.exp(log_alpha), alpha, rtol=1e-9)
    found = weigh(np.log(GOLDEN_P), log_alpha, penalty)
    np.testing.assert_allclose(found, weights, rtol=0, atol=1e-8)


@penalties
@given(log_probabilities(), mean_weights)
def test_b3_the_mean_weight_is_the_one_asked_for(penalty, log_p, mean_weight):
    np.testing.assert_allclose(reached(log_p, mean_weight, penalty), mean_weight, rtol=0, atol=1e-9)


@penalties
@pytest.mark.parametrize("n", [20, 40, 100])
@pytest.mark.parametrize("n_far", [1, 2, 5])
def test_b3_far_outliers_that_are_exactly_the_fraction_to_give_up(penalty, n, n_far):
    log_p = np.random.RandomState(0).uniform(-2, 0, n)
    log_p[:n_far] = -1e4
    log_alpha = chosen(log_p, 0.95, penalty)
    assert np.isfinite(log_alpha)
    np.testing.assert_allclose(reached(log_p, 0.95, penalty), 0.95, rtol=0, atol=1e-9)


@pytest.mark.parametrize("log_p", [-900.0, 0.0, 30.0])
def test_b3_equal_rows_get_equal_weights(log_p):
    rows = np.full(7, log_p)
    # L1: alpha = mean_weight / p; L2: alpha = target² / ((1 - mean_weight) p²), 18.05 for p = 1.
    np.testing.assert_allclose(
        chosen(rows, 0.95, "l1"), np.log(0.95) - log_p, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(chosen(rows, 0.95, "l2"), np.log(18.05) - 2 * log_p, rtol=1e-9)
    for penalty in ("l1", "l2"):
        log_alpha = chosen(rows, 0.95, penalty)
        weights = weigh(rows, log_alpha, penalty)
        np.testing.assert_allclose(weights, 0.95, rtol=0, atol=1e-9)


@given(log_probabilities(), mean_weights)
def test_b4_the_bracket_holds(log_p, mean_weight):
    low, high = compute_l2_bracket(log_p, mean_weight)
    assert np.all(weigh(log_p, low, "l2") <= mean_weight + 1e-9)
    assert np.all(weigh(log_p, high, "l2") >= mean_weight - 1e-9)


@given(log_probabilities(low=-50), mean_weights, st.floats(-40, 40))
def test_b7_a_constant_added_to_log_p_only_shifts_log_alpha(log_p, mean_weight, constant):
    for penalty, power in [("l1", 1), ("l2", 2)]:
        here = chosen(log_p, mean_weight, penalty)
        there = chosen(log_p + constant, mean_weight, penalty)
        for_both = weigh(log_p, here, penalty)
        shifted = weigh(log_p, there + power * constant, penalty)
        np.testing.assert_allclose(shifted, for_both, rtol=0, atol=1e-9)


@penalties
@given(log_probabilities(low=-50, max_size=12), mean_weights, st.data())
def test_sample_weights_count_rows(penalty, log_p, mean_weight, data):
    counts = data.draw(hnp.arrays(int, len(log_p), elements=st.integers(0, 4)))
    assume(counts.any())
    weighted = chosen(log_p, mean_weight, penalty, counts)
    repeated = chosen(np.repeat(log_p, counts), mean_weight, penalty)
    np.testing.assert_allclose(
        weigh(log_p, weighted, penalty),
        weigh(log_p, repeated, penalty),
        rtol=0,
        atol=1e-8,
    )


@penalties
def test_impossible_rows_are_given_up_first(penalty):
    log_p = np.array([-np.inf, -1.0, -0.5, -0.2, 0.0])
    np.testing.assert_allclose(reached(log_p, 0.7, penalty), 0.7, rtol=0, atol=1e-9)


def test_l1_can_spend_all_it_gives_up_on_impossible_rows():
    log_p = np.array([-np.inf, -1.0, -0.5, -0.2, 0.0])
    weights = weigh(log_p, chosen(log_p, 0.8, "l1"), "l1")
    np.testing.assert_allclose(weights, [0, 1, 1, 1, 1], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("penalty", "mean_weight"), [("l1", 0.81), ("l2", 0.8)])
def test_too_many_impossible_rows_get_a_sentence(penalty, mean_weight):
    log_p = [-np.inf, -1.0, -0.5, -0.2, 0.0]
    sentence = r"1 of 5 rows have probability zero.*mean_weight below 0.8"
    with pytest.raises(ValueError, match=sentence):
        chosen(log_p, mean_weight, penalty)
