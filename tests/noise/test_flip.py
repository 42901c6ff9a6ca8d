import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import norm
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from errata.exceptions import NoiseWarning
from errata.noise import (
    NoiseModel,
    boundary_flip_proba,
    density_flip_proba,
    flip_labels,
    gaussian_flip_proba,
    reference_proba,
    region_flip_proba,
)
from strategies import label_arrays, rates, seeds, transitions

pytestmark = pytest.mark.filterwarnings("ignore::errata.exceptions.NoiseWarning")


class Draws(np.random.RandomState):
    """A random state that hands out given numbers."""

    def __init__(self, *draws):
        super().__init__()
        self.draws = list(draws)

    def random_sample(self, n):
        return np.array(self.draws.pop(0))


def test_worked_example_with_given_draws():
    # Worked out by hand: u decides who leaves (u < 1 - T[y, y]), v where to.
    T = [[0.8, 0.15, 0.05], [0.1, 0.9, 0], [0.05, 0.05, 0.9]]
    draws = Draws([0.10, 0.50, 0.05, 0.95], [0.80, 0.20, 0.30, 0.50])
    noisy, flipped = flip_labels([0, 0, 1, 2], transition=T, exact=False, random_state=draws)
    assert noisy.tolist() == [2, 0, 0, 2]
    assert flipped.tolist() == [True, False, True, False]


def test_exact_fraction_is_rounded_to_the_nearest_row():
    _, flipped = flip_labels([0, 1] * 5, 0.25, random_state=0)
    assert flipped.sum() == 3


def test_exact_transition_rounds_by_largest_remainder():
    # 7 * [.8, .15, .05] = [5.6, 1.05, .35]: 5 + 1 + 0, and the missing one to the largest rest.
    y = [0] * 7 + [1, 2]
    T = [[0.8, 0.15, 0.05], [0, 1, 0], [0, 0, 1]]
    noisy, _ = flip_labels(y, transition=T, random_state=0)
    assert np.bincount(noisy[:7], minlength=3).tolist() == [6, 1, 0]
    assert noisy[7:].tolist() == [1, 2]


@given(label_arrays(), rates, st.booleans(), seeds)
def test_flipped_says_exactly_where_labels_differ(y, rate, exact, seed):
    before = y.copy()
    noisy, flipped = flip_labels(y, rate, exact=exact, random_state=seed)
    np.testing.assert_array_equal(flipped, noisy != y)
    np.testing.assert_array_equal(y, before)
    assert noisy.dtype == y.dtype
    assert set(noisy) <= set(y)
    if exact:
        assert flipped.sum() == int(np.floor(rate * len(y) + 0.5))


@given(label_arrays(), st.data(), seeds)
def test_number_of_flips_is_exact(y, data, seed):
    count = data.draw(st.integers(0, len(y)))
    assert flip_labels(y, n_flips=count, random_state=seed)[1].sum() == count


@given(label_arrays(), st.booleans(), seeds)
def test_no_noise_changes_nothing(y, exact, seed):
    k = len(set(y))
    for kind in [
        {"rate": 0.0},
        {"transition": np.eye(k)},
        {"flip_proba": np.zeros(len(y))},
    ]:
        noisy, flipped = flip_labels(y, exact=exact, random_state=seed, **kind)
        np.testing.assert_array_equal(noisy, y)
        assert not flipped.any()


@given(label_arrays(), rates, rates, st.booleans(), seeds)
def test_a_lower_rate_flips_a_subset_to_the_same_labels(y, one, other, exact, seed):
    low, high = sorted([one, other])
    few, flipped_few = flip_labels(y, low, exact=exact, random_state=seed)
    many, flipped_many = flip_labels(y, high, exact=exact, random_state=seed)
    assert np.all(flipped_many[flipped_few])
    np.testing.assert_array_equal(few[flipped_few], many[flipped_few])


