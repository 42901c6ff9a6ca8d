import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import norm
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import mutual_info_regression
from sklearn.preprocessing import StandardScaler

from errata._kernels import kernels
from errata.exceptions import SuspicionWarning
from errata.feature_selection import (
    _estimates,
    bayes_risk,
    knn_entropy,
    knn_posteriors,
    kraskov_mutual_information,
    mutual_information,
    posterior_information,
)
from errata.feature_selection._distances import (
    ClassRows,
    Segments,
    find_nearest_on_line,
    prepare_columns,
)
from errata.feature_selection._estimates import JointNeighbors, count_tree_neighbors, count_within
from errata.feature_selection.label_noise import ClassDensities, SoftClasses, log_ball
from feature_selection.naive_information import naive_information, naive_posteriors
from strategies import seeds

SIX = [0, 1, 3, 7, 8, 10]


@pytest.mark.parametrize(
    ("x", "y", "k", "nats"),
    [
        ([0, 1, 10, 12], [0, 0, 1, 1], 1, 5 / 6),  # more than log 2, the entropy of y
        ([0, 1, 10, 12], [0, 1, 0, 1], 1, -1.170333259283),
        (SIX, [0, 0, 0, 1, 1, 1], 1, 0.783333333333),
        (SIX, [0, 0, 0, 1, 1, 1], 2, 0.783333333333),
        (SIX, [0, 0, 1, 1, 1, 1], 1, 0.612253247684),
    ],
)
def test_small_tables_by_hand(x, y, k, nats):
    np.testing.assert_allclose(mutual_information(x, y, n_neighbors=k), nats, rtol=0, atol=1e-11)


def test_a_small_class_takes_the_neighbours_it_has():
    with pytest.warns(SuspicionWarning, match="other rows in 1 class; all of them"):
        found = mutual_information(SIX, [0, 0, 1, 1, 1, 1], n_neighbors=2)
    np.testing.assert_allclose(found, 0.607933418688, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("load", "nats"), [(load_iris, 0.9937), (load_wine, 0.9427)])
def test_tables_that_everybody_knows(load, nats):
    X, y = load(return_X_y=True)
    found = mutual_information(StandardScaler().fit_transform(X), y)
    np.testing.assert_allclose(found, nats, rtol=0, atol=5e-5)


@pytest.mark.parametrize(
    ("separation", "truth"), [(0, 0.0), (1, 0.111421), (2, 0.336831), (3, 0.526777)]
)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_two_gaussians(separation, truth, d):
    y = np.repeat([0, 1], 1000)
    for seed in range(2):
        X = np.random.RandomState(seed).normal(size=(2000, d))
        X[:, 0] += separation * y
        assert abs(mutual_information(X, y) - truth) < 0.07


def test_labels_without_meaning_have_none_on_average():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(300, 3)), np.arange(300) % 3
    found = [mutual_information(X, rng.permutation(y)) for _ in range(30)]
    assert abs(np.mean(found)) < 0.02


@given(seeds, st.integers(1, 4), st.integers(1, 9))
def test_it_is_what_a_reader_computes_by_hand(seed, d, k):
    rng = np.random.RandomState(seed)
    y = np.concatenate([[0, 0, 1, 1, 2], rng.randint(2, size=20)])
    X = rng.normal(size=(len(y), d)) + y[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mutual_information(X, y, n_neighbors=k)
    np.testing.assert_allclose(found, naive_information(X, y, k), rtol=0, atol=1e-10)


@given(seeds, st.integers(1, 4), st.floats(0.1, 10))
def test_scale_rotation_order_and_names_do_not_matter(seed, d, scale):
    rng = np.random.RandomState(seed)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, d)) + y[:, None]
    rotation, order = np.linalg.qr(rng.normal(size=(d, d)))[0], rng.permutation(45)
    names = np.array(["gamma", "alpha", "beta"])
    np.testing.assert_allclose(
        mutual_information(scale * (X @ rotation)[order] - 2, names[y][order]),
        mutual_information(X, y),
        rtol=0,
        atol=1e-9,
    )


