import numpy as np
import pytest
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_regression

from errata.exceptions import SuspicionWarning
from errata.feature_selection import kraskov_mutual_information


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


def test_bits():
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
