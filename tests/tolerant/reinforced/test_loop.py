import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from errata.exceptions import SuspicionWarning
from errata.tolerant import (
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
    reinforcement_weights,
)
from errata.tolerant.reinforced._kernel_ridge import solve_curve
from errata.tolerant.reinforced._linear import solve_line
from errata.tolerant.reinforced._loop import (
    Degenerate,
    choose_log_alpha,
    clean_scale,
    compute_abnormality,
    compute_gaussian_log_density,
    compute_l2_bracket,
    compute_reinforced_log_likelihood,
    compute_reinforcements,
    compute_scale_floor,
    compute_triangle,
    estimate_scale,
    log_reinforced,
    reinforce,
    weigh,
)
from strategies import log_probabilities, seeds

X = np.append(np.random.RandomState(0).standard_normal(40), [9.0, 11.0])

ONES = np.ones(len(X))


def run(maximise, sample_weight=ONES, **changes):
    how = {"penalty": "l1", "log_alpha": None, "mean_weight": 0.95, "max_iter": 100, "tol": 1e-6}
    ones = np.ones(len(sample_weight))
    return reinforce(maximise, **(how | changes), sample_weight=sample_weight, w_init=ones)


def gaussian(x):
    """A Gaussian with its mean and width, the example of section 3.4, as the loop wants it."""

    def maximise(weights, _):
        mean = np.average(x, weights=weights)
        scale = np.sqrt(np.average((x - mean) ** 2, weights=weights))
        return (mean, scale), compute_gaussian_log_density(x - mean, scale), 0.0

    return maximise


fit_gaussian = gaussian(X)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_weights_and_parameters_belong_to_each_other(penalty):
    (mean, scale), log_p, weights, log_alpha, _, converged = run(fit_gaussian, penalty=penalty)
    assert converged
    np.testing.assert_array_equal(log_p, compute_gaussian_log_density(X - mean, scale))
    np.testing.assert_array_equal(weights, weigh(log_p, log_alpha, penalty))
    assert weights.mean() == pytest.approx(0.95, abs=1e-9)
    # A fixed point: fitting with these weights gives these parameters again.
    np.testing.assert_allclose(fit_gaussian(weights, None)[0], (mean, scale), rtol=1e-5)


@pytest.mark.parametrize("penalty", ["l1", "l2", "l1/2"])
@pytest.mark.parametrize("log_alpha", [-1.0, 1.0, 3.0, 6.0])
def test_b6_the_objective_never_falls(penalty, log_alpha):
    *_, objective, _ = run(fit_gaussian, penalty=penalty, log_alpha=log_alpha)
    assert np.all(np.diff(objective) >= -1e-10)


def test_a_fit_that_may_start_from_the_last_one_is_given_it():
    starts = []

    def maximise(weights, start):
        starts.append(start)
        return len(starts), fit_gaussian(weights, None)[1], 0.0

    run(maximise)
    assert starts == [None, *range(1, len(starts))]


def test_the_reinforcement_is_kept_half_way():
    plain = fit_gaussian(ONES, None)[1]

    def maximise(weights, count):
        """A model that never comes to rest: its densities swing from fit to fit."""
        count = (count or 0) + 1
        return count, plain * (1 if count % 2 else 1.5), 0.0

    with pytest.warns(ConvergenceWarning, match="after 6 iterations the weights still move by"):
        params, _, weights, log_alpha, objective, converged = run(maximise, max_iter=6)
    assert (params, len(objective), converged) == (6, 6, False)
    assert log_alpha == choose_log_alpha(plain, ONES, 0.95, "l1")  # of the third fit
    np.testing.assert_array_equal(weights, weigh(plain * 1.5, log_alpha, "l1"))  # of the sixth


def test_a_degenerate_fit_keeps_the_one_before():
    def maximise(weights, count):
        if count == 2:
            raise Degenerate("nobody is left")
        return (count or 0) + 1, fit_gaussian(weights, None)[1], 0.0

    with pytest.warns(SuspicionWarning, match="nobody is left; keeping the fit before that"):
        params, *_, converged = run(maximise)
    assert params == 2
    assert not converged