@given(label_arrays(), rates, seeds)
def test_a_constant_probability_is_a_rate(y, rate, seed):
    by_rate = flip_labels(y, rate, exact=False, random_state=seed)
    by_row = flip_labels(y, flip_proba=np.full(len(y), rate), random_state=seed)
    np.testing.assert_array_equal(by_rate[0], by_row[0])


@given(transitions(), st.integers(20, 80), seeds)
def test_exact_transition_counts_are_within_one_of_what_was_asked(T, n, seed):
    k = len(T)
    y = np.random.RandomState(seed).randint(k, size=n)
    noisy, _ = flip_labels(y, transition=T, classes=range(k), random_state=seed)
    for c in range(k):
        counts = np.bincount(noisy[y == c], minlength=k)
        assert np.all(np.abs(counts - (y == c).sum() * T[c]) < 1 + 1e-9)
        assert np.all(counts[T[c] == 0] == 0)


@given(transitions(), seeds)
def test_impossible_labels_are_never_drawn(T, seed):
    y = np.random.RandomState(seed).randint(len(T), size=200)
    noisy, _ = flip_labels(y, transition=T, classes=range(len(T)), exact=False, random_state=seed)
    assert np.all(T[y, noisy] > 0)


@pytest.mark.parametrize("seed", range(3))
def test_drawn_rates_are_as_asked_within_four_standard_deviations(seed):
    n, rate = 100_000, 0.3
    _, flipped = flip_labels(np.arange(n) % 4, rate, exact=False, random_state=seed)
    assert abs(flipped.mean() - rate) < 4 * np.sqrt(rate * (1 - rate) / n)


@pytest.mark.parametrize("exact", [True, False])
def test_joint_table_of_classes_and_labels_is_the_models(exact):
    model = NoiseModel([[0.8, 0.15, 0.05], [0.1, 0.9, 0], [0.05, 0.05, 0.9]], prior=[5, 3, 2])
    y = np.repeat([0, 1, 2], [50_000, 30_000, 20_000])
    noisy, _ = model.sample(y, exact=exact, random_state=0)
    joint = np.array([[np.mean((y == c) & (noisy == q)) for q in range(3)] for c in range(3)])
    np.testing.assert_allclose(joint, model.joint, rtol=0, atol=1e-4 if exact else 4e-3)


def test_wrong_labels_are_uniform_over_the_other_classes():
    y = np.zeros(60_000, dtype=int)
    noisy, _ = flip_labels(y, 0.5, classes=range(4), random_state=0)
    counts = np.bincount(noisy)[1:]
    np.testing.assert_allclose(counts, 10_000, rtol=0, atol=4 * np.sqrt(10_000))


def test_target_decides_the_wrong_label_and_can_keep_a_row_right():
    y = [0, 0, 1, 1]
    runner_up = [[9, 0, 1], [9, 1, 0], [1, 9, 0], [0, 9, 0]]
    noisy, flipped = flip_labels(
        y, flip_proba=np.ones(4), target=runner_up, classes=[0, 1, 2], random_state=0
    )
    assert noisy.tolist() == [2, 1, 0, 1]
    assert flipped.tolist() == [True, True, True, False]


def test_named_classes_of_a_model_are_matched_by_name_not_by_order():
    model = NoiseModel([[0, 1], [0, 1]], classes=["b", "a"])  # every b becomes an a
    noisy, _ = flip_labels(["a", "b", "b"], transition=model, random_state=0)
    assert noisy.tolist() == ["a", "a", "a"]


def test_longer_class_names_are_not_cut_off():
    noisy, _ = flip_labels(["a", "a"], 1.0, classes=["a", "elephant"], random_state=0)
    assert noisy.tolist() == ["elephant", "elephant"]


def test_a_table_of_one_column_is_a_column():
    noisy, flipped = flip_labels(np.array([[0], [1], [0], [1]]), 0.25, random_state=0)
    assert noisy.shape == flipped.shape == (4,)


