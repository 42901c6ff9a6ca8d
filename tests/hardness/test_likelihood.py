import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from errata.hardness import ClassLikelihood, ClassLikelihoodDifference
from errata.hardness._measure import compute_class_likelihoods

BOTH = pytest.mark.parametrize("measure", [ClassLikelihood, ClassLikelihoodDifference])

tables = hnp.arrays(
    float, st.tuples(st.integers(6, 30), st.integers(1, 4)), elements=st.floats(-9, 9, width=16)
)


def naive_likelihoods(X, codes, smoothing):
    """Products of normal densities, feature by feature."""
    shares = np.ones((len(X), codes.max() + 1))
    for i, row in enumerate(X):
        for c in range(shares.shape[1]):
            for j, value in enumerate(row):
                inside = X[codes == c, j]
                sd = np.sqrt(inside.var() + smoothing * X[:, j].var())
                shares[i, c] *= norm.pdf(value, inside.mean(), sd)
    return shares / shares.sum(axis=1, keepdims=True)


def test_likelihoods_equal_products_of_densities():
    X, y = load_iris(return_X_y=True)
    np.testing.assert_allclose(
        compute_class_likelihoods(X, y, 0.01), naive_likelihoods(X, y, 0.01), rtol=0, atol=1e-12
    )


def test_likelihoods_are_naive_bayes_without_prior():
    X, y = load_iris(return_X_y=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = GaussianNB(priors=np.full(3, 1 / 3), var_smoothing=0.05).fit(Z[20:], y[20:])
    expected = model.predict_proba(Z[20:])
    # GaussianNB smooths by the largest variance, which is that of the whole only when all are 1.
    smoothing = 0.05 * Z[20:].var(axis=0).max() / Z[20:].var(axis=0)
    found = compute_class_likelihoods(X[20:], y[20:], smoothing)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_hardness_by_hand():
    # Means 2 and 6; variances 8/3 and 1 % of the 20/3 over all. The row at 0 is 2 from its own mean
    # and 6 from the other, the rows at 4 are 2 from both.
    X, y = np.array([[0.0], [2], [4], [4], [6], [8]]), np.array([0, 0, 0, 1, 1, 1])
    variance = 8 / 3 + 0.01 * 20 / 3
    odds = np.exp((6**2 - 2**2) / (2 * variance))
    found = ClassLikelihood().fit(X, y).suspicion_[[0, 2, 3, 5]]
    expected = [1 / (1 + odds), 1 / 2, 1 / 2, 1 / (1 + odds)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@given(tables)
def test_both_are_the_same_for_two_classes(X):
    y = np.arange(len(X)) % 2
    first, second = ClassLikelihood().fit(X, y), ClassLikelihoodDifference().fit(X, y)
    np.testing.assert_allclose(first.suspicion_, second.suspicion_, rtol=0, atol=1e-9)


@given(tables)
def test_the_difference_is_the_milder_for_more_classes(X):
    # (1 - own + best other) / 2 <= 1 - own, as the others together have 1 - own.
    y = np.arange(len(X)) % 3
    first, second = ClassLikelihood().fit(X, y), ClassLikelihoodDifference().fit(X, y)
    assert np.all(second.suspicion_ <= first.suspicion_ + 1e-12)


@BOTH
def test_units_do_not_matter(measure):
    X, y = load_iris(return_X_y=True)
    other_units = X * [1e-6, 10, -3, 1e6] + [0, 5, 7, -1e6]
    np.testing.assert_allclose(
        measure().fit(other_units, y).suspicion_, measure().fit(X, y).suspicion_, rtol=0, atol=1e-6
    )


@BOTH
def test_repeating_the_table_changes_nothing(measure):
    X, y = load_iris(return_X_y=True)
    once, twice = measure().fit(X, y), measure().fit(np.tile(X, (2, 1)), np.tile(y, 2))
    np.testing.assert_allclose(twice.suspicion_, np.tile(once.suspicion_, 2), rtol=0, atol=1e-9)


@BOTH
def test_constant_features_say_nothing(measure):
    X, y = load_iris(return_X_y=True)
    padded = np.c_[X, np.full(len(X), 7.0)]
    np.testing.assert_allclose(
        measure().fit(padded, y).suspicion_, measure().fit(X, y).suspicion_, rtol=0, atol=1e-9
    )


def test_without_any_information_all_classes_are_equally_likely():
    X, y = np.ones((9, 2)), np.arange(9) % 3
    np.testing.assert_allclose(ClassLikelihood().fit(X, y).suspicion_, 2 / 3, rtol=0, atol=1e-12)
    model = ClassLikelihoodDifference().fit(X, y)
    np.testing.assert_allclose(model.suspicion_, 1 / 2, rtol=0, atol=1e-12)
    assert not ClassLikelihoodDifference(threshold=0.5 + 1e-9).fit(X, y).flagged_.any()


def test_a_row_far_from_every_class_is_still_compared():
    X, y = (
        np.r_[np.linspace(-1, 1, 20), np.linspace(4, 6, 20), 1e5][:, None],
        np.r_[[0] * 20, [1] * 21],
    )
    assert np.isfinite(ClassLikelihood().fit(X, y).suspicion_).all()


@BOTH
@pytest.mark.parametrize("smoothing", [0, -1, 2, "much"])
def test_smoothing_is_a_share_above_zero(measure, smoothing):
    with pytest.raises(ValueError, match=r"var_smoothing=.* must be a number between 1e-09 and 1"):
        measure(var_smoothing=smoothing).fit([[0.0], [1.0]], [0, 1])
