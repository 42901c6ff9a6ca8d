import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

from errata.exceptions import SuspicionWarning
from errata.tolerant import ReinforcedLinearRegression, ReinforcedRegressor


def polluted(seed=0, n=60):
    random = np.random.RandomState(seed)
    X = random.uniform(-2, 2, size=(n, 2))
    y = X @ [1.0, -2.0] + 0.2 * random.standard_normal(n)
    y[:3] += 6
    return X, y


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_it_equals_the_linear_regression_made_for_it(penalty):
    X, y = polluted()
    wrapped = ReinforcedRegressor(reinforcement_penalty=penalty).fit(X, y)
    made = ReinforcedLinearRegression(reinforcement_penalty=penalty).fit(X, y)
    np.testing.assert_allclose(wrapped.weights_, made.weights_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(wrapped.estimator_.coef_, made.coef_, rtol=1e-10)
    np.testing.assert_allclose(wrapped.predict(X), made.predict(X), rtol=1e-9)
    assert wrapped.scale_ == pytest.approx(made.scale_, rel=1e-10)
    assert np.flatnonzero(wrapped.flagged_).tolist() == [0, 1, 2]


def test_b6_the_objective_never_falls_for_weighted_least_squares():
    model = ReinforcedRegressor(reinforcement=5.0, reinforcement_penalty="l2", tol=1e-7).fit(
        *polluted()
    )
    assert model.n_iter_ > 3
    assert np.all(np.diff(model.objective_) >= -1e-10)


def test_a_forest_needs_held_out_rows():
    X, y = polluted(n=120)
    forest = RandomForestRegressor(30, bootstrap=False, random_state=0)
    with pytest.warns(SuspicionWarning, match="the noise has shrunk to nothing"):
        in_sample = ReinforcedRegressor(forest).fit(X, y)
    assert in_sample.collapsed_
    folds = KFold(5, shuffle=True, random_state=0)
    with pytest.warns(ConvergenceWarning, match="the weights still move"):
        held_out = ReinforcedRegressor(forest, cv=folds, max_iter=4).fit(X, y)
    assert set(np.argsort(held_out.log_likelihood_)[:3]) == {0, 1, 2}


def test_held_out_rows_are_scored_by_fits_that_have_not_seen_them():
    X, y = polluted()
    model = ReinforcedRegressor(Ridge(), cv=4, reinforcement=np.inf, random_state=7).fit(X, y)
    residuals = np.empty(len(y))
    for train, test in KFold(4, shuffle=True, random_state=7).split(X):
        residuals[test] = y[test] - Ridge().fit(X[train], y[train]).predict(X[test])
    assert model.scale_ == pytest.approx(np.sqrt(np.mean(residuals**2)))
    assert np.corrcoef(model.log_likelihood_, -(residuals**2))[0, 1] == pytest.approx(1)


def test_estimators_that_cannot_be_reinforced_get_a_sentence():
    with pytest.raises(TypeError, match=r"GaussianProcessRegressor.fit takes no sample_weight"):
        ReinforcedRegressor(GaussianProcessRegressor()).fit(*polluted())
