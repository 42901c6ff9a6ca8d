import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import entr
from scipy.stats import differential_entropy, norm

from errata.feature_selection.information import (
    compute_gaussian_uncertainty,
    discrete_information,
    failure_statistics,
    fano_lower,
    hellman_raviv_upper,
    imbalance,
    information_gap_needed,
    is_conclusive,
    loss_bound,
    make_noisy_sine,
    regression_entropy,
    regression_error,
    regression_scale,
    sample_discrete_features,
    sample_gaussian_features,
    sample_random_problems,
)
from strategies import seeds

MODULE = "errata.feature_selection.information"

HALF = [0.5, 0.5]

ESANN_PRIOR = [0.316, 0.684]


@pytest.mark.parametrize(
    ("prior", "conditional", "error", "information"),
    [
        (HALF, [[0.287, 0.758], [0.713, 0.242]], 0.26450, 0.16696),
        # The paper prints 0.217, which takes 5e-5 where it prints 0.001: the next line.
        (HALF, [[0.627, 0.999], [0.373, 0.001]], 0.31400, 0.21298),
        (HALF, [[0.627, 1 - 5e-5], [0.373, 5e-5]], 0.31352, 0.21728),
        (ESANN_PRIOR, [[0.417, 0.104], [0.583, 0.896]], 0.25536, 0.08864),
        (ESANN_PRIOR, [[0.991, 0.479], [0.009, 0.521]], 0.31600, 0.23548),
    ],
)
def test_the_examples_of_the_papers(prior, conditional, error, information):
    found = discrete_information(prior, conditional)
    assert found.error == pytest.approx(error, abs=1e-4)
    assert found.mutual_information == pytest.approx(information, abs=1e-4)


def test_the_posteriors_of_the_papers_follow_from_the_same_tables():
    # Printed (.275 .725), (.746 .254) and (.385 .615), (.999 .001).
    for conditional, posteriors in [
        ([[0.287, 0.758], [0.713, 0.242]], [[0.2746, 0.7254], [0.7466, 0.2534]]),
        ([[0.627, 0.999], [0.373, 0.001]], [[0.3856, 0.6144], [0.9973, 0.0027]]),
    ]:
        of_value = np.mean(conditional, axis=1)
        expected = of_value @ (1 - np.max(posteriors, axis=1))
        assert discrete_information(HALF, conditional).error == pytest.approx(expected, abs=1e-4)
        logs = -(posteriors * np.log2(posteriors)).sum(axis=1)
        found = discrete_information(HALF, conditional).conditional_entropy
        assert found == pytest.approx(of_value @ logs, abs=5e-4)


def test_a_feature_that_tells_all_and_one_that_tells_nothing():
    prior = [0.2, 0.3, 0.5]
    all_, nothing = discrete_information(prior, np.stack([np.eye(3), np.full((3, 3), 1 / 3)])), 0
    h = -np.sum(prior * np.log2(prior))
    np.testing.assert_allclose(all_.mutual_information, [h, nothing], rtol=0, atol=1e-12)
    np.testing.assert_allclose(all_.error, [0, 0.5], rtol=0, atol=1e-12)
    assert np.all(all_.conditional_entropy >= 0)


@given(seeds, st.integers(2, 5), st.integers(2, 6))
def test_many_features_are_each_as_if_alone_and_names_do_not_matter(seed, n_classes, n_values):
    random = np.random.default_rng(seed)
    prior = random.dirichlet(np.ones(n_classes))
    tables = random.dirichlet(np.ones(n_values), size=(3, n_classes)).swapaxes(1, 2)
    together = discrete_information(prior, tables)
    classes, values = random.permutation(n_classes), random.permutation(n_values)
    for i, table in enumerate(tables):
        renamed = discrete_information(prior[classes], table[values][:, classes])
        np.testing.assert_allclose(renamed, [each[i] for each in together], rtol=0, atol=1e-12)


def test_tables_that_are_no_distributions_are_refused():
    with pytest.raises(ValueError, match="each column of conditional must hold probabilities"):
        discrete_information(HALF, [[0.3, 0.7], [0.4, 0.6]])
    with pytest.raises(ValueError, match="prior must hold probabilities that sum to 1"):
        discrete_information([0.5, np.nan], np.eye(2))
    with pytest.raises(ValueError, match=r"its shape is \(3, 3\) and prior has shape \(2,\)"):
        discrete_information(HALF, np.eye(3))


