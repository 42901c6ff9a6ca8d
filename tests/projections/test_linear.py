import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from errata.datasets import make_xor
from errata.projections import (
    HybridDiscriminantProjection,
    LinearDiscriminantProjection,
    NonparametricDiscriminantProjection,
    NonparametricWeightedProjection,
    PartialLeastSquaresProjection,
    PrincipalHessianDirections,
    SlicedAverageVariance,
    SlicedInverseRegression,
    _projections,
)
from errata.projections._projections import (
    compute_between_scatter,
    compute_within_scatter,
    find_leading_directions,
    rank,
    shrink,
)
from strategies import seeds


def cloud(n=60, d=5, n_classes=3, seed=0):
    random = np.random.RandomState(seed)
    codes = np.arange(n) % n_classes
    return random.normal(size=(n, d)) + codes[:, None] * np.arange(d), codes


def test_scatter_between_and_within_make_up_the_whole():
    X, codes = cloud()
    total = np.cov(X.T, bias=True)
    assert_allclose(
        compute_between_scatter(X, codes) + compute_within_scatter(X, codes), total, atol=1e-12
    )


@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_shrinking_keeps_the_trace_and_ends_with_a_sphere(share):
    S = np.cov(cloud()[0].T)
    assert np.trace(shrink(S, share)) == pytest.approx(np.trace(S))
    if share == 1:
        assert_allclose(shrink(S, share), np.trace(S) / 5 * np.eye(5), atol=1e-12)


def test_rank_counts_what_is_not_negligible():
    assert rank(np.diag([3, 1e-3, 1e-12])) == 2
    assert rank(np.zeros((3, 3))) == 1


def test_directions_solve_the_generalised_problem_largest_first():
    X, codes = cloud()
    sought, avoided = compute_between_scatter(X, codes), compute_within_scatter(X, codes)
    values, vectors = find_leading_directions(sought, avoided, 3)
    assert np.all(np.diff(values) <= 0)
    assert_allclose(sought @ vectors, avoided @ vectors * values, atol=1e-9)
    assert_allclose(vectors.T @ avoided @ vectors, np.eye(3), atol=1e-9)
    assert np.all(vectors[np.abs(vectors).argmax(axis=0), range(3)] > 0)


def test_nothing_to_avoid_leaves_the_principal_directions():
    values, vectors = find_leading_directions(np.diag([1.0, 3.0, 2.0]), np.zeros((3, 3)), 2)
    assert_allclose(values, [3, 2])
    assert_allclose(vectors, [[0, 0], [1, 0], [0, 1]], atol=1e-12)


def up_to_sign(Z):
    return Z * np.sign(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])])


def standard(Z):
    return up_to_sign(Z / Z.std(axis=0))


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("shrinkage", [0, 1e-3, 0.5])
def test_linear_discriminants_are_those_of_scikit_learn(load, shrinkage):
    X, y = load(return_X_y=True)
    X = scale(X)
    theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y).transform(X)
    ours = LinearDiscriminantProjection(shrinkage=shrinkage).fit_transform(X, y)
    assert_allclose(standard(ours), standard(theirs), rtol=1e-6, atol=1e-6)


