import numpy as np
import pytest
from scipy.stats import differential_entropy

from errata.feature_selection.information import make_noisy_sine, regression_error

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
