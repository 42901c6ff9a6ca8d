from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

import errata
from auditing.target_cases import straight
from errata.auditing.numbers import TargetRows, find_wrong_targets
from errata.auditing.numbers._models import (
    TargetData,
    ask_trees,
    cross_fit_regressor,
    default_target_models,
    predict_by_neighbors,
    predict_by_rbf,
    predict_by_trees,
    predict_linearly,
    weighted_median,
)

MODELS = {
    "rbf": partial(predict_by_rbf, sharpness=1.0),
    "linear": predict_linearly,
    "near": partial(predict_by_neighbors, n_neighbors=5),
    "extra": partial(predict_by_trees, extra=True, n_trees=50),
    "forest": partial(predict_by_trees, extra=False, n_trees=50),
}
each_model = pytest.mark.parametrize("predict", MODELS.values(), ids=MODELS)


def data_of(n=120, more=0, **given):
    X, y = straight(n + more, noise=0.5)
    return TargetData(X, y[:n], random_state=3, **given)


@each_model
def test_rows_are_predicted_without_their_own_target(predict, monkeypatch):
    # Whatever y_7 is, row 7 is predicted the same; only the penalty may move, so it is held fixed.
    data = data_of()
    monkeypatch.setattr("errata.elm._ridge.choose_alpha", lambda *_: (0.1, {}))
    monkeypatch.setattr("errata.auditing.numbers._models.choose_alpha", lambda *_: (0.1, {}))
    before = predict(data)[7]
    data.targets[7] += 100
    after = predict(data)
    np.testing.assert_allclose(after[7], before, rtol=0, atol=1e-9)
    assert not np.allclose(after, predict(data_of()), rtol=0, atol=1e-3)


@each_model
def test_rows_of_a_group_are_left_out_together(predict):
    groups = np.arange(120) // 4
    data = data_of(groups=groups)
    before = predict(data)[groups == 2]
    data.targets[groups == 2] += 1e-6  # too little to move the penalty
    np.testing.assert_allclose(predict(data)[groups == 2], before, rtol=0, atol=1e-9)


@each_model
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_without_a_target_are_predicted_too(predict, grouped):
    groups = np.arange(120) // 2 if grouped else None
    data = data_of(more=30, groups=groups)
    told = predict(data)
    truth = straight(150, noise=0.5)[1]
    assert told.shape == (150,)
    assert np.corrcoef(told[120:], truth[120:])[0, 1] > 0.7


@pytest.mark.parametrize("name", [name for name in MODELS if name != "near"])
def test_rows_of_little_weight_are_hardly_learnt_from(name):
    data = data_of()
    wrong = np.arange(120) < 20
    data.targets[wrong] += 30
    weight = np.where(wrong, 1e-3, 1.0)
    told = MODELS[name](
        TargetData(data.X, data.targets, weight=weight, random_state=data.random_state)
    )
    truth = straight(120, noise=0.5)[1]
    assert np.median(np.abs(told - truth)) < 1.2


def test_the_linear_model_equals_a_refit_without_each_row(monkeypatch):
    monkeypatch.setattr("errata.auditing.numbers._models.choose_alpha", lambda *_: (2.0, {}))
    data = data_of(40)
    weight = np.random.default_rng(0).uniform(0.2, 1, 40)
    told = predict_linearly(TargetData(data.X, data.targets, weight=weight))
    for row in range(40):
        rest = np.arange(40) != row
        w, X, y = weight[rest], data.X[rest], data.targets[rest]
        mean, center = np.average(X, axis=0, weights=w), np.average(y, weights=w)
        A = (X - mean).T @ (w[:, None] * (X - mean)) + 2.0 * np.eye(3)
        coef = np.linalg.solve(A, (X - mean).T @ (w * (y - center)))
        np.testing.assert_allclose(told[row], center + (data.X[row] - mean) @ coef, atol=1e-9)