def test_a_column_of_noise_costs_information():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 200)
    x = rng.normal(size=400) + 3 * y
    assert mutual_information(np.column_stack([x, x]), y) < mutual_information(x, y)


def test_many_rows_of_a_few_columns_are_searched_by_a_tree(monkeypatch):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :4]
    brute = mutual_information(X, y)
    monkeypatch.setattr("errata.feature_selection._distances.TREE_ROWS", 1)
    np.testing.assert_allclose(mutual_information(X, y), brute, rtol=1e-12)


def test_a_row_alone_in_its_class_is_left_out():
    with pytest.warns(SuspicionWarning, match="left out of the estimate: 1 row alone in a class"):
        found = mutual_information([*SIX, 50], [0, 0, 0, 1, 1, 1, 2], n_neighbors=1)
    np.testing.assert_allclose(found, 0.783333333333, rtol=0, atol=1e-11)


def test_one_class_of_two_rows_is_not_enough():
    with pytest.raises(ValueError, match="y has 1 class of two rows or more"):
        mutual_information([0, 1, 3, 7], ["a", "a", "b", "c"], n_neighbors=1)


def test_equal_rows_have_no_density():
    with pytest.raises(ValueError, match="2 or more rows have as many equals"):
        mutual_information([1, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1], n_neighbors=1)


def test_rows_and_labels_must_be_as_many():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mutual_information(SIX, [0, 1])


GAUSSIAN = 0.5 * np.log(2 * np.pi * np.e)


def test_three_numbers_by_hand():
    # Distances 1, 1, 2; so H = psi(3) - psi(1) + (log 2 + log 2 + log 4) / 3.
    np.testing.assert_allclose(
        knn_entropy([0, 1, 3], n_neighbors=1), 1.5 + 4 / 3 * np.log(2), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("d", "volume"), [(1, 1.0), (2, np.pi / 4), (3, np.pi / 6), (10, 0.00249039457)]
)
def test_volumes_of_balls_of_diameter_one(d, volume):
    X = np.random.RandomState(0).normal(size=(30, d))
    diameters = 2 * np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 2]
    expected = digamma(30) - digamma(2) + np.log(volume) + d * np.log(diameters).mean()
    np.testing.assert_allclose(knn_entropy(X, n_neighbors=2), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("draw", "truth", "within"),
    [
        (lambda rng: rng.normal(size=(2000, 1)), GAUSSIAN, 0.08),
        (lambda rng: rng.normal(size=(2000, 2)), 2 * GAUSSIAN, 0.10),
        (lambda rng: rng.normal(size=(2000, 3)), 3 * GAUSSIAN, 0.19),
        (lambda rng: rng.normal(size=(2000, 5)), 5 * GAUSSIAN, 0.22),
        (lambda rng: rng.uniform(size=2000), 0.0, 0.05),
        (lambda rng: rng.exponential(size=2000), 1.0, 0.08),
        (lambda rng: rng.laplace(size=2000), 1 + np.log(2), 0.10),
        (lambda rng: rng.standard_t(5, size=2000), 1.627503, 0.11),
    ],
    ids=["normal 1", "normal 2", "normal 3", "normal 5", "uniform", "exponential", "Laplace", "t"],
)
def test_entropies_that_are_known(draw, truth, within):
    for seed in range(3):
        assert abs(knn_entropy(draw(np.random.RandomState(seed))) - truth) < within


@given(seeds, st.integers(1, 4), st.floats(0.1, 10))
def test_scale_shifts_the_entropy_and_nothing_else_does(seed, d, scale):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(40, d))
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    moved = scale * (X @ rotation)[rng.permutation(40)] + 3
    np.testing.assert_allclose(
        knn_entropy(moved), knn_entropy(X) + d * np.log(scale), rtol=0, atol=1e-9
    )