def test_pandas_and_polars_series_are_accepted():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    series = pandas.Series(["x", "y", "x", "y"], index=[7, 8, 9, 10], dtype="category")
    noisy, flipped = flip_labels(series, 0.5, random_state=0)
    assert flipped.sum() == 2
    assert set(noisy) <= {"x", "y"}


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({}, "exactly one of rate.*got none"),
        ({"rate": 0.1, "n_flips": 2}, "got rate and n_flips"),
        ({"rate": 1.5}, r"rate=1.5 must be a number between 0 and 1"),
        ({"rate": -0.1}, r"rate=-0.1 must be a number between 0 and 1"),
        ({"rate": float("nan")}, r"rate=nan must be a number between 0 and 1"),
        ({"rate": "much"}, r"rate='much' must be a number"),
        ({"n_flips": 99}, "n_flips=99 must be a whole number between 0 and 4"),
        ({"transition": [[0.5, 0.4], [0, 1]]}, "row 0 of the transition matrix sums to 0.9"),
        ({"transition": [[1.5, -0.5], [0, 1]]}, r"transition\[0, 1\] = -0.5 is not a probability"),
        ({"transition": np.eye(3)}, "for 3 classes, but there are 2"),
        ({"transition": [1, 2]}, r"shape \(2,\)"),
        ({"flip_proba": [0.1, 0.2]}, "one probability per row, 4"),
        ({"flip_proba": [0, 0, 0, 2.0]}, r"flip_proba\[3\] = 2.0 is not a probability"),
        ({"flip_proba": [0, np.nan, 0, -0.1]}, r"flip_proba\[1\] = nan is not a probability"),
        ({"flip_proba": [0, 0, 0, -0.1]}, r"flip_proba\[3\] = -0.1 is not a probability"),
        ({"flip_proba": [1] * 4, "target": [[1, 1]]}, r"target must have shape \(4, 2\)"),
        ({"flip_proba": [1] * 4, "target": -np.ones((4, 2))}, "a weight that is negative or not"),
        ({"rate": 0.1, "target": np.ones((4, 2))}, "target belongs to flip_proba"),
        ({"n_flips": 1, "exact": False}, "n_flips is an exact number"),
        ({"rate": 0.1, "classes": [0, 2]}, "holds the label 1, which is not among the classes"),
        ({"rate": 0.1, "classes": [0, 1, 1]}, "names a class twice"),
    ],
)
def test_bad_requests_get_a_sentence(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        flip_labels([0, 1, 0, 1], **how)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([], "y is empty"),
        ([0, 0, 0], "one class only, so there is no wrong label"),
        (["a", None, "b"], "1 row without a label .the first is row 1"),
        ([0.0, 1.0, float("nan")], "the first is row 2"),
        ([0.5, 1.25, 3.7], "Unknown label type: y holds numbers with fractions"),
        ([["a", "b"], ["c", "d"]], r"one label per row, but its shape is \(2, 2\)"),
        (np.array(["a", 1], dtype=object), "mixes labels of several kinds .int, str."),
    ],
)
def test_bad_labels_get_a_sentence(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        flip_labels(y, 0.5)


@pytest.mark.parametrize(
    "how",
    [
        {"rate": 0.5},
        {"rate": 0.5, "exact": False},
        {"n_flips": 2},
        {"transition": [[0.5, 0.5], [0, 1]]},
    ],
)
def test_noise_that_drowns_the_labels_is_warned_of_where_it_is_asked_for(how):
    with pytest.warns(NoiseWarning, match="no longer point to the class") as caught:
        flip_labels([0, 1, 0, 1], **how)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (0.25, [0.571429, 0.285714, 0.142857, 0]),  # 1 / 1.75 times the shape
        (0.5, [1, 0.666667, 0.333333, 0]),  # the first saturates; 1 / 0.75 for the others
    ],
)
def test_boundary_noise_worked_example(rate, expected):
    shape = np.array([1, 0.5, 0.25, 0])
    proba = np.c_[1 - shape / 2, shape / 2]
    np.testing.assert_allclose(boundary_flip_proba(proba, rate), expected, rtol=0, atol=1e-6)