@given(seeds, st.integers(2, 4), st.integers(2, 6))
def test_and_so_on_any_clouds(seed, n_classes, d):
    random = np.random.RandomState(seed)
    y = np.arange(40) % n_classes
    X = random.normal(size=(40, d)) + random.normal(scale=2, size=(n_classes, d))[y]
    X -= X.mean(axis=0)  # theirs does not centre with this solver
    theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage=1e-3).fit(X, y).transform(X)
    ours = LinearDiscriminantProjection().fit_transform(X, y)
    assert ours.shape == theirs.shape
    assert_allclose(standard(ours), standard(theirs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shrinkage", [0, 1e-3])
def test_hybrid_ends_are_linear_discriminants_and_principal_components(shrinkage):
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantProjection(shrinkage=shrinkage).fit_transform(X, y)
    hybrid = HybridDiscriminantProjection(principal=0, sphere=0, shrinkage=shrinkage)
    assert_allclose(hybrid.fit_transform(X, y), lda, atol=1e-8)
    hybrid.set_params(principal=1, sphere=1)
    pca = PCA().fit_transform(X)
    assert_allclose(up_to_sign(hybrid.fit_transform(X, y)), up_to_sign(pca), atol=1e-8)


def test_no_more_directions_than_classes_less_one_however_many_are_asked_for():
    X, y = load_iris(return_X_y=True)
    assert LinearDiscriminantProjection(n_components=4).fit_transform(X, y).shape == (150, 2)
    assert LinearDiscriminantProjection().fit_transform(X[:100], y[:100]).shape == (100, 1)
    assert HybridDiscriminantProjection().fit_transform(X[:100], y[:100]).shape == (100, 4)


def test_fewer_rows_than_features_and_classes_without_scatter_are_no_trouble():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(6, 20)), np.array([0, 0, 0, 1, 1, 1])
    Z = LinearDiscriminantProjection().fit_transform(X, y)
    assert Z[y == 0].max() < Z[y == 1].min() or Z[y == 0].min() > Z[y == 1].max()
    assert np.ptp(LinearDiscriminantProjection().fit_transform(X[[0, 0, 3, 3]], y[1:5])) > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components=0 must be a whole number at least 1"),
        ({"shrinkage": 2}, "shrinkage=2 must be a number between 0 and 1"),
        ({"principal": -1}, "principal=-1 must be a number between 0 and 1"),
        ({"sphere": "all"}, "sphere='all' must be a number between 0 and 1"),
    ],
)
def test_parameters_that_make_no_sense_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        HybridDiscriminantProjection(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_one_class_cannot_be_told_apart():
    with pytest.raises(ValueError, match="y holds one class only"):
        LinearDiscriminantProjection().fit([[0.0], [1.0]], ["a", "a"])


def two_clouds(seed, n=18, n_classes=3, d=3):
    random = np.random.RandomState(seed)
    return random.normal(size=(n, d)), np.append(np.arange(n_classes), np.arange(n - n_classes) % 2)


def slow_nda_between(X, y, k, power):
    """Fukunaga and Mantock's matrix, row by row."""
    S = np.zeros((X.shape[1],) * 2)
    for row, (x, own) in enumerate(zip(X, y, strict=True)):
        peers = np.sort(np.linalg.norm(np.delete(X, row, 0)[np.delete(y, row) == own] - x, axis=1))
        for other in set(y) - {own}:
            among = X[y == other]
            near = np.argsort(np.linalg.norm(among - x, axis=1))[:k]
            b = np.linalg.norm(among[near[-1]] - x) ** power
            a = peers[:k][-1] ** power if len(peers) else b
            difference = x - among[near].mean(axis=0)
            S += min(a, b) / (a + b) * np.outer(difference, difference) / len(X)
    return S


def slow_local_mean(x, others):
    weight = 1 / np.linalg.norm(others - x, axis=1)
    return weight @ others / weight.sum()


def slow_nwfe(X, y):
    """Kuo and Landgrebe's two matrices, class by class and row by row."""
    scatters = np.zeros((2, X.shape[1], X.shape[1]))
    for i in set(y):
        rows = X[y == i]
        for j in set(y):
            others = X[y == j]
            if i == j and len(rows) == 1:
                continue
            means = [
                slow_local_mean(x, np.delete(others, r, 0) if i == j else others)
                for r, x in enumerate(rows)
            ]
            differences = rows - means
            weight = 1 / np.linalg.norm(differences, axis=1)
            for w, difference in zip(weight / weight.sum(), differences, strict=True):
                scatters[int(i == j)] += w * np.outer(difference, difference) / len(X)
    return scatters


@given(seeds, st.integers(1, 4), st.sampled_from([0.0, 1.0, 2.0]))
def test_nda_is_the_published_sum(seed, k, power):
    X, y = two_clouds(seed)
    between, _ = NonparametricDiscriminantProjection(n_neighbors=k, power=power)._scatters(X, y)
    assert_allclose(between, slow_nda_between(X, y, k, power), rtol=1e-9, atol=1e-12)


@given(seeds)
def test_nwfe_is_the_published_sum(seed):
    X, y = two_clouds(seed)
    between, within = NonparametricWeightedProjection(diagonal=0)._scatters(X, y)
    slow_between, slow_within = slow_nwfe(X, y)
    assert_allclose(between, slow_between, rtol=1e-7, atol=1e-10)
    assert_allclose(within, slow_within, rtol=1e-7, atol=1e-10)


def test_nwfe_in_blocks_is_the_same(monkeypatch):
    X, y = two_clouds(0, n=50)
    whole = NonparametricWeightedProjection()._scatters(X, y)
    monkeypatch.setattr(_projections, "_BLOCK", 100)
    assert_allclose(NonparametricWeightedProjection()._scatters(X, y), whole, atol=1e-12)


def test_nwfe_moves_towards_its_diagonal():
    X, y = two_clouds(0)
    plain = NonparametricWeightedProjection(diagonal=0)._scatters(X, y)[1]
    half = NonparametricWeightedProjection()._scatters(X, y)[1]
    assert_allclose(half, (plain + np.diag(np.diag(plain))) / 2, atol=1e-12)


def test_all_neighbours_and_no_weights_make_nda_of_two_classes_linear():
    X, y = make_xor(100, random_state=0)
    X = X + 3 * y[:, None]  # means apart, so that there is a direction to find
    nda = NonparametricDiscriminantProjection(1, n_neighbors=100, power=0).fit(X, y)
    lda = LinearDiscriminantProjection(1).fit(X, y)
    a, b = nda.components_[0], lda.components_[0]
    assert abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b) > 0.95


