import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erf
from sklearn.linear_model import LinearRegression, lars_path

from errata.elm import ELMClassifier, ELMRegressor
from errata.elm._elm import rank_units


def rows(n=60, d=12, q=1, seed=0):
    random = np.random.RandomState(seed)
    # Units that are alike, but not so much that scikit-learn's steps go back.
    H = random.normal(size=(n, d)) + random.normal(size=(n, 1)) + 3
    return H, H[:, :4] @ random.normal(size=(4, q)) + random.normal(size=(n, q))


def rank_naively(H, T):
    """Equal correlations by least squares and root finding, a step at a time."""
    H = (H - H.mean(axis=0)) / np.linalg.norm(H - H.mean(axis=0), axis=0)
    T = T - T.mean(axis=0)
    fit = np.zeros_like(T)
    order = [int(np.linalg.norm(H.T @ T, axis=1).argmax())]
    while len(order) < H.shape[1]:
        goal = H[:, order] @ np.linalg.lstsq(H[:, order], T, rcond=None)[0]

        def excess(step, j, goal=goal, fit=fit):
            residual = T - fit - step * (goal - fit)
            return np.linalg.norm(H[:, j] @ residual) - np.linalg.norm(H[:, order[0]] @ residual)

        left = [j for j in range(H.shape[1]) if j not in order]
        steps = [brentq(excess, 0, 1, args=(j,)) if excess(1, j) > 0 else 1.0 for j in left]
        fit = fit + min(steps) * (goal - fit)
        order.append(left[int(np.argmin(steps))])
    return order


@pytest.mark.parametrize("seed", range(5))
def test_one_target_is_ranked_by_scikit_learns_least_angle_regression(seed):
    H, T = rows(seed=seed)
    scaled = (H - H.mean(axis=0)) / np.linalg.norm(H - H.mean(axis=0), axis=0)
    _, active, _ = lars_path(scaled, (T - T.mean(axis=0))[:, 0], method="lar")
    assert rank_units(H, T).tolist() == list(active)


@pytest.mark.parametrize("q", [1, 2, 4])
def test_several_targets_are_ranked_as_a_naive_walk_does(q):
    H, T = rows(q=q)
    assert rank_units(H, T).tolist() == rank_naively(H, T)


def test_units_that_others_replace_or_that_do_not_vary_are_left():
    H, T = rows()
    more = np.column_stack([H, H[:, 0] + H[:, 1], np.full(len(H), 7.0)])
    order = rank_units(more, T)
    assert len(order) == 12
    assert 13 not in order
    assert len(set(order.tolist()) & {0, 1, 12}) == 2


@pytest.mark.parametrize("selection", ["first", "lars"])
@pytest.mark.parametrize("alpha", [0, "press"])
def test_errors_of_sizes_are_those_of_refits_without_each_row(selection, alpha):
    random = np.random.RandomState(0)
    X = random.normal(size=(30, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=30)
    weight = random.choice([1.0, 2.0], 30)
    model = ELMRegressor(n_hidden=8, unit_selection=selection, alpha=alpha, random_state=0)
    model.fit(X, y, sample_weight=weight)
    best = model.sizes_[model.size_errors_.argmin()]
    assert model.units_.shape == model.hidden_bias_.shape == model.coef_[:, 0].shape == (best,)
    error = weight @ (y - model.loo_predictions_) ** 2
    np.testing.assert_allclose(error, model.size_errors_.min(), rtol=1e-6)
    if alpha == 0:
        everything = ELMRegressor(n_hidden=8, random_state=0).fit(X, y)
        np.testing.assert_array_equal(
            model.hidden_weights_, everything.hidden_weights_[:, model.units_]
        )
        H = erf(X @ model.hidden_weights_ + model.hidden_bias_)
        outside = [
            LinearRegression()
            .fit(np.delete(H, i, 0), np.delete(y, i), np.delete(weight, i))
            .predict(H[[i]])[0]
            for i in range(30)
        ]
        np.testing.assert_allclose(model.loo_predictions_, outside, rtol=1e-6, atol=1e-8)


def test_few_ranked_units_do_what_many_drawn_ones_do():
    random = np.random.RandomState(0)
    X = random.uniform(-2, 2, size=(150, 2))
    y = np.sinc(X[:, 0]) + 0.05 * random.normal(size=150)
    ranked, drawn = (
        ELMRegressor(n_hidden=150, alpha=0, unit_selection=how, random_state=1).fit(X, y)
        for how in ("lars", "first")
    )
    assert ranked.size_errors_.min() < drawn.size_errors_.min()
    assert len(ranked.units_) < 75


def test_a_classifier_of_selected_units_finds_wrong_labels():
    random = np.random.RandomState(0)
    y = np.repeat(["a", "b", "c"], 30)
    X = random.normal(size=(90, 2)) + 5 * np.eye(3)[np.unique(y, return_inverse=True)[1]][:, :2]
    labels = y.copy()
    labels[[3, 40]] = "c", "a"
    model = ELMClassifier(n_hidden=60, unit_selection="lars", random_state=0).fit(X, labels)
    assert set(np.argsort(-model.suspicion_)[:2]) == {3, 40}
    assert model.predict(X[:1]).tolist() == ["a"]


def test_bad_choices_get_a_sentence():
    X, y = np.random.RandomState(0).normal(size=(2, 20))
    with pytest.raises(ValueError, match="unit_selection='best' is not known"):
        ELMRegressor(unit_selection="best").fit(X[:, None], y)
    with pytest.raises(ValueError, match="needs all rows at once"):
        ELMRegressor(unit_selection="lars").partial_fit(X[:, None], y)