def test_neighbours_equal_a_sort_for_each_row():
    data = data_of(60)
    told = predict_by_neighbors(data, n_neighbors=7)
    for row in range(60):
        distances = np.linalg.norm(data.X - data.X[row], axis=1)
        distances[row] = np.inf
        near = np.argsort(distances)[:7]
        weight = np.exp(-((distances[near] / distances[near].mean()) ** 2))
        order = near[np.argsort(data.targets[near])]
        weight = weight[np.argsort(data.targets[near])]
        place = np.flatnonzero(np.cumsum(weight) >= weight.sum() / 2)[0]
        np.testing.assert_allclose(told[row], data.targets[order[place]], rtol=0, atol=0)


def test_a_weighted_median_has_half_of_the_weight_at_or_below_it():
    assert weighted_median(np.array([3.0, 1.0, 2.0]), np.ones(3)) == 2
    assert weighted_median(np.array([3.0, 1.0, 2.0]), np.array([5.0, 1.0, 1.0])) == 3
    rows = weighted_median(np.array([[3.0, 1.0], [4.0, 9.0]]), np.array([[1, 3], [3, 1]]))
    np.testing.assert_allclose(rows, [1, 4], rtol=0, atol=0)


def test_large_tables_have_fewer_models():
    names = {n: [name for name, _ in default_target_models(n)] for n in (500, 10_000, 50_000)}
    assert len(names[500]) == 7
    assert set(names[500]) - set(names[10_000]) == {"random forest"}
    assert set(names[10_000]) - set(names[50_000]) == {"neighbours"}


@pytest.mark.parametrize("regressor", [LinearRegression(), KNeighborsRegressor(3)])
def test_a_regressor_hardly_learns_from_rows_of_little_weight(regressor):
    # Neighbours know no weights: rows are left out instead.
    X, y = straight(200)
    noisy, wrong = y.copy(), np.arange(200) < 60
    noisy[wrong] += 100
    data = TargetData(X, noisy, weight=np.where(wrong, 1e-3, 1.0))
    told = cross_fit_regressor(data, regressor=regressor)
    assert np.median(np.abs(told - y)) < 2


def test_a_regressor_learns_from_its_own_table():
    pd = pytest.importorskip("pandas")
    X, y = straight(100)
    table = pd.DataFrame({"sum": X.sum(axis=1)})
    found = find_wrong_targets(
        TargetRows(np.zeros((100, 1)), y, table=table, estimator=LinearRegression(), estimators=[])
    )
    assert [(model["name"], model["r2"] > 0.9) for model in found.models] == [("your model", True)]


def test_regressors_get_names():
    pair = ("mine", LinearRegression())
    models = [pair, LinearRegression(), LinearRegression()]
    audit = errata.audit_targets(*straight(50), estimators=models, self_check=False)
    assert [model["name"] for model in audit.models] == [
        "mine",
        "LinearRegression 2",
        "LinearRegression 3",
    ]


@pytest.mark.parametrize("wrong", ["forest", LinearRegression, object()])
def test_what_cannot_predict_is_refused(wrong):
    with pytest.raises(ValueError, match="has no predict; pass a regressor"):
        errata.audit_targets(*straight(50), estimator=wrong)


def test_without_any_model_nothing_can_be_checked():
    with pytest.raises(ValueError, match="no model is left to check the targets"):
        errata.audit_targets(None, straight(50)[1])


@pytest.mark.parametrize("grouped", [False, True])
def test_trees_are_apart_beside_a_step(grouped):
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 1))
    groups = np.arange(300) // 2 if grouped else None
    y = 5.0 * (X[:, 0] > 0)
    data = TargetData(X, y[:250], groups=groups[:250] if grouped else None)
    mean, apart = ask_trees(data, extra=False, n_trees=40)
    assert mean.shape == apart.shape == (300,)
    near = np.abs(X[:, 0]) < 0.02
    assert apart[near].mean() > 0.3
    assert apart[np.abs(X[:, 0]) > 0.2].mean() < 0.05