def test_bits():
    x = [0, 1, 3, 7, 20]
    np.testing.assert_allclose(
        knn_entropy(x, n_neighbors=2, base=2),
        knn_entropy(x, n_neighbors=2) / np.log(2),
        rtol=1e-12,
    )


def test_entropies_of_many_rows_are_searched_by_a_tree(monkeypatch):
    X = np.random.RandomState(0).normal(size=(300, 3))
    brute = knn_entropy(X)
    monkeypatch.setattr("errata.feature_selection._distances.TREE_ROWS", 1)
    np.testing.assert_allclose(knn_entropy(X), brute, rtol=1e-12)


def test_too_many_neighbours_are_cut():
    with pytest.warns(SuspicionWarning, match="using 3"):
        found = knn_entropy([0, 1, 3, 7], n_neighbors=8)
    assert found == knn_entropy([0, 1, 3, 7], n_neighbors=3)


def test_equal_rows_have_no_entropy():
    with pytest.raises(ValueError, match="3 or more rows have as many equals as neighbours"):
        knn_entropy([1, 1, 1, 2, 3, 4], n_neighbors=2)


@pytest.mark.parametrize(("base", "words"), [(1, "of no logarithm"), (-2, "finite number above 0")])
def test_bases_that_are_none(base, words):
    with pytest.raises(ValueError, match=words):
        knn_entropy([0, 1, 3], n_neighbors=1, base=base)


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="minimum of 2"):
        knn_entropy([[1.0, 2.0]])


SIX_ROWS, HALVES = [0, 1, 3, 7, 8, 10], ["a", "a", "a", "b", "b", "b"]


def test_six_numbers_by_hand():
    posteriors = knn_posteriors(SIX_ROWS, HALVES, n_neighbors=2)
    np.testing.assert_allclose(
        posteriors[:, 0],
        [0.788209, 0.830066, 0.699340, 0.263767, 0.169934, 0.192796],
        rtol=0,
        atol=1e-6,
    )
    assert bayes_risk(SIX_ROWS, HALVES, n_neighbors=2) == 0
    np.testing.assert_allclose(
        bayes_risk(SIX_ROWS, HALVES, n_neighbors=2, method="soft"),
        0.218146846844,
        rtol=0,
        atol=1e-11,
    )


@given(seeds, st.integers(1, 4), st.integers(1, 5))
def test_posteriors_are_what_a_reader_computes_by_hand(seed, d, k):
    rng = np.random.RandomState(seed)
    y = np.concatenate([np.repeat([0, 1, 2], 6), rng.randint(3, size=15)])
    X = rng.normal(size=(len(y), d)) + y[:, None]
    expected = naive_posteriors(X, y, k)
    np.testing.assert_allclose(knn_posteriors(X, y, n_neighbors=k), expected, rtol=0, atol=1e-10)
    assert bayes_risk(X, y, n_neighbors=k) == np.mean(expected.argmax(axis=1) != y)
    np.testing.assert_allclose(
        bayes_risk(X, y, n_neighbors=k, method="soft"),
        np.mean(1 - expected.max(axis=1)),
        rtol=0,
        atol=1e-10,
    )


def random_problem(seed):
    rng = np.random.RandomState(seed)
    y = np.arange(40) % rng.randint(2, 5)
    return rng.normal(size=(40, rng.randint(1, 5))) + rng.uniform(0, 2) * y[:, None], y