def test_a_reinforcement_that_leaves_no_weight_keeps_the_plain_fit():
    with pytest.warns(SuspicionWarning, match="reinforcement is so small that no row keeps any"):
        params, *_, objective, _ = run(fit_gaussian, log_alpha=-2000.0)
    assert params == fit_gaussian(ONES, None)[0]
    assert len(objective) == 1


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_sample_weights_count_rows(penalty):
    counts = np.random.RandomState(3).randint(0, 4, len(X))
    repeated = np.repeat(X, counts)
    alike = run(gaussian(repeated), np.ones(len(repeated)), penalty=penalty)
    found = run(fit_gaussian, 1.0 * counts, penalty=penalty)
    np.testing.assert_allclose(found[0], alike[0], rtol=1e-9)
    np.testing.assert_allclose(np.repeat(found[2], counts), alike[2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found[4], alike[4], rtol=1e-9)  # nor do empty rows delay the end


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_b6_with_the_scale_held_fixed_a_penalised_line_never_falls_either(penalty):
    random = np.random.RandomState(0)
    X = random.standard_normal((40, 2))
    y = X @ [1, -2] + 0.5 * random.standard_normal(40)
    y[:4] += 8
    scale, alpha = 0.5, 3.0

    def maximise(weights, _):
        coef, intercept, _ = solve_line(X, y, weights, alpha=alpha, fit_intercept=True)
        prior = -alpha * (coef @ coef) / (2 * scale**2)
        return coef, compute_gaussian_log_density(y - X @ coef - intercept, scale), prior

    *_, objective, _ = run(maximise, np.ones(40), penalty=penalty, log_alpha=2.0, tol=1e-8)
    assert len(objective) > 2
    assert np.all(np.diff(objective) >= -1e-10)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_b6_with_the_scale_held_fixed_a_curve_never_falls_either(penalty):
    random = np.random.RandomState(0)
    x = np.sort(random.uniform(0, 3, 25))[:, None]
    y = np.sin(2 * x[:, 0]) + 0.2 * random.standard_normal(25)
    y[::6] += 2
    K, scale, alpha = rbf_kernel(x, gamma=10), 0.3, 0.2

    def maximise(weights, _):
        dual_coef, _, residuals = solve_curve(K, y, weights, alpha=alpha)
        prior = -alpha * (dual_coef @ K @ dual_coef) / (2 * scale**2)
        return None, compute_gaussian_log_density(residuals, scale), prior

    *_, objective, _ = run(maximise, np.ones(25), penalty=penalty, log_alpha=1.0)
    assert len(objective) > 2
    assert np.all(np.diff(objective) >= -1e-10)


# Reinforcing a Gaussian on clean normal data, by an independent prototype on 200 001 quantiles.
CLEAN = [
    ("l1", 0.90, 0.8055),
    ("l1", 0.95, 0.8799),
    ("l1", 0.99, 0.9635),
    ("l2", 0.90, 0.8503),
    ("l2", 0.95, 0.9062),
    ("l2", 0.99, 0.9701),
]


@pytest.mark.parametrize(("penalty", "mean_weight", "expected"), CLEAN)
def test_b10_what_clean_data_lose(penalty, mean_weight, expected):
    assert clean_scale(mean_weight, penalty) == pytest.approx(expected, abs=1e-3)


def test_density_is_the_normal_one():
    residuals = np.array([-3.0, 0.0, 0.1, 40.0])
    expected = norm.logpdf(residuals, scale=0.2)
    np.testing.assert_allclose(compute_gaussian_log_density(residuals, 0.2), expected, rtol=1e-13)


def test_the_scale_is_weighted_and_has_a_floor():
    residuals, weights = np.array([1.0, -2.0, 3.0]), np.array([1.0, 0.5, 0.0])
    assert estimate_scale(residuals, weights, floor=0.1) == pytest.approx(np.sqrt(3 / 1.5))
    assert estimate_scale(residuals, weights, floor=7.0) == 7
    assert estimate_scale(residuals, weights, floor=0, shrinkage=3.0) == 2


@pytest.mark.parametrize(
    ("y", "expected"),
    [([0.0, 2.0], 1e-8), ([5.0, 5.0], 5e-8), ([0.0, 0.0], 1e-8), ([0.1] * 3, 1e-9)],
)
def test_the_floor_follows_the_unit_of_the_response(y, expected):
    assert compute_scale_floor(np.array(y), np.ones(len(y))) == pytest.approx(expected)


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


def search_root(p, alpha):
    """Omega(r) = 2 sqrt(r), the counter-example of the paper, by brute force over sqrt(r)."""
    root = np.linspace(0, 1, 200_001) / alpha
    return root[np.argmax(np.log(p + root**2) - 2 * alpha * root)] ** 2


@pytest.mark.parametrize("alpha", [4.0, 12.0, 40.0])
def test_b2_a_concave_penalty_breaks_the_second_theorem(alpha):
    jump = 0.6476 / (4 * alpha**2)  # the paper prints 0.65
    p = jump * np.array([0.99, 0.999, 1.001, 1.01])
    r = compute_reinforcements(np.log(p), np.log(alpha), "l1/2")
    assert r[1] > 0.1 / alpha**2
    assert r[2:].tolist() == [0, 0]
    reinforced = np.exp(log_reinforced(np.log(p), np.log(alpha), "l1/2"))
    assert np.all(np.diff(reinforced)[:2] < 0)  # likelier, and ends lower
    assert np.all(np.diff(weigh(np.log(p), np.log(alpha), "l1/2")) >= 0)  # its weight does not


@pytest.mark.parametrize("alpha", [0.5, 4.0, 40.0])
@pytest.mark.parametrize("place", [1e-6, 0.1, 0.5, 0.64, 0.66, 2.0, 50.0])
def test_l_half_is_found_by_brute_force(alpha, place):
    p = place / (4 * alpha**2)
    log_p = np.log([p])
    r = search_root(p, alpha)
    found = compute_reinforcements(log_p, np.log(alpha), "l1/2")
    np.testing.assert_allclose(found, r, rtol=2e-4, atol=0)
    np.testing.assert_allclose(weigh(log_p, np.log(alpha), "l1/2"), p / (p + r), rtol=2e-4)
    reinforced = np.exp(log_reinforced(log_p, np.log(alpha), "l1/2"))
    np.testing.assert_allclose(reinforced, p + found, rtol=1e-12)
    objective = compute_reinforced_log_likelihood(log_p, np.log(alpha), "l1/2")
    best = np.log(p + r) - 2 * alpha * np.sqrt(r)
    np.testing.assert_allclose(objective, best, rtol=0, atol=1e-8)


@pytest.mark.parametrize("log_p", [-1e5, -np.inf])
def test_l_half_needs_no_digits_of_what_underflows(log_p):
    log_p = np.array([log_p, 0.0])
    assert weigh(log_p, 3.0, "l1/2").tolist() == [0, 1]
    np.testing.assert_allclose(compute_reinforcements(log_p, 3.0, "l1/2"), [np.exp(-6), 0])
    degree = compute_abnormality(np.array([-9.0, 1.0, 2.0]), 1.0, "l1/2")
    assert degree[0] > degree[1] > degree[2] > 0


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


@given(log_probabilities(), mean_weights)
def test_l_half_takes_the_least_alpha_with_which_the_mean_weight_is_no_smaller(log_p, mean_weight):
    log_alpha = chosen(log_p, mean_weight, "l1/2")
    assert weigh(log_p, log_alpha, "l1/2").mean() >= mean_weight - 1e-9
    below = log_alpha - 1e-9 * (1 + abs(log_alpha))
    assert weigh(log_p, below, "l1/2").mean() < mean_weight + 1e-9


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
def test_sample_weights_count_rows_of_a_mean_weight(penalty, log_p, mean_weight, data):
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


P = np.array([0.01, 0.1, 0.5, 0.8, 1.0])


def test_a_number_is_the_constant_of_the_paper():
    # (12) and (17) by hand: min(1, 5 p) and 2z / (z + sqrt(z² + 4)) with z = p sqrt(9).
    weights = reinforcement_weights(np.log(P), reinforcement=5)
    np.testing.assert_allclose(weights, [0.05, 0.5, 1, 1, 1], rtol=1e-12)
    z = 3 * P
    weights = reinforcement_weights(np.log(P), reinforcement=9, reinforcement_penalty="l2")
    np.testing.assert_allclose(weights, 2 * z / (z + np.sqrt(z**2 + 4)), rtol=1e-12)
    assert reinforcement_weights(np.log(P), reinforcement=np.inf).tolist() == [1] * 5


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_auto_reaches_the_mean_weight(penalty):
    how = {"reinforcement_penalty": penalty, "mean_weight": 0.7}
    assert reinforcement_weights(np.log(P), **how).mean() == pytest.approx(0.7, abs=1e-9)
    counts = np.array([3, 1, 0, 2, 1])
    weights = reinforcement_weights(np.log(P), sample_weight=counts, **how)
    assert np.average(weights, weights=counts) == pytest.approx(0.7, abs=1e-9)
    assert reinforcement_weights(np.log(P)).mean() == pytest.approx(0.95, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"log_p": [0.0, np.nan]}, r"log_p\[1\] = nan is not the logarithm of a probability"),
        ({"log_p": [np.inf]}, r"log_p\[0\] = inf"),
        ({"log_p": []}, r"one number per row, but its shape is \(0,\)"),
        ({"log_p": [[0.0]]}, r"its shape is \(1, 1\)"),
        ({"reinforcement": np.nan}, "reinforcement=nan must be a number above 0"),
        ({"reinforcement": 0}, "reinforcement=0 must be a number above 0"),
        ({"reinforcement_penalty": "l3"}, "reinforcement_penalty='l3' is not known; choose from"),
        ({"sample_weight": [1, 2, 3]}, r"one number for each of the 2 rows.*\(3,\)"),
        ({"sample_weight": [1, -1]}, r"sample_weight\[1\] = -1.0 is not a weight; .* at least 0"),
        ({"sample_weight": [1, np.nan]}, r"sample_weight\[1\] = nan"),
        ({"sample_weight": [0, 0]}, "sample_weight is zero everywhere"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        reinforcement_weights(**({"log_p": [0.0, -1.0]} | arguments))


@pytest.mark.parametrize("mean_weight", [0, 1, 1.5, -0.1, np.nan, "most", None])
def test_a_mean_weight_outside_0_and_1_gets_a_sentence(mean_weight):
    with pytest.raises(ValueError, match=r"mean_weight=.* must be"):
        reinforcement_weights([0.0, -1.0], mean_weight=mean_weight)


@pytest.fixture
def block_rows(monkeypatch):
    def set_to(rows):
        monkeypatch.setattr("errata.tolerant.reinforced._loop.BLOCK_ROWS", rows)
        monkeypatch.setattr("errata.tolerant._softmax.BLOCK_ROWS", rows)

    return set_to


@given(seeds, st.integers(1, 40), st.integers(1, 6), st.booleans())
def test_it_holds_the_weighted_moments(seed, n, d, ones):
    random = np.random.RandomState(seed)
    X, y, weights = (
        random.standard_normal((n, d)),
        random.standard_normal(n),
        random.uniform(size=n),
    )
    R = compute_triangle([X, y], weights, ones=ones)
    Z = np.column_stack([np.ones((n, int(ones))), X, y])
    np.testing.assert_allclose(R.T @ R, Z.T @ (weights[:, None] * Z), rtol=0, atol=1e-12)
    assert R.shape == (min(n, Z.shape[1]), Z.shape[1])
    np.testing.assert_allclose(R, np.triu(R), rtol=0, atol=1e-13)


def test_the_corner_below_the_ones_belongs_to_centred_columns():
    random = np.random.RandomState(0)
    X, weights = random.standard_normal((30, 3)) + 1e4, random.uniform(size=30)
    R = compute_triangle([X], weights)
    mean = np.average(X, axis=0, weights=weights)
    np.testing.assert_allclose(R[0, 1:] / R[0, 0], mean, rtol=1e-13)
    scatter = (X - mean).T @ (weights[:, None] * (X - mean))
    np.testing.assert_allclose(R[1:, 1:].T @ R[1:, 1:], scatter, rtol=0, atol=1e-9)


@pytest.mark.parametrize("rows", [9, 50, 101])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_b11_any_blocks_give_the_same_results(block_rows, rows, penalty):
    random = np.random.RandomState(0)
    X = random.standard_normal((200, 4)) * [1, 10, 2, 1] + 5
    y = X @ [1, -1, 2, 0] + random.standard_normal(200)
    y[:5] += 30
    many = np.digitize(X[:, 0] + random.standard_normal(200), [4.5, 5.5])

    def results():
        line = ReinforcedLinearRegression(reinforcement_penalty=penalty).fit(X, y)
        axes = ReinforcedPCA(2, reinforcement_penalty=penalty).fit(X)
        two = ReinforcedLogisticRegression(reinforcement_penalty=penalty).fit(X, many > 0)
        three = ReinforcedLogisticRegression(reinforcement_penalty=penalty, C=10).fit(X, many)
        return [
            *(line.coef_, line.weights_, axes.components_, axes.noise_variance_, axes.weights_),
            *(two.coef_, two.weights_, three.coef_, three.weights_),
        ]

    whole = results()
    block_rows(rows)
    for ours, expected in zip(results(), whole, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)
