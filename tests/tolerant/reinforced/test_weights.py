import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from errata.tolerant.reinforced._weights import (
    compute_abnormality,
    compute_reinforced_log_likelihood,
    compute_reinforcements,
    log_reinforced,
    weigh,
)
from strategies import log_probabilities

OMEGA = {"l1": lambda r: r, "l2": lambda r: r**2 / 2}
SLOPE = {"l1": lambda r: 1.0, "l2": lambda r: r}
penalties = pytest.mark.parametrize("penalty", ["l1", "l2"])


def best_reinforcement(p, alpha, penalty):
    """Where log(p + r) - alpha Omega(r) stops rising, found numerically."""

    def rise(r):
        return 1 / (p + r) - alpha * SLOPE[penalty](r)

    return 0.0 if rise(0) <= 0 else brentq(rise, 0, 100, xtol=1e-14)


@penalties
@pytest.mark.parametrize("alpha", [0.5, 3.0, 40.0, 2000.0])
@pytest.mark.parametrize("p", [1e-4, 0.02, 0.3, 1.0, 5.0])
def test_b1_closed_forms_maximise_the_objective(penalty, alpha, p):
    log_p, log_alpha = np.log([p]), np.log(alpha)
    r = best_reinforcement(p, alpha, penalty)
    found = compute_reinforcements(log_p, log_alpha, penalty)
    np.testing.assert_allclose(found, r, rtol=0, atol=1e-10)
    reinforced = np.exp(log_reinforced(log_p, log_alpha, penalty))
    np.testing.assert_allclose(reinforced, p + r, rtol=0, atol=1e-10)
    weight = weigh(log_p, log_alpha, penalty)
    np.testing.assert_allclose(weight, p / (p + r), rtol=0, atol=1e-10)
    objective = compute_reinforced_log_likelihood(log_p, log_alpha, penalty)
    best = np.log(p + r) - alpha * OMEGA[penalty](r)
    np.testing.assert_allclose(objective, best, rtol=0, atol=1e-10)


@penalties
def test_b1_formulas_are_those_of_the_paper(penalty):
    p, alpha = np.geomspace(1e-6, 10, 200)[:, None], np.geomspace(1e-2, 1e6, 30)
    r = {
        "l1": np.maximum(1 / alpha - p, 0),  # (12)
        "l2": (-p + np.sqrt(p**2 + 4 / alpha)) / 2,  # (17)
    }[penalty]
    for column, a in enumerate(alpha):
        log_p, log_alpha = np.log(p[:, 0]), np.log(a)
        expected = r[:, column]
        np.testing.assert_allclose(
            compute_reinforcements(log_p, log_alpha, penalty), expected, rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            np.exp(log_reinforced(log_p, log_alpha, penalty)), p[:, 0] + expected, rtol=1e-10
        )
        np.testing.assert_allclose(
            weigh(log_p, log_alpha, penalty),
            p[:, 0] / (p[:, 0] + expected),  # (34)
            rtol=1e-10,
        )


def test_b1_l2_weight_at_one_is_the_golden_ratio_less_one():
    weight = weigh(np.array([0.0]), 0.0, "l2")
    np.testing.assert_allclose(weight, (np.sqrt(5) - 1) / 2, rtol=1e-15)


def test_b2_the_bound_holds_everywhere_and_touches_at_the_old_parameters():
    random = np.random.RandomState(0)
    p, p_old, r = np.exp(random.uniform(-12, 4, size=(3, 10_000)))
    w = p_old / (p_old + r)

    def bound(p):
        return w * np.log(p / p_old) + np.log(p_old + r)

    assert np.min(np.log(p + r) - bound(p)) >= -1e-12
    np.testing.assert_allclose(bound(p_old), np.log(p_old + r), rtol=0, atol=1e-12)
    # Tangent: the slopes in log p are p / (p + r) and w.
    np.testing.assert_allclose(p_old / (p_old + r), w, rtol=1e-15)