@given(seeds)
def test_rows_are_probabilities_in_many_dimensions_too(seed):
    X, y = random_problem(seed)
    X = np.hstack([X, np.random.RandomState(seed).normal(size=(40, 60))])
    posteriors = knn_posteriors(X, y, n_neighbors=3)
    np.testing.assert_allclose(posteriors.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert posteriors.min() >= 0


@given(seeds)
def test_entropy_and_risk_keep_what_is_proved_about_them(seed):
    # Fano: H <= h(risk) + risk log(K - 1); Hellman and Raviv: risk <= H / 2; both in bits.
    X, y = random_problem(seed)
    n_classes, prior = len(np.unique(y)), np.bincount(y) / len(y)
    risk = bayes_risk(X, y, method="soft")
    left = -(prior * np.log2(prior)).sum() - posterior_information(X, y, base=2)
    binary = -sum(p * np.log2(p) for p in (risk, 1 - risk) if p > 0)
    assert risk <= left / 2 + 1e-12
    assert left <= binary + risk * np.log2(max(n_classes - 1, 1)) + 1e-12


@pytest.mark.parametrize(
    ("separation", "low", "high"), [(1, -0.05, 0.09), (2, -0.05, 0.05), (3, -0.035, 0.035)]
)
@pytest.mark.parametrize("d", [1, 5])
def test_the_risk_of_two_gaussians(separation, low, high, d):
    y = np.repeat([0, 1], 1000)
    X = np.random.RandomState(0).normal(size=(2000, d))
    X[:, 0] += separation * y
    assert low < bayes_risk(X, y) - norm.cdf(-separation / 2) < high


def test_a_class_of_one_row_has_no_probability():
    with pytest.warns(SuspicionWarning, match="1 row alone in a class"):
        posteriors = knn_posteriors([*SIX_ROWS, 5], [*HALVES, "c"], n_neighbors=2)
    assert np.isnan(posteriors[6]).all()
    np.testing.assert_array_equal(posteriors[:6, 2], 0)
    np.testing.assert_array_equal(
        posteriors[:6, :2], knn_posteriors(SIX_ROWS, HALVES, n_neighbors=2)
    )


def test_methods_are_two():
    with pytest.raises(ValueError, match="method='votes' is not known; choose from count, soft"):
        bayes_risk(SIX_ROWS, HALVES, method="votes")


def gaussian(rho, d, n=2000, seed=0):
    """Columns that all count the same, and a target with which they correlate by rho together."""
    random = np.random.RandomState(seed)
    X, noise = random.normal(size=(n, d)), random.normal(size=n)
    return X, rho * X.sum(axis=1) / np.sqrt(d) + np.sqrt(1 - rho**2) * noise


def truth(rho):
    return -np.log(1 - rho**2) / 2


def test_three_rows_by_hand():
    # Gaps of rows 0 and 1: 1 in x, 2 in the target; of 1 and 2: 2 and 1; of 0 and 2: 3 and 3.
    # Radii for k = 1 are 2, 2, 2. Nearer than that in x: row 1 of row 0, row 0 of row 1, none of
    # row 2; in the target: none, row 2, row 1.
    expected = digamma(1) + digamma(3) - (4 * digamma(2) + 2 * digamma(1)) / 3
    found = kraskov_mutual_information([0, 1, 3], [0, 2, 3], n_neighbors=1)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_neighbors", [1, 3, 8])
def test_one_column_is_as_in_scikit_learn(n_neighbors):
    X, target = gaussian(0.7, 3, n=400)
    # Divided by their deviations there, too, and jittered by 1e-10.
    theirs = mutual_info_regression(X, target, n_neighbors=n_neighbors, random_state=0)
    ours = [
        kraskov_mutual_information(x / x.std(), target / target.std(), n_neighbors=n_neighbors)
        for x in X.T
    ]
    assert theirs.min() > 0  # none was cut off
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


# Over 12 seeds the mean error is below 0.02 (-0.03 and -0.14 at rho = 0.9 and d = 3 and 5), its
# deviation below 0.035. Bounds are four deviations wide.
@pytest.mark.parametrize(
    ("rho", "d", "low", "high"),
    [
        *[(0.0, d, -0.07, 0.07) for d in (1, 2, 3, 5)],
        *[(0.6, d, -0.08, 0.08) for d in (1, 2, 3, 5)],
        (0.9, 1, -0.08, 0.10),
        (0.9, 2, -0.09, 0.09),
        (0.9, 3, -0.12, 0.06),
        (0.9, 5, -0.22, 0.0),
    ],
)
def test_gaussian_truth(rho, d, low, high):
    errors = [
        kraskov_mutual_information(*gaussian(rho, d, seed=seed)) - truth(rho) for seed in range(3)
    ]
    assert low < min(errors)
    assert max(errors) < high


def test_information_does_not_depend_on_offsets_or_the_order_of_rows():
    X, target = gaussian(0.7, 3, n=300)
    order = np.random.RandomState(0).permutation(300)
    whole = kraskov_mutual_information(X, target)
    # Rounding may move a row over a radius.
    assert kraskov_mutual_information(X[order], target[order]) == pytest.approx(whole, abs=1e-12)
    assert kraskov_mutual_information(8 + X, target - 64) == pytest.approx(whole, abs=0.02)
    assert kraskov_mutual_information(4 * X, 4 * target) == pytest.approx(whole, abs=1e-12)


def test_column_and_target_can_change_places():
    X, target = gaussian(0.7, 1, n=300)
    there, back = kraskov_mutual_information(X, target), kraskov_mutual_information(target, X[:, 0])
    assert there == pytest.approx(back, abs=1e-12)


def test_bits_of_a_number():
    X, target = gaussian(0.7, 2, n=200)
    bits = kraskov_mutual_information(X, target, base=2)
    assert bits == pytest.approx(kraskov_mutual_information(X, target) / np.log(2), abs=1e-12)


def test_repeated_rows_get_a_sentence():
    with pytest.raises(ValueError, match=r"4 rows have as many equals.*jitter=1e-3"):
        kraskov_mutual_information([1, 1, 1, 1, 2, 3, 5], [0, 0, 0, 0, 1, 2, 7], n_neighbors=3)


def test_repeated_columns_alone_are_fine():
    assert np.isfinite(kraskov_mutual_information([1, 1, 1, 2, 2, 2], [0.1, 0.2, 0.4, 1, 2, 3]))


def test_bad_input():
    with pytest.raises(ValueError, match="target contains NaN"):
        kraskov_mutual_information([1, 2, 3], [0, np.nan, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kraskov_mutual_information([1, 2, 3], [0, 1])
    with pytest.warns(SuspicionWarning, match=r"n_neighbors=9 asks for more .* using 3"):
        kraskov_mutual_information([1, 2, 4, 8], [0, 1, 3, 7], n_neighbors=9)


def test_columns_of_one_scale_and_a_little_noise():
    X = np.random.RandomState(0).normal(5, 3, size=(500, 2)).round()
    ready = prepare_columns(X, standardize=True, jitter=1e-3, random_state=0)
    still = prepare_columns(X, standardize=True, jitter=0, random_state=0)
    np.testing.assert_allclose(still.mean(axis=0), 0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(still.std(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose((ready - still).std(), 1e-3, rtol=0.1)
    np.testing.assert_array_equal(
        prepare_columns(X, standardize=False, jitter=0, random_state=0), X
    )


def test_rows_stand_by_class_and_know_where_they_stood():
    X, codes = np.arange(7.0)[:, None], np.array([2, 0, 2, 1, 0, 2, 3])
    with pytest.warns(SuspicionWarning) as told:
        rows = ClassRows(X, codes, 2)
    assert "2 rows alone in a class" in str(told[0].message)
    assert "other rows in 1 class;" in str(told[1].message)
    np.testing.assert_array_equal(rows.columns, [[1, 4, 0, 2, 5]])
    np.testing.assert_array_equal(rows.order, [1, 4, 0, 2, 5])
    np.testing.assert_array_equal(rows.codes, [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(rows.present, [0, 2])
    np.testing.assert_array_equal(rows.sizes, [2, 3])
    np.testing.assert_array_equal(rows.own_neighbors, [1, 2])
    np.testing.assert_array_equal(rows.other_neighbors, [2, 2])


@given(seeds, st.integers(1, 6), st.sampled_from([0, 1, 9]))
def test_nearest_on_a_line_are_those_of_a_search_through_all(seed, k, digits):
    rng = np.random.RandomState(seed)
    codes = np.concatenate([np.repeat(np.arange(3), 2), rng.randint(3, size=rng.randint(3, 30))])
    x = rng.normal(size=len(codes)).round(digits)
    rows = sort_silently(x[:, None], codes, k)
    one = np.ones((1, 1), dtype=int)
    everywhere = Segments(np.zeros(rows.n, int), 0 * one, rows.n * one, rows.n_neighbors * one)
    for segments in (rows.split_all_and_own(), rows.split_by_class(), everywhere):
        squares = (rows.columns[0][:, None] - rows.columns[0]) ** 2
        np.fill_diagonal(squares, np.inf)
        expected = [
            [
                np.sort(squares[i, segments.starts[y, g] : segments.stops[y, g]])[count - 1]
                for g, count in enumerate(segments.counts[y])
            ]
            for i, y in enumerate(segments.kinds)
        ]
        found = find_nearest_on_line(rows.columns[0], segments)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def sort_silently(X, codes, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ClassRows(X, codes, k)


def rows(n=120, p=5, digits=12, seed=0):
    random = np.random.RandomState(seed)
    columns = np.round(random.normal(size=(p, n)), digits)
    return columns, np.round(columns[0] * columns[1] + random.normal(size=n) / 3, digits)


@given(st.integers(0, 10_000), st.sampled_from([0, 1, 12]))
@settings(deadline=None, max_examples=60)
def test_count_within_counts_strictly(seed, digits):
    random = np.random.RandomState(seed)
    values = np.round(random.normal(size=random.randint(1, 60)), digits)
    radii = np.abs(values - random.choice(values, len(values)))  # exactly as far as some value
    gaps = np.abs(values[:, None] - values)
    np.fill_diagonal(gaps, np.inf)
    np.testing.assert_array_equal(count_within(values, radii), (gaps < radii[:, None]).sum(axis=1))


@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize("chosen", [[0], [1, 0], [4, 2, 1]])
def test_a_tree_finds_what_blocks_find(monkeypatch, chosen, digits):
    columns, target = rows(digits=digits)
    by_tree = count_tree_neighbors(columns[chosen], target, 4)
    monkeypatch.setattr(_estimates, "TREE_COLUMNS", -1)
    by_blocks = JointNeighbors(columns, target, 4).with_each(chosen[:-1], chosen[-1:])
    np.testing.assert_array_equal(by_tree, np.squeeze(by_blocks, axis=1))


@pytest.mark.parametrize("subset", [[0, 1], [3, 0, 1], [4, 3, 2, 1, 0]])
def test_a_set_has_the_same_neighbors_however_it_was_come_by(subset):
    neighbors = JointNeighbors(*rows(), 3)
    without = neighbors.without_each(subset)
    for place in range(len(subset)):
        *rest, last = np.delete(subset, place)
        with_last = neighbors.with_each(rest, [last])
        np.testing.assert_array_equal(np.squeeze(with_last, 1), [part[place] for part in without])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_blocks_of_any_size_give_the_same(monkeypatch, n_jobs):
    whole = JointNeighbors(*rows(), 3).without_each([0, 1, 2, 3])
    monkeypatch.setattr(_estimates, "CHUNK", 7 * 120)
    cut = JointNeighbors(*rows(), 3, n_jobs)
    assert len(list(cut._blocks())) > 10
    np.testing.assert_array_equal(cut.without_each([0, 1, 2, 3]), whole)


def soft_rows(n=60, d=3, k=3, seed=0):
    random = np.random.RandomState(seed)
    return random.normal(size=(n, d)), random.dirichlet(np.full(k, 0.3), size=n)


def test_volume_of_balls():
    volumes = np.exp([log_ball(d) for d in (1, 2, 3)])
    np.testing.assert_allclose(volumes, [2, np.pi, 4 / 3 * np.pi], rtol=1e-12)


def test_hard_labels_give_the_density_of_the_kth_neighbour_in_the_class():
    random = np.random.RandomState(0)
    X, codes, k = random.normal(size=(30, 2)), np.arange(30) % 3, 4
    found = ClassDensities(X, k)(np.eye(3)[codes])
    for i, s in np.ndindex(30, 3):
        members = np.flatnonzero((codes == s) & (np.arange(30) != i))
        radius = np.sort(np.linalg.norm(X[members] - X[i], axis=1))[k - 1]
        expected = digamma(k) - digamma(len(members) + 1) - np.log(np.pi * radius**2)
        assert found[i, s] == pytest.approx(expected, rel=1e-12)


def test_a_class_with_less_than_one_other_member_has_no_density():
    X, _ = soft_rows(4, 1)
    memberships = np.array([[0.6, 0.4], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
    found = ClassDensities(X, 2)(memberships)
    # 1.2 in all: without the row itself that is 0.6, 1.1, 1 and 0.9.
    np.testing.assert_array_equal(np.isneginf(found[:, 0]), [True, False, False, True])
    assert np.isfinite(found[:, 1]).all()


@pytest.mark.parametrize("self_count", [False, True])
def test_threads_make_no_difference(self_count):
    X, memberships = soft_rows()
    how = {"n_neighbors": 3, "self_count": self_count}
    whole = ClassDensities(X, **how)(memberships)
    np.testing.assert_array_equal(ClassDensities(X, **how, n_jobs=2)(memberships), whole)


@pytest.mark.parametrize("self_count", [False, True])
@pytest.mark.parametrize("listed", [60, 600, 1200])
def test_rows_whose_lists_are_too_short_are_searched_anew(monkeypatch, self_count, listed):
    X, memberships = soft_rows()
    how = {"n_neighbors": 3, "self_count": self_count}
    whole = ClassDensities(X, **how)(memberships)
    monkeypatch.setattr("errata.feature_selection.label_noise.LISTED", listed)
    np.testing.assert_allclose(ClassDensities(X, **how)(memberships), whole, rtol=1e-12)


def test_neighbours_are_put_in_order_once_for_all_memberships(monkeypatch):
    X, memberships = soft_rows()
    lists = kernels("weighted_neighbors").list_neighbors
    sorted_ = []
    monkeypatch.setattr(
        kernels("weighted_neighbors"),
        "list_neighbors",
        lambda *args: sorted_.append(1) or lists(*args),
    )
    densities = ClassDensities(X, 3)
    first, second = densities(memberships), densities(memberships[:, ::-1].copy())
    np.testing.assert_allclose(second, first[:, ::-1], rtol=1e-12)
    assert sorted_ == [1]


def test_copies_of_a_row_are_refused():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [4.0]])
    codes = np.array([0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"^3 or more rows have as many equals as neighbours"):
        ClassDensities(X, 2)(np.eye(2)[codes])


def test_a_neighbourhood_is_to_hold_k_others_or_as_many_as_there_are():
    memberships = np.array([[1, 0], [0.5, 0.5], [1, 0], [1e-7, 1 - 1e-7]])
    classes = SoftClasses(memberships, 2, slack=0.5)
    assert classes.weights[3, 0] == 0  # too little to count
    expected = np.array([[1.5, 1.5], [2, 1], [1.5, 1.5], [2, 0.5]]) - 0.5
    np.testing.assert_allclose(classes.targets, expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(classes.log_size[0], digamma([2.5, 2.5]), rtol=1e-6)
    assert classes.log_size[3, 1] == np.inf  # half a member besides the row itself
