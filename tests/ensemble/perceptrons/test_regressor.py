import numpy as np
import pytest

from errata.ensemble import ParallelPerceptronRegressor

X = np.linspace(-1, 1, 100)[:, None]


def test_a_bent_function_is_followed():
    y = X[:, 0] ** 2
    model = ParallelPerceptronRegressor(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.6  # a straight line has 0


def test_outputs_are_votes_scaled_to_the_range_of_the_target():
    y = 10 + 5 * X[:, 0]
    model = ParallelPerceptronRegressor(4, random_state=0).fit(X, y)
    steps = set(np.round(model.predict(X), 9))
    assert steps <= {5.0, 7.5, 10.0, 12.5, 15.0}


def test_a_constant_target_is_given_back():
    model = ParallelPerceptronRegressor(2, random_state=0).fit(X, np.full(100, 3.0))
    assert np.abs(model.predict(X) - 3.0).max() <= 1.0
    assert model.score(X, np.full(100, 3.0)) <= 1


def test_rows_without_weight_do_not_count():
    y = X[:, 0].copy()
    y[-1] = 1000.0
    weights = np.r_[np.ones(99), 0.0]
    with_it = ParallelPerceptronRegressor(random_state=0).fit(X, y, sample_weight=weights)
    without = ParallelPerceptronRegressor(random_state=0).fit(X[:-1], y[:-1])
    np.testing.assert_array_equal(with_it.predict(X), without.predict(X))


def test_an_epsilon_beyond_one_gets_a_sentence():
    with pytest.raises(ValueError, match=r"epsilon=2.0 must be a number between 0 and 1"):
        ParallelPerceptronRegressor(epsilon=2.0).fit(X, X[:, 0])
