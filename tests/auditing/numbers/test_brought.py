import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from auditing.target_cases import straight
from errata.auditing.numbers import BroughtPredictions, find_wrong_targets
from errata.auditing.numbers._models import CrossFittedRegressor, TargetData, choose_target_models


@pytest.mark.parametrize("regressor", [LinearRegression(), KNeighborsRegressor(3)])
def test_a_regressor_hardly_learns_from_rows_of_little_weight(regressor):
    # Neighbours know no weights: rows are left out instead.
    X, y = straight(200)
    noisy, wrong = y.copy(), np.arange(200) < 60
    noisy[wrong] += 100
    data = TargetData(X, noisy, weight=np.where(wrong, 1e-3, 1.0))
    told = CrossFittedRegressor("r", regressor).predict_unseen(data)
    assert np.median(np.abs(told - y)) < 2


def test_a_regressor_learns_from_its_own_table():
    pd = pytest.importorskip("pandas")
    X, y = straight(100)
    table = pd.DataFrame({"sum": X.sum(axis=1)})
    brought = BroughtPredictions(estimator=LinearRegression(), estimators=[])
    found = find_wrong_targets(np.zeros((100, 1)), y, table=table, brought=brought)
    assert [(model["name"], model["r2"] > 0.9) for model in found.models] == [("your model", True)]


def test_regressors_get_names():
    pair = ("mine", LinearRegression())
    brought = BroughtPredictions(estimators=[pair, LinearRegression(), LinearRegression()])
    names = [model.name for model in choose_target_models(brought, None, 50, features=True)]
    assert names == ["mine", "LinearRegression 2", "LinearRegression 3"]


@pytest.mark.parametrize("wrong", ["forest", LinearRegression, object()])
def test_what_cannot_predict_is_refused(wrong):
    with pytest.raises(ValueError, match="has no predict; pass a regressor"):
        choose_target_models(BroughtPredictions(estimator=wrong), None, 50, features=True)


def test_without_any_model_nothing_can_be_checked():
    with pytest.raises(ValueError, match="no model is left to check the targets"):
        choose_target_models(BroughtPredictions(), None, 50, features=False)