# Means over two million features (computed for this test, with another program).
@pytest.mark.parametrize(
    ("n_values", "alpha", "information", "error"),
    [(2, 4, 0.0434, 0.4048), (8, 1, 0.2479, 0.2666), (128, 0.06, 0.8691, 0.0393)],
)
def test_features_are_as_hard_as_those_of_the_paper(n_values, alpha, information, error):
    found = sample_discrete_features(10_000, n_values=n_values, alpha=alpha, random_state=0)
    assert found.mutual_information.mean() == pytest.approx(information, abs=0.003)
    assert found.error.mean() == pytest.approx(error, abs=0.003)
    assert found.error.shape == (10_000, 2)


@pytest.mark.parametrize("sample", [sample_discrete_features, sample_random_problems])
def test_draws_repeat_and_do_not_depend_on_the_blocks(sample, monkeypatch):
    whole = sample(500, random_state=3)
    assert not np.array_equal(sample(500, random_state=4).error, whole.error)
    monkeypatch.setattr(f"{MODULE}._BLOCK", 1000)
    np.testing.assert_allclose(sample(500, random_state=3), whole, rtol=0, atol=1e-12)


def test_a_tiny_alpha_underflows_and_still_gives_distributions():
    found = sample_discrete_features(2000, n_values=2, alpha=1e-3, random_state=0)
    assert np.isfinite(found.mutual_information).all()
    # In the limit a class has one value: each of both with equal chance, so half are all telling.
    assert found.mutual_information.mean() == pytest.approx(0.5, abs=0.04)


def by_one_loop(n_pairs, n_values, seed):
    """Failures and ties of random problems with a shared prior, as slowly as can be."""
    random = np.random.default_rng(seed)
    failures = ties = 0
    for _ in range(n_pairs):
        prior = random.random(2)
        prior /= prior.sum()
        (h1, e1), (h2, e2) = (entropy_and_error(prior, n_values, random) for _ in range(2))
        ties += abs(e1 - e2) < 1e-12
        failures += abs(e1 - e2) >= 1e-12 and (h1 < h2) == (e1 > e2)
    return failures / n_pairs, ties / n_pairs


def entropy_and_error(prior, n_values, random):
    joint = random.random((n_values, 2))
    joint = joint / joint.sum(axis=0) * prior
    posterior = joint / joint.sum(axis=1, keepdims=True)
    return -(joint * np.log2(posterior)).sum(), 1 - joint.max(axis=1).sum()


@pytest.mark.parametrize("n_values", [2, 4])
def test_random_problems_fail_as_often_as_in_a_plain_loop(n_values):
    problems = sample_random_problems(100_000, n_values=n_values, random_state=0)
    found = failure_statistics(problems.mutual_information, problems.error)
    failures, ties = by_one_loop(5000, n_values, seed=1)
    # Four standard errors of the loop.
    assert found.failure_rate == pytest.approx(failures, abs=4 * np.sqrt(failures / 5000))
    assert found.tie_rate == pytest.approx(ties, abs=4 * np.sqrt(ties / 5000))


def test_with_priors_of_their_own_nearly_half_of_the_pairs_fail():
    problems = sample_random_problems(100_000, shared_prior=False, random_state=0)
    found = failure_statistics(problems.mutual_information, problems.error)
    assert found.failure_rate == pytest.approx(0.425, abs=0.006)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="n_pairs=0 must be a whole number at least 1"):
        sample_discrete_features(0)
    with pytest.raises(ValueError, match="alpha=0 must be a finite number above 0"):
        sample_discrete_features(10, alpha=0)
    with pytest.raises(ValueError, match="n_values=1 must be a whole number at least 2"):
        sample_random_problems(10, n_values=1)


def by_quad(means, widths):
    """Entropy in bits and error by adaptive quadrature, cut at every class."""

    def densities(x):
        return norm.pdf(x, means, widths) / 3

    def entropy(x):
        joint = densities(x)
        kept = joint[joint > 0]
        return -(kept * np.log2(kept / joint.sum())).sum()

    ends = np.sort(np.concatenate([means + z * widths for z in (-9, -3, -1, 0, 1, 3, 9)]))
    parts = list(itertools.pairwise(ends))
    return (
        sum(quad(entropy, a, b)[0] for a, b in parts),
        1 - sum(quad(lambda x: densities(x).max(), a, b)[0] for a, b in parts),
    )