@pytest.mark.parametrize(
    "projection", [NonparametricDiscriminantProjection(), NonparametricWeightedProjection()]
)
def test_duplicates_lone_rows_and_many_features_are_no_trouble(projection):
    random = np.random.RandomState(0)
    X = random.normal(size=(8, 12))[[0, 0, 1, 2, 3, 3, 4, 5]]
    Z = projection.fit(X, [0, 1, 0, 1, 0, 0, 1, 2]).transform(X)
    assert np.all(np.isfinite(Z))
    assert Z.shape[1] > 2  # more than classes less one


def test_neighbours_and_power_are_checked():
    with pytest.raises(ValueError, match="n_neighbors=0 must be a whole number"):
        NonparametricDiscriminantProjection(n_neighbors=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="power=-1 must be a number"):
        NonparametricDiscriminantProjection(power=-1).fit([[0.0], [1.0]], [0, 1])


ALL = [SlicedInverseRegression, SlicedAverageVariance, PrincipalHessianDirections]


def unit(v):
    return v / np.linalg.norm(v)


def wide_and_narrow(seed=0, n=600):
    """Two classes around one mean; one is three times as wide along (1, 1, 0, 0)."""
    random = np.random.RandomState(seed)
    y = np.arange(n) % 2
    X = random.normal(size=(n, 4))
    along = np.array([1, 1, 0, 0]) / np.sqrt(2)
    return X + np.outer(2 * y * (X @ along), along), y, along