@penalties
@given(log_probabilities(low=-300), st.floats(-50, 50))
def test_b2_likelier_rows_get_no_more_and_end_no_lower(penalty, log_p, log_alpha):
    order = np.argsort(log_p)
    r = compute_reinforcements(log_p, log_alpha, penalty)[order]
    assert np.all(np.diff(r) <= 1e-12 * r[:-1])  # theorem 1
    assert np.all(np.diff(log_reinforced(log_p, log_alpha, penalty)[order]) >= -1e-12)  # theorem 2
    weights = weigh(log_p, log_alpha, penalty)
    assert np.all(np.diff(weights[order]) >= -1e-14)
    assert np.all((weights >= 0) & (weights <= 1))


@pytest.mark.parametrize("alpha", [4.0, 12.0, 40.0])
def test_b2_a_concave_penalty_breaks_the_second_theorem(alpha):
    # Omega(r) = 2 sqrt(r), the counter-example of the paper, by brute force over sqrt(r).
    root = np.linspace(0, 1, 200_001) / alpha

    def best(p):
        return root[np.argmax(np.log(p + root**2) - 2 * alpha * root)] ** 2

    jump = 0.6476 / (4 * alpha**2)  # the paper prints 0.65
    assert best(jump * 1.001) == 0
    assert best(jump * 0.999) > 0.1 / alpha**2
    assert jump * 0.99 + best(jump * 0.99) > jump * 1.01 + best(jump * 1.01)


@pytest.mark.parametrize(
    ("penalty", "alpha"), [("l1", 25), ("l2", 625), ("l1", 1e2), ("l1", 1e3), ("l1", 1e4)]
)
def test_the_tails_of_figures_1_2_and_7(penalty, alpha):
    # Figure 7: 1/25 = 625**-0.5 = 0.04. Figure 1: thresholds 1e-2, 1e-3, 1e-4.
    tail = np.exp(log_reinforced(np.array([-700.0]), np.log(alpha), penalty))
    np.testing.assert_allclose(tail, 1 / alpha if penalty == "l1" else alpha**-0.5, rtol=1e-12)


@pytest.mark.parametrize("log_p", [-1e5, -800.0, -np.inf])
@penalties
def test_what_underflows_is_not_a_special_case(penalty, log_p):
    log_p, log_alpha = np.array([log_p, 0.0]), 3.0
    assert weigh(log_p, log_alpha, penalty)[0] == 0
    expected = np.exp(-3.0 if penalty == "l1" else -1.5)
    np.testing.assert_allclose(
        compute_reinforcements(log_p, log_alpha, penalty)[0], expected, rtol=1e-12
    )
    assert np.all(np.isfinite(compute_reinforced_log_likelihood(log_p, log_alpha, penalty)))


def test_densities_beyond_the_largest_float_are_not_a_special_case():
    log_p = np.array([790.0, 810.0])  # of rows in many dimensions, or in a tiny unit
    assert compute_reinforcements(log_p, -800.0, "l1").tolist() == [np.inf, 0]
    np.testing.assert_allclose(weigh(log_p, -800.0, "l1"), [np.exp(-10), 1], rtol=1e-12)


@penalties
def test_an_infinite_alpha_reinforces_nothing(penalty):
    log_p = np.array([-1e5, -1.0, 40.0])
    assert weigh(log_p, np.inf, penalty).tolist() == [1, 1, 1]
    assert compute_reinforcements(log_p, np.inf, penalty).tolist() == [0, 0, 0]
    np.testing.assert_array_equal(compute_reinforced_log_likelihood(log_p, np.inf, penalty), log_p)


@penalties
@given(log_probabilities(low=-30, high=10))
def test_abnormality_is_one_minus_the_weight_and_ranks_like_the_likelihood(penalty, log_p):
    degree = compute_abnormality(log_p, 1.0, penalty)
    weights = weigh(log_p, 1.0, penalty)
    np.testing.assert_allclose(degree, 1 - weights, rtol=0, atol=1.001e-6)
    assert np.all(np.diff(degree[np.argsort(log_p)]) <= 1e-15)
    assert np.all((degree >= 0) & (degree <= 1))


def test_abnormality_tells_rows_of_full_weight_apart():
    degree = compute_abnormality(np.array([1.0, 2.0, 3.0]), 1.0, "l1")
    assert degree[0] > degree[1] > degree[2] > 0