@pytest.mark.parametrize("separation", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("widths", [(1, 1, 1), (0.3, 1.2, 2.5), (2, 0.02, 0.8), (0.05, 3, 0.4)])
def test_entropy_and_error_are_those_of_adaptive_quadrature(separation, widths):
    means, widths = separation * np.array([-1, 0, 1.0]), np.array(widths, dtype=float)
    found = np.ravel(compute_gaussian_uncertainty(means, widths[None], 100))
    np.testing.assert_allclose(found, by_quad(means, widths), rtol=0, atol=5e-4)
    finer = np.ravel(compute_gaussian_uncertainty(means, widths[None], 1000))
    np.testing.assert_allclose(finer, by_quad(means, widths), rtol=0, atol=2e-5)


def test_one_distribution_for_all_classes_tells_nothing():
    entropy, error = compute_gaussian_uncertainty(np.zeros(3), np.ones((1, 3)), 10)
    assert entropy[0] == pytest.approx(np.log2(3), abs=1e-12)
    assert error[0] == pytest.approx(2 / 3, abs=1e-12)


# Means over 240 000 features (computed for this test, with another rule of integration).
@pytest.mark.parametrize(
    ("separation", "information", "error"),
    [(0.5, 0.4231, 0.3874), (2, 1.0429, 0.1587), (4, 1.4179, 0.0440)],
)
def test_gaussian_features_are_as_hard_as_those_of_the_paper(separation, information, error):
    found = sample_gaussian_features(20_000, separation=separation, n_nodes=40, random_state=0)
    # Four standard errors of the mean of 40 000 features, whose spread is below 0.35 and 0.15.
    assert found.mutual_information.mean() == pytest.approx(information, abs=0.007)
    assert found.error.mean() == pytest.approx(error, abs=0.003)


@pytest.mark.parametrize("n_nodes", [2, 5, 100])
def test_bounds_hold_exactly_however_few_the_points_are(n_nodes):
    found = sample_gaussian_features(1000, n_nodes=n_nodes, random_state=0)
    assert np.all(fano_lower(found.conditional_entropy, 3) <= found.error + 1e-12)
    assert np.all(found.error <= found.conditional_entropy / 2 + 1e-12)


def test_gaussian_draws_repeat_and_do_not_depend_on_the_blocks(monkeypatch):
    whole = sample_gaussian_features(100, n_nodes=20, random_state=3)
    monkeypatch.setattr(f"{MODULE}._QUADRATURE_BLOCK", 700)
    again = sample_gaussian_features(100, n_nodes=20, random_state=3)
    np.testing.assert_allclose(again, whole, rtol=0, atol=1e-12)


def test_gaussian_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="separation=0 must be a finite number above 0"):
        sample_gaussian_features(10, separation=0)
    with pytest.raises(ValueError, match="n_nodes=1 must be a whole number at least 2"):
        sample_gaussian_features(10, n_nodes=1)


# Tables of section 3.2 of Frénay and others: Neurocomputing 112 (2013), and ESANN 2012.
STUDY = {
    "X1": discrete_information(HALF, [[0.287, 0.758], [0.713, 0.242]]),
    "X2": discrete_information(HALF, [[0.627, 0.999], [0.373, 0.001]]),
}

ESANN = {
    "X1": discrete_information([0.316, 0.684], [[0.417, 0.104], [0.583, 0.896]]),
    "X2": discrete_information([0.316, 0.684], [[0.991, 0.479], [0.009, 0.521]]),
}


@pytest.mark.parametrize(
    ("n_classes", "entropy", "expected"),
    [
        (2, 0.5, 0.110028),
        (3, 0.5, 0.083973),
        (3, 1.0, 0.227092),
        (10, 1.0, 0.135182),
        (10, 2.0, 0.339372),
        (3, np.log2(3), 2 / 3),
        (2, 0.0, 0.0),
        (2, 1.0, 0.5),
    ],
)
def test_the_inverse_of_fano_has_known_values(n_classes, entropy, expected):
    assert fano_lower(entropy, n_classes) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_inverse_is_one_to_the_last_digits(n_classes):
    errors = np.linspace(0, 1 - 1 / n_classes, 101)
    # Fano's inequality: the largest entropy in bits at a given error.
    nats = entr(errors) + entr(1 - errors) + errors * np.log(n_classes - 1)
    found = fano_lower(nats / np.log(2), n_classes)
    # Near its end the curve is flat: an entropy to 1e-16 gives an error to 1e-8.
    np.testing.assert_allclose(found[:95], errors[:95], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found, errors, rtol=0, atol=1e-7)
    ends = fano_lower([-1e-12, 0, np.log2(n_classes), np.log2(n_classes) + 1e-10], n_classes)
    np.testing.assert_array_equal(ends, [0, 0, 1 - 1 / n_classes, 1 - 1 / n_classes])


def test_the_weak_bound_is_a_line_and_says_nothing_of_two_classes():
    np.testing.assert_array_equal(fano_lower([0, 0.5, 1], 2, weak=True), 0)
    np.testing.assert_allclose(
        fano_lower([0.5, 1, 2], 5, weak=True), [0, 0, 0.5], rtol=0, atol=1e-12
    )