def test_inverse_regression_spans_the_linear_discriminants():
    X, y = load_iris(return_X_y=True)
    sir = SlicedInverseRegression(shrinkage=0).fit(X, y).components_
    lda = LinearDiscriminantProjection(shrinkage=0).fit(X, y).components_
    for ours, theirs in zip(sir, lda, strict=True):
        assert abs(unit(ours) @ unit(theirs)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("projection", ALL)
def test_projected_rows_are_white(projection):
    X, y = load_iris(return_X_y=True)
    Z = projection(shrinkage=0).fit_transform(X, y)
    assert_allclose(np.cov(Z.T, bias=True), np.eye(Z.shape[1]), atol=1e-8)


@pytest.mark.parametrize("projection", [SlicedAverageVariance, PrincipalHessianDirections])
def test_a_class_that_is_wider_is_found_where_means_say_nothing(projection):
    X, y, along = wide_and_narrow()
    first = projection(n_components=1).fit(X, y).components_[0]
    assert abs(unit(first) @ along) > 0.97
    assert projection().fit(X, y).components_.shape == (4, 4)


def test_hessian_directions_of_two_classes_are_ordered_by_absolute_eigenvalue():
    X, y, _ = wide_and_narrow()
    Z = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(Z.T, bias=True))
    Z = Z @ vectors / np.sqrt(values) @ vectors.T
    H = (Z * (y - y.mean())[:, None]).T @ Z / len(Z)
    expected = np.sort(np.abs(np.linalg.eigvalsh(H)))[::-1]
    found = PrincipalHessianDirections(shrinkage=0).fit(X, y).eigenvalues_
    assert_allclose(np.sqrt(found / 2), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("projection", ALL)
def test_fewer_rows_than_features_give_finite_rows_of_some_spread(projection):
    random = np.random.RandomState(0)
    X = random.normal(size=(9, 30))
    Z = projection().fit_transform(X, np.arange(9) % 3)
    assert np.all(np.isfinite(Z))
    assert np.all(Z.std(axis=0) > 1e-6)
    assert len(projection().fit(np.ones((4, 2)), [0, 0, 1, 1]).components_) == 1


def test_average_variance_does_not_prefer_directions_in_which_no_row_varies():
    X, y, along = wide_and_narrow()
    X = np.hstack([X, np.zeros((len(X), 2))])
    first = SlicedAverageVariance(n_components=1).fit(X, y).components_[0]
    assert abs(unit(first)[:4] @ along) > 0.97


def test_average_variance_weighs_classes_by_their_share():
    # Rows (±√u, ±√v), so that all means are 0 and spreads are u and v; the classes have 8, 4 and
    # 4 rows, in all both spreads are 1. Then Σ_k p_k (1 - u_k)² is 9/64 for the first axis and
    # (1/4 + 1/4) / 4 = 1/8 for the second. With classes alike it would be 9/64 and 1/6.
    signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    spreads = [[5 / 8, 1], [5 / 8, 1], [11 / 8, 1 / 2], [11 / 8, 3 / 2]]
    X = np.vstack([signs * np.sqrt(spread) for spread in spreads])
    found = SlicedAverageVariance(shrinkage=0).fit(X, np.repeat([0, 0, 1, 2], 4))
    assert_allclose(found.eigenvalues_, [9 / 64, 1 / 8], rtol=1e-9)
    assert_allclose(np.abs(found.components_), np.eye(2), atol=1e-9)


def test_it_is_scikit_learns_towards_indicators():
    X, y = load_wine(return_X_y=True)
    names = np.array(["red", "white", "rosé"])[y]
    theirs = PLSRegression(3).fit(X, names[:, None] == np.unique(names)).transform(X)
    assert_allclose(PartialLeastSquaresProjection(3).fit_transform(X, names), theirs, atol=1e-9)


def test_no_more_directions_than_rows_allow_and_ten_unless_asked():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(30, 20)), np.arange(30) % 2
    assert PartialLeastSquaresProjection().fit_transform(X, y).shape == (30, 10)
    assert PartialLeastSquaresProjection(15).fit_transform(X, y).shape == (30, 15)
    assert PartialLeastSquaresProjection(15).fit_transform(X[:4], y[:4]).shape == (4, 3)


def test_labels_explained_in_full_are_no_trouble():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [1.0, 2.0]])
    assert np.all(np.isfinite(PartialLeastSquaresProjection().fit_transform(X, [0, 0, 1, 1])))


def test_rows_that_are_all_the_same_have_no_direction():
    with pytest.raises(ValueError, match="all the rows of X are the same"):
        PartialLeastSquaresProjection().fit(np.ones((6, 2)), [0, 1] * 3)