def test_a_rate_out_of_reach_is_refused_with_the_largest_possible():
    with pytest.raises(ValueError, match=r"rate=0.8 is out of reach: at most 0.75"):
        boundary_flip_proba([[0.5, 0.5], [0.75, 0.25], [0.875, 0.125], [1, 0]], 0.8)


@given(
    hnp.arrays(float, st.integers(1, 30), elements=st.floats(0, 1, width=16)),
    st.floats(0, 1, allow_subnormal=False),
)
def test_scaling_reaches_the_mean_keeps_the_order_and_stays_a_probability(shape, wish):
    rate = wish * np.count_nonzero(shape) / len(shape)
    p = boundary_flip_proba(np.c_[1 - shape / 2, shape / 2], rate)
    assert p.mean() == pytest.approx(rate, abs=1e-9)
    assert np.all((p >= 0) & (p <= 1))
    order = np.argsort(shape)
    assert np.all(np.diff(p[order]) >= -1e-12)
    inside = (p < 1) & (shape > 0)
    if inside.any():  # one factor for all rows that are not saturated
        assert np.ptp(p[inside] / shape[inside]) <= 1e-9 * np.max(p[inside] / shape[inside]) + 1e-12


def test_boundary_noise_of_a_fitted_classifier_crowds_the_boundary():
    X, y = make_moons(600, noise=0.2, random_state=0)
    proba = reference_proba(X, y, GaussianNB(), random_state=0)
    p = boundary_flip_proba(proba, 0.15, sharpness=3)
    assert p.mean() == pytest.approx(0.15, abs=1e-9)
    certain = proba.max(axis=1) > 0.95
    assert p[certain].mean() < 0.2 * p[~certain].mean()
    _, flipped = flip_labels(y, flip_proba=p, target=proba, random_state=0)
    assert 0.1 < flipped.mean() < 0.2


def test_reference_probabilities_are_out_of_sample():
    # Labels independent of the features: a model that saw its rows would look far too sure.
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(200, 30)), rng.randint(2, size=200)
    proba = reference_proba(X, y, random_state=0)
    assert np.mean(proba.argmax(axis=1) == y) < 0.6


def test_reference_probabilities_follow_one_seed_on_any_number_of_cores():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5)
    once, again = (reference_proba(X, y, forest, random_state=0, n_jobs=n) for n in (None, 2))
    np.testing.assert_array_equal(once, again)
    assert not np.array_equal(reference_proba(X, y, forest, random_state=1), once)


def test_reference_probabilities_need_two_rows_of_each_class():
    with pytest.raises(ValueError, match="a class with one row cannot be predicted out of sample"):
        reference_proba(np.eye(4), ["a", "a", "a", "b"])
    with pytest.raises(ValueError, match="one class only"):
        reference_proba(np.eye(4), ["a"] * 4)


def test_region_noise_stays_in_its_ball():
    X, _ = make_blobs(400, random_state=0)
    p = region_flip_proba(X, 0.1, fraction=0.2, random_state=0)
    assert p.mean() == pytest.approx(0.1, abs=1e-12)
    assert np.unique(p).tolist() == [0, 0.5]
    inside, outside = X[p > 0], X[p == 0]
    centre = X[np.random.RandomState(0).randint(len(X))]
    reach = np.linalg.norm(inside - centre, axis=1).max()
    assert np.linalg.norm(outside - centre, axis=1).min() >= reach


def test_region_noise_cannot_exceed_its_region():
    with pytest.raises(ValueError, match=r"at most 0\.25 of the rows"):
        region_flip_proba(np.arange(8.0)[:, None], 0.5)
    with pytest.raises(ValueError, match="center must have 1 coordinates"):
        region_flip_proba(np.arange(8.0)[:, None], 0.1, center=[1, 2])