@given(st.integers(3, 12), st.floats(0, 1))
def test_the_weak_bound_is_below_the_strong_one(n_classes, part):
    h = part * np.log2(n_classes)
    assert fano_lower(h, n_classes, weak=True) <= fano_lower(h, n_classes) + 1e-9


def test_half_the_entropy_is_the_upper_bound_and_may_be_capped():
    np.testing.assert_array_equal(hellman_raviv_upper([0, 0.5, 1.5]), [0, 0.25, 0.75])
    np.testing.assert_array_equal(hellman_raviv_upper([0.5, 1.5], 3), [0.25, 0.75])
    capped = hellman_raviv_upper([0.5, 1.5], 3, cap=True)
    np.testing.assert_allclose(capped, [0.25, 2 / 3], rtol=0, atol=1e-12)


@pytest.mark.parametrize("bound", [fano_lower, hellman_raviv_upper])
def test_a_number_gives_a_number_and_an_array_an_array(bound):
    assert np.ndim(bound(0.5, 2)) == 0
    assert bound(np.full((2, 3), 0.5), 2).shape == (2, 3)


@given(seeds, st.integers(2, 6), st.integers(2, 6), st.sampled_from([0.1, 1, 5]))
def test_errors_of_random_tables_lie_between_the_bounds(seed, n_classes, n_values, alpha):
    random = np.random.default_rng(seed)
    prior = random.dirichlet(np.ones(n_classes))
    tables = random.dirichlet(np.full(n_values, alpha), size=(2, n_classes)).swapaxes(1, 2)
    found = discrete_information(prior, tables)
    h, error = np.minimum(found.conditional_entropy, np.log2(n_classes)), found.error
    assert np.all(fano_lower(h, n_classes) <= error + 1e-9)
    assert np.all(error <= hellman_raviv_upper(h, n_classes) + 1e-9)
    chosen, other = np.argsort(h)
    bound = loss_bound(
        found.mutual_information[chosen], h[0] + found.mutual_information[0], n_classes
    )
    assert error[chosen] - error[other] <= bound + 1e-9
    if is_conclusive(h[chosen], h[other], n_classes):
        assert error[chosen] < error[other]


