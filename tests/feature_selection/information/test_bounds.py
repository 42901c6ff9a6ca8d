import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import entr

from errata.feature_selection.information import (
    discrete_information,
    failure_statistics,
    fano_lower,
    hellman_raviv_upper,
    imbalance,
    is_conclusive,
    loss_bound,
    sample_discrete_features,
)
from strategies import seeds

HALF = [0.5, 0.5]

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
