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
    boundary_flip_proba,
    density_flip_proba,
    flip_labels,
    gaussian_flip_proba,
    reference_proba,
    region_flip_proba,
)
from errata.noise._flip import _scale_to


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
    p = _scale_to(rate, shape)
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
def test_bad_requests_get_a_sentence(how, sentence):
    how = {"X": np.arange(4.0)[:, None], "y": [0, 0, 1, 1]} | how
    with pytest.raises(ValueError, match=sentence):
        gaussian_flip_proba(**how)