@pytest.mark.parametrize("n_classes", range(2, 11))
def test_the_loss_bound_has_a_known_maximum(n_classes):
    most = np.log2(n_classes)
    grid = np.linspace(0, most, 2001)
    near = grid[loss_bound(grid, most, n_classes).argmax()]
    found = minimize_scalar(
        lambda i: -loss_bound(i, most, n_classes),
        bounds=(max(0, near - 0.01), min(most, near + 0.01)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert -found.fun == pytest.approx(np.log2(n_classes + 3) / 2 - 1, abs=1e-9)
    at = fano_lower(most - found.x, n_classes)
    assert at == pytest.approx((n_classes - 1) / (n_classes + 3), abs=1e-4)


def test_the_loss_bound_is_concave_and_vanishes_at_the_ends_for_two_equal_classes():
    bound = loss_bound(np.linspace(0, 1, 501), 1.0, 2)
    assert bound[0] == bound[-1] == 0
    assert np.all(np.diff(bound, 2) <= 1e-12)
    assert loss_bound(1 - 0.721928, 1.0, 2) == pytest.approx(0.160964, abs=1e-6)


def test_bounds_of_the_worked_example_of_2013():
    h1, h2 = (STUDY[name].conditional_entropy for name in ("X1", "X2"))
    assert fano_lower(h1, 2) == pytest.approx(0.26422, abs=1e-4)
    assert hellman_raviv_upper(h2) == pytest.approx(0.39351, abs=1e-4)
    assert not is_conclusive(h2, h1, 2)
    assert is_conclusive(2 * 0.252, h1, 2)  # X3, of which the paper prints half the entropy
    assert loss_bound(STUDY["X2"].mutual_information, 1.0, 2) == pytest.approx(0.15828, abs=1e-3)
    assert STUDY["X2"].error - STUDY["X1"].error == pytest.approx(0.0495, abs=1e-3)


def test_the_printed_bound_needs_a_smaller_probability_than_the_printed_one():
    printed = discrete_information(HALF, [[0.627, 1 - 5e-5], [0.373, 5e-5]])
    assert hellman_raviv_upper(printed.conditional_entropy) == pytest.approx(0.39136, abs=1e-4)


def test_bounds_of_the_worked_example_of_2012():
    h1, h2 = (ESANN[name].conditional_entropy for name in ("X1", "X2"))
    assert fano_lower(h1, 2) == pytest.approx(0.25004, abs=1e-4)
    assert hellman_raviv_upper(h2) == pytest.approx(0.33225, abs=1e-4)
    assert not is_conclusive(h2, h1, 2)
    assert is_conclusive(2 * 0.249, h1, 2)


def test_entropies_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match=r"1\.1 bits is more than 2 classes can have"):
        fano_lower([0.5, 1.1], 2)
    with pytest.raises(ValueError, match="pass it in bits, not in nats"):
        hellman_raviv_upper(1.1, 2)
    with pytest.raises(ValueError, match="entropy is NaN somewhere"):
        fano_lower([0.5, np.nan], 2)
    with pytest.raises(ValueError, match="n_classes=1 must be a whole number at least 2"):
        fano_lower(0.5, 1)
    with pytest.raises(ValueError, match="cap=True needs n_classes"):
        hellman_raviv_upper(0.5, cap=True)


# A right choice, a failure that costs 0.1, one that costs 0.3, equal errors, equal information.
INFORMATION = np.array([[0.5, 0.2], [0.6, 0.4], [0.1, 0.3], [0.5, 0.2], [0.4, 0.4]])

ERROR = np.array([[0.1, 0.3], [0.3, 0.2], [0.1, 0.4], [0.2, 0.2], [0.1, 0.3]])


def test_a_failure_is_more_information_and_more_errors():
    found = failure_statistics(INFORMATION, ERROR)
    assert found.n_pairs == 5
    assert found.failing.tolist() == [False, True, True, False, False]
    assert found.selected.tolist() == [0, 0, 1, 0, 0]
    assert (found.failure_rate, found.published_convention) == (0.4, 0.2)
    assert found.tie_rate == 0.2
    np.testing.assert_allclose(found.losses, [0.1, 0.3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.gaps, [0.2, 0.2], rtol=0, atol=1e-12)
    assert found.loss_95 == pytest.approx(0.1 + 0.95 * 0.2, abs=1e-12)


def test_small_failures_are_left_out_where_that_is_asked_for():
    assert failure_statistics(INFORMATION, ERROR, min_loss=0.2).failing.sum() == 1
    assert failure_statistics(INFORMATION, ERROR, min_gap=0.3).failing.sum() == 0


def test_differences_of_rounding_are_none():
    found = failure_statistics([[0.5, 0.5 - 1e-14], [0.5, 0.3]], [[0.3, 0.2], [0.2 + 1e-14, 0.2]])
    assert not found.failing.any()
    assert np.isnan(found.loss_95)
    assert found.tie_rate == 0.5


def test_bins_are_those_of_the_selected_feature():
    found = failure_statistics(
        INFORMATION, ERROR, information_bins=[0, 0.35, 0.55, 1], error_bins=[0, 0.25, 0.35, 1]
    )
    assert found.by_information.pairs.tolist() == [1, 3, 1]
    assert found.by_information.failures.tolist() == [1, 0, 1]
    assert found.by_information.features.tolist() == [4, 5, 1]
    np.testing.assert_array_equal(found.by_information.published_convention(), [1 / 4, 0, 1])
    assert found.by_error.pairs.tolist() == [3, 1, 1]
    assert found.by_error.failures.tolist() == [0, 1, 1]
    np.testing.assert_array_equal(found.by_information.probability(), [1, 0, 1])
    empty = failure_statistics(INFORMATION, ERROR, information_bins=[0, 0.01, 1])
    assert np.isnan(empty.by_information.probability()[0])


@given(seeds, st.integers(1, 50))
def test_the_order_within_pairs_does_not_matter(seed, n_pairs):
    random = np.random.default_rng(seed)
    information, error = random.random((2, n_pairs, 2))
    one = failure_statistics(information, error)
    other = failure_statistics(information[:, ::-1], error[:, ::-1])
    np.testing.assert_array_equal(one.failing, other.failing)
    np.testing.assert_array_equal(one.losses, other.losses)
    assert one.by_error.failures.sum() == one.failing.sum()


def test_no_loss_is_above_its_bound():
    features = sample_discrete_features(50_000, random_state=0)
    found = failure_statistics(features.mutual_information, features.error)
    chosen = features.mutual_information.max(axis=1)[found.failing]
    assert np.all(found.losses <= loss_bound(chosen, 1.0, 2) + 1e-12)


def test_per_feature_failures_are_rare_at_both_ends_and_per_pair_at_one():
    features = sample_discrete_features(50_000, n_values=2, alpha=4, random_state=0)
    found = failure_statistics(
        features.mutual_information, features.error, information_bins=[0, 0.0007, 0.05, 0.3, 1]
    )
    low, middle, high, highest = found.by_information.published_convention()
    assert low < 0.5 * middle
    assert highest < 0.5 * high < 0.5 * middle
    assert found.by_information.probability()[0] > 0.8 * found.by_information.probability()[1]


# The published rates are half of these; see docs/evidence/reproductions/mi-failures.md.
@pytest.mark.parametrize(
    ("n_values", "alpha", "half_rate", "loss_95"), [(2, 4, 0.6, 1.5), (8, 1, 4.6, 4.3)]
)
def test_published_rates_come_out(n_values, alpha, half_rate, loss_95):
    features = sample_discrete_features(200_000, n_values=n_values, alpha=alpha, random_state=0)
    found = failure_statistics(features.mutual_information, features.error)
    assert 100 * found.published_convention == pytest.approx(half_rate, abs=0.1)
    assert 100 * found.loss_95 == pytest.approx(loss_95, abs=0.1)


def test_what_is_no_list_of_pairs_is_refused():
    with pytest.raises(ValueError, match=r"their shapes are \(3,\) and \(3,\)"):
        failure_statistics(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match=r"shapes are \(5, 2\) and \(4, 2\)"):
        failure_statistics(INFORMATION, ERROR[:4])
    with pytest.raises(ValueError, match="there is no pair of features"):
        failure_statistics(np.empty((0, 2)), np.empty((0, 2)))
    with pytest.raises(ValueError, match="NaN or infinite somewhere"):
        failure_statistics(INFORMATION, np.where(ERROR == 0.4, np.nan, ERROR))
    with pytest.raises(ValueError, match="bins=0 must be a whole number at least 1"):
        failure_statistics(INFORMATION, ERROR, information_bins=0)


# Table 1 of Frénay and others (2014), and the class counts of the sets in the UCI repository.
TABLE_1 = {
    "ecoli": ([143, 77, 52, 35, 20], 0.13, 0.1320),
    "glass": ([70, 76, 29], 0.12, 0.1193),
    "page": ([4913, 329, 28, 88, 115], 0.35, 0.3493),
    "vertebral": ([150, 100, 60], 0.12, 0.1188),
    "wall robot": ([2205, 826, 2097, 328], 0.15, 0.1480),
    "wine": ([59, 71, 48], 0.05, 0.0528),
    "yeast": ([463, 429, 244, 163], 0.10, 0.0964),
}


@pytest.mark.parametrize(("counts", "printed", "computed"), TABLE_1.values(), ids=TABLE_1.keys())
def test_the_table_of_the_paper(counts, printed, computed):
    found = imbalance(np.repeat(np.arange(len(counts)), counts))
    assert found == pytest.approx(printed, abs=5e-3)
    assert found == pytest.approx(computed, abs=5e-5)


def test_balanced_labels_have_none_and_names_do_not_matter():
    assert imbalance(["a", "b", "a", "b"]) == 0
    assert imbalance([0, 0, 1]) == imbalance(["x", "y", "x"])


def test_one_row_of_a_second_class_is_nearly_the_most():
    y = np.repeat([0, 1], [9999, 1])
    assert imbalance(y) == pytest.approx(np.sqrt(1) / 2, abs=1e-3)


def test_missing_labels_are_refused():
    with pytest.raises(ValueError, match="contains NaN or None"):
        imbalance([0.0, 1.0, np.nan])


SHAPES = {
    "uniform": {},
    "laplace": {},
    "gaussian": {},
    "student": {"df": 2.3},
    "two_gaussians": {"ratio": 3.0},
}

DISTRIBUTIONS = {
    "uniform": lambda s: stats.uniform(-s / 2, s),
    "laplace": lambda s: stats.laplace(scale=s),
    "gaussian": lambda s: stats.norm(scale=s),
    "student": lambda s: stats.t(2.3, scale=s),
}


# At H = 0: closed forms, evaluated independently.
@pytest.mark.parametrize(
    ("family", "df", "mse", "mae"),
    [
        ("uniform", None, 0.083333, 0.250000),
        ("laplace", None, 0.067668, 0.183940),
        ("gaussian", None, 0.058550, 0.193065),
        ("student", 2.3, 0.176109, 0.192469),
        ("student", 3, 0.086437, 0.187167),
        ("student", 5, 0.064301, 0.186405),
        ("student", 30, 0.058654, 0.191520),
    ],
)
def test_errors_at_entropy_zero_and_above(family, df, mse, mae):
    assert regression_error(0, family, df=df) == pytest.approx(mse, abs=1e-6)
    assert regression_error(0, family, "mae", df=df) == pytest.approx(mae, abs=1e-6)
    h = np.array([-1, 0.1, 2])
    np.testing.assert_allclose(
        regression_error(h, family, df=df), mse * np.exp(2 * h), rtol=1e-5, atol=0
    )
    np.testing.assert_allclose(
        regression_error(h, family, "mae", df=df), mae * np.exp(h), rtol=1e-5, atol=0
    )


@pytest.mark.parametrize(
    ("family", "df", "scale"),
    [
        ("uniform", None, 1.105171),
        ("laplace", None, 0.203285),
        ("gaussian", None, 0.267419),
        ("student", 2.3, 0.167501),
        ("student", 5, 0.217077),
        ("student", 30, 0.258582),
    ],
)
def test_scales_of_the_figures(family, df, scale):
    assert regression_scale(0.1, family, df=df) == pytest.approx(scale, abs=1e-6)


@pytest.mark.parametrize("family", DISTRIBUTIONS)
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_entropy_and_errors_are_those_of_the_distribution(family, scale):
    distribution, shape = DISTRIBUTIONS[family](scale), SHAPES[family]
    entropy = regression_entropy(scale, family, **shape)
    assert entropy == pytest.approx(distribution.entropy(), abs=1e-9)
    mse, mae = (regression_error(entropy, family, c, **shape) for c in ("mse", "mae"))
    assert mse == pytest.approx(distribution.var(), rel=1e-9)
    # 20 is beyond the support, or far into the tails, which are heavy for 2.3 degrees.
    tail = scale * 1e7 if family == "student" else 20 * scale
    knots = np.append(0, np.geomspace(1e-3 * scale, tail, 60))
    mean = 2 * sum(stats_quad(distribution, a, b) for a, b in itertools.pairwise(knots))
    assert mae == pytest.approx(mean, rel=1e-6)


def stats_quad(distribution, low, high):
    """Integral of x p(x) by Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x = (high - low) / 2 * nodes + (high + low) / 2
    edge = distribution.support()[1]
    if low < edge < high:  # a jump is no polynomial
        return stats_quad(distribution, low, edge)
    return (high - low) / 2 * np.sum(weights * x * distribution.pdf(x))


def test_two_gaussians_are_as_equations_13_and_14_have_them():
    s1, h = 0.2, 0.1
    s2 = np.exp(2 * h) / (2 * np.pi * np.e * s1)
    ratio = s2 / s1
    assert regression_entropy(s1, "two_gaussians", ratio=ratio) == pytest.approx(h, abs=1e-12)
    mse = (s1**2 + np.exp(4 * h) / (4 * np.pi**2 * np.e**2 * s1**2)) / 2
    mae = (s1 + np.exp(2 * h) / (2 * np.pi * np.e * s1)) / np.sqrt(2 * np.pi)
    assert regression_error(h, "two_gaussians", ratio=ratio) == pytest.approx(mse, rel=1e-12)
    assert regression_error(h, "two_gaussians", "mae", ratio=ratio) == pytest.approx(mae, rel=1e-12)


@pytest.mark.parametrize("family", SHAPES)
@given(scale=st.floats(1e-3, 1e3))
def test_scale_and_entropy_are_inverse(family, scale):
    entropy = regression_entropy(scale, family, **SHAPES[family])
    assert regression_scale(entropy, family, **SHAPES[family]) == pytest.approx(scale, rel=1e-12)


@given(st.floats(2.01, 1e6), st.floats(0.01, 100), st.floats(-3, 3))
def test_no_error_leaves_the_admissible_region(df, ratio, entropy):
    lower = {
        "mse": np.exp(2 * entropy) / (2 * np.pi * np.e),
        "mae": np.exp(entropy) / (2 * np.e),
    }
    for criterion, least in lower.items():
        for family, shape in SHAPES.items():
            given_shape = {"df": df} if "df" in shape else {"ratio": ratio} if shape else {}
            found = regression_error(entropy, family, criterion, **given_shape)
            assert found >= least * (1 - 1e-9)


def test_infinitely_many_degrees_of_freedom_are_gaussian_and_many_nearly_so():
    for criterion in ("mse", "mae"):
        gauss = regression_error(0.1, "gaussian", criterion)
        assert regression_error(0.1, "student", criterion, df=np.inf) == pytest.approx(gauss, 1e-14)
        # The difference falls with 1/df: nothing is lost to rounding on the way.
        df = np.geomspace(500, 1e14, 300)
        off = np.abs(regression_error(0.1, "student", criterion, df=df) / gauss - 1)
        assert np.all(off < 1 / df + 1e-14)


def test_closed_form_and_series_of_student_meet():
    at = [999.999999, 1000.000001]
    for value in (
        regression_scale(0.1, "student", df=at),
        regression_error(0.1, "student", df=at),
        regression_error(0.1, "student", "mae", df=at),
    ):
        assert value[0] == pytest.approx(value[1], rel=1e-11)


def test_mean_absolute_errors_are_least_near_four_degrees_of_freedom():
    df = np.linspace(1.5, 30, 28_501)
    mae = regression_error(0, "student", "mae", df=df)
    assert df[mae.argmin()] == pytest.approx(3.99, abs=0.01)
    assert mae.min() == pytest.approx(0.186046, abs=1e-6)


@pytest.mark.parametrize(("criterion", "gap"), [("mse", 0.50376), ("mae", 0.03201)])
def test_mutual_information_fails_below_the_gap_and_not_above(criterion, gap):
    heavy, light = regression_error(0, "student", criterion, df=[2.3, 5])
    found = information_gap_needed(heavy, light, criterion=criterion)
    assert found == pytest.approx(gap, abs=1e-5)
    assert information_gap_needed(light, heavy, criterion=criterion) == 0
    for factor, fails in [(0.99, True), (1.01, False)]:
        entropies = np.array(
            [[0.2, 0.2 - factor * gap]]
        )  # the second is selected, with heavy tails
        errors = regression_error(entropies, "student", criterion, df=[5, 2.3])
        assert failure_statistics(-entropies, errors).failing.all() == fails


@pytest.mark.parametrize("family", SHAPES)
def test_within_one_family_and_shape_nothing_fails(family):
    entropies = np.random.default_rng(0).normal(size=(1000, 2))
    for criterion in ("mse", "mae"):
        errors = regression_error(entropies, family, criterion, **SHAPES[family])
        assert not failure_statistics(-entropies, errors).failing.any()


def test_what_has_no_finite_error_or_no_sense_is_refused():
    with pytest.raises(ValueError, match=r"df=2 leaves no finite mse for family='student'"):
        regression_error(0, "student", df=[3, 2])
    with pytest.raises(ValueError, match="df=1 leaves no finite mae"):
        regression_error(0, "student", "mae", df=1)
    with pytest.raises(ValueError, match="family='student' needs df"):
        regression_entropy(1, "student")
    with pytest.raises(ValueError, match="df belongs to family='student', not to 'gaussian'"):
        regression_entropy(1, "gaussian", df=3)
    with pytest.raises(ValueError, match="ratio=-1 must be above 0"):
        regression_scale(1, "two_gaussians", ratio=-1)
    with pytest.raises(ValueError, match="family='cauchy' is not known"):
        regression_scale(1, "cauchy")
    with pytest.raises(ValueError, match="criterion='rmse' is not known"):
        regression_error(0, "uniform", "rmse")
    with pytest.raises(ValueError, match="scale must be above 0"):
        regression_entropy(0, "uniform")
    with pytest.raises(ValueError, match="must be errors above 0"):
        information_gap_needed(1.0, 0.0)


CASES = {
    "uniform": {},
    "laplace": {},
    "gaussian": {},
    "student": {"df": 5.0},
    "two_gaussians": {"ratio": 4.0},
}


@pytest.mark.parametrize("family", CASES)
def test_errors_have_the_entropy_asked_for_and_the_errors_that_follow(family):
    X, y = make_noisy_sine(40_000, family=family, entropy=0.1, **CASES[family], random_state=0)
    error = y - np.sin(X[:, 0])
    # Rows of the two Gaussians are told apart by their sign: H(Y|X) is the mean of both.
    halves = [error[X[:, 0] < 0], error[X[:, 0] >= 0]]
    assert np.mean([differential_entropy(half) for half in halves]) == pytest.approx(0.1, abs=0.02)
    mse, mae = (regression_error(0.1, family, c, **CASES[family]) for c in ("mse", "mae"))
    assert np.mean(error**2) == pytest.approx(mse, rel=0.06)
    assert np.mean(np.abs(error)) == pytest.approx(mae, rel=0.02)


def test_infinitely_many_degrees_of_freedom_are_drawn_as_gauss():
    student = make_noisy_sine(50, family="student", df=np.inf, random_state=0)
    gauss = make_noisy_sine(50, family="gaussian", random_state=0)
    np.testing.assert_allclose(student[1], gauss[1], rtol=0, atol=1e-12)


def test_draws_repeat_and_x_covers_one_period():
    X, y = make_noisy_sine(1000, random_state=1)
    np.testing.assert_array_equal(make_noisy_sine(1000, random_state=1)[1], y)
    assert X.shape == (1000, 1)
    assert np.abs(X).max() == pytest.approx(np.pi, abs=0.05)


def test_a_number_of_rows_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="n_samples=0 must be a whole number at least 1"):
        make_noisy_sine(0)