def test_density_noise_prefers_the_odd_ones_out():
    X = np.r_[np.random.RandomState(0).normal(size=(100, 2)), [[30.0, 30.0]]]
    p = density_flip_proba(X, 0.05)
    assert p.argmax() == 100
    assert p.mean() == pytest.approx(0.05, abs=1e-12)


def test_density_noise_looks_at_the_neighbour_asked_for():
    X = [[0.0], [1.0], [3.0], [7.0]]  # second neighbours at 3, 2, 3, 6
    p = density_flip_proba(X, 0.2, n_neighbors=2)
    np.testing.assert_allclose(p / p[0], [1, 2 / 3, 1, 2], rtol=1e-12)


def test_rare_classes_lower_the_number_of_folds():
    X, _ = make_blobs(30, centers=2, random_state=0)
    assert reference_proba(X[:18], np.r_[np.zeros(16, int), 1, 1], cv=5).shape == (18, 2)


def test_density_noise_on_duplicates_is_uniform():
    np.testing.assert_allclose(density_flip_proba(np.zeros((6, 2)), 0.2, n_neighbors=2), 0.2)


def test_exponential_noise_has_the_shape_and_the_rate_it_promises():
    # kappa = (1 - 2 * 0.2)^-2 - 1 = 1.777778, so g(u) at u = 0.5, 1, 2 is .199263, .588888, .971434
    # and its mean over a standard normal u is 0.2.
    u = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    X, y = np.r_[u - 5, 5 - u][:, None], np.repeat([0, 1], len(u))
    p = gaussian_flip_proba(X, y, 0.2)[: len(u)]
    expected = [0, 0.199263, 0.588888, 0.971434]
    np.testing.assert_allclose(np.interp([-1, 0.5, 1, 2], u, p), expected, rtol=0, atol=2e-3)
    assert p.mean() == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize("kind", ["exponential", "truncated"])
def test_gaussian_noise_reaches_its_rates_on_gaussian_classes(kind):
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 40_000)
    mix = np.array([[1, 0.5], [0, 2]])
    X = (rng.normal(size=(len(y), 2)) + 2 * y[:, None]) @ mix
    p = gaussian_flip_proba(X, y, [0.1, 0.03], kind=kind)
    assert p[y == 0].mean() == pytest.approx(0.1, abs=0.005)
    assert p[y == 1].mean() == pytest.approx(0.03, abs=0.003)


def test_gaussian_noise_spares_rows_on_the_far_side_of_their_mean():
    X = np.array([[-3.0], [-1], [1], [3]])
    assert gaussian_flip_proba(X, [0, 0, 1, 1], 0.2)[[0, 3]].tolist() == [0, 0]
    p = gaussian_flip_proba(X, [0, 0, 1, 1], 0.02, kind="truncated", cutoff=0.5)
    np.testing.assert_allclose(p, [0, 0.02 / norm.sf(0.5), 0.02 / norm.sf(0.5), 0])


def test_truncated_noise_that_does_not_fit_is_warned_of():
    X = np.array([[-3.0], [-1], [1], [3]])
    with pytest.warns(NoiseWarning, match="lies beyond cutoff=2"):
        gaussian_flip_proba(X, [0, 0, 1, 1], 0.4, kind="truncated", cutoff=2)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"rate": 0.7}, "rate=0.7 must be a number between 0 and 0.5"),
        ({"rate": 0.5}, "needs a rate below 0.5"),
        ({"rate": 0.1, "kind": "odd"}, "kind='odd' is not known; choose from exponential"),
        ({"rate": 0.1, "y": [0, 1, 2, 2]}, "is for two classes; y holds 3"),
        ({"rate": 0.1, "X": np.ones((4, 1))}, "there is no axis"),
    ],
)
def test_bad_requests_get_a_sentence_in_flip_probabilities(how, sentence):
    how = {"X": np.arange(4.0)[:, None], "y": [0, 0, 1, 1]} | how
    with pytest.raises(ValueError, match=sentence):
        gaussian_flip_proba(**how)
