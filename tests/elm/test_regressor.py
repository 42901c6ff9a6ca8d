import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from elm import naive_ridge
from errata._crossfit import make_folds
from errata.elm import ELMRegressor
from errata.elm._hidden_layer import HiddenLayer
from errata.exceptions import SuspicionWarning


def waves(n=80, q=None, seed=0):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, 3))
    clean = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    y = clean + random.normal(scale=0.2, size=n)
    return X, y if q is None else np.column_stack([y + k * X[:, 0] for k in range(q)])


def hidden(model, X):
    return HiddenLayer(model.hidden_weights_, model.hidden_bias_, model.activation)(X)


@pytest.mark.parametrize("cv", [None, 4, KFold(7)])
@pytest.mark.parametrize("m", [20, 150], ids=["n > m", "n < m"])
@pytest.mark.parametrize("activation", ["erf", "tanh", "logistic"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_out_of_sample_predictions_equal_refitting(cv, m, activation, fit_intercept):
    X, y = waves()
    model = ELMRegressor(
        n_hidden=m,
        activation=activation,
        alpha=0.1,
        cv=cv,
        fit_intercept=fit_intercept,
        random_state=0,
    )
    model.fit(X, y)
    found = model.loo_predictions_ if cv is None else model.oof_predictions_
    if cv is None:
        folds = [[i] for i in range(80)]
    elif cv == 4:  # the folds are seeded by the generator that has drawn the layer
        random = np.random.default_rng(0)
        random.normal(size=(3, m)), random.normal(size=m)
        codes, seed = np.zeros(80, dtype=int), int(random.integers(2**31 - 1))
        folds = [test for _, test in make_folds(4, codes, random_state=seed)]
    else:
        folds = [test for _, test in cv.split(X)]
    expected = naive_ridge.held_out(
        hidden(model, X), y[:, None], 0.1, folds, fit_intercept=fit_intercept
    )
    np.testing.assert_allclose(found, expected[:, 0], rtol=0, atol=1e-9)


def test_predictions_are_the_hidden_layer_times_the_output_layer():
    X, y = waves(q=2)
    for activation in ("erf", "logistic"):
        model = ELMRegressor(n_hidden=30, activation=activation, random_state=0).fit(X, y)
        np.testing.assert_allclose(
            model.predict(X), hidden(model, X) @ model.coef_ + model.intercept_, rtol=0, atol=1e-10
        )
        coef, intercept = naive_ridge.ridge(hidden(model, X), y, model.alpha_)
        np.testing.assert_allclose(model.coef_, coef, rtol=0, atol=1e-7)
        np.testing.assert_allclose(model.intercept_, intercept, rtol=0, atol=1e-7)


def test_no_ridge_is_least_squares():  # C8
    X, y = waves()
    model = ELMRegressor(n_hidden=10, alpha=0, random_state=0).fit(X, y)
    H = hidden(model, X)
    H1 = np.column_stack([H, np.ones(80)])
    expected = H1 @ np.linalg.lstsq(H1, y, rcond=None)[0]
    np.testing.assert_allclose(model.predict(X), expected, rtol=0, atol=1e-9)


def test_two_rows_are_enough():  # C10
    model = ELMRegressor(n_hidden=20, alpha=0.5, random_state=0).fit([[0.0], [1.0]], [2.0, 5.0])
    np.testing.assert_allclose(model.loo_predictions_, [5, 2], rtol=0, atol=1e-12)


def test_a_constant_target_is_learnt_as_such():  # C10
    X, _ = waves()
    for m in (10, 120):
        model = ELMRegressor(n_hidden=m, alpha=1.0, random_state=0).fit(X, np.full(80, 3.5))
        np.testing.assert_allclose(model.coef_, 0, rtol=0, atol=1e-12)
        np.testing.assert_allclose(model.loo_predictions_, 3.5, rtol=0, atol=1e-12)


@pytest.mark.parametrize("m", [20, 150])
@pytest.mark.parametrize("alpha", [0.5, "gcv"])
def test_weights_are_numbers_of_copies(m, alpha):
    X, y = waves()
    copies = np.random.RandomState(0).randint(0, 4, size=80)
    model = ELMRegressor(n_hidden=m, alpha=alpha, cv=False, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=copies)
    repeated = clone(model).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.alpha_ == pytest.approx(repeated.alpha_, rel=1e-6)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=0, atol=1e-7)


@pytest.mark.parametrize("rule", ["press", "gcv", "kfold"])
def test_rules_choose_a_ridge_near_the_best_on_new_rows(rule):
    X = np.random.RandomState(0).uniform(-1, 1, size=(1200, 2))
    clean = np.sin(3 * X[:, 0]) * X[:, 1]
    y = clean + np.random.RandomState(1).normal(scale=0.3, size=1200)
    model = ELMRegressor(n_hidden=60, alpha=rule, cv=5, random_state=0).fit(X[:200], y[:200])

    def error(alpha):
        plain = clone(model).set_params(alpha=alpha, cv=False).fit(X[:200], y[:200])
        return np.mean((plain.predict(X[200:]) - clean[200:]) ** 2)

    errors = [error(alpha) for alpha in model.alphas_[::4]]
    assert error(model.alpha_) < 1.5 * min(errors) < 0.2 * max(errors)
    assert len(getattr(model, f"{rule}_")) == len(model.alphas_)
    assert hasattr(model, "gcv_") == (rule != "kfold")


def test_given_alphas_are_the_only_ones_tried():
    X, y = waves()
    model = ELMRegressor(n_hidden=20, alphas=[10.0, 0.1, 1.0], random_state=0).fit(X, y)
    assert model.alphas_.tolist() == [0.1, 1.0, 10.0]
    assert model.alpha_ in model.alphas_


def test_degrees_of_freedom_are_the_sum_of_leverages():
    X, y = waves()
    for m in (20, 150):
        model = ELMRegressor(n_hidden=m, random_state=0).fit(X, y)
        assert model.dof_ == pytest.approx(model.leverage_.sum(), rel=1e-8)


def test_units_that_hardly_vary_keep_their_digits():
    # 1e-4 of variation on a mean of one: without the shift, sums of squares would lose half the
    # digits, and an offset of the features would change the predictions.
    X, y = waves()
    model = ELMRegressor(
        n_hidden=30, activation="logistic", weight_scale=1e-5, alpha=1e-10, random_state=0
    ).fit(X, y)
    H = hidden(model, X)
    centred = naive_ridge.ridge(H - H.mean(axis=0), y[:, None], 1e-10)
    expected = (H - H.mean(axis=0)) @ centred[0] + centred[1]
    np.testing.assert_allclose(model.predict(X), expected[:, 0], rtol=0, atol=1e-6)


def test_targets_can_be_added_piece_by_piece():
    X, y = waves(q=2)
    weight = np.random.RandomState(0).random_sample(80)
    whole = ELMRegressor(n_hidden=20, alpha=0.5, random_state=0).fit(X, y, sample_weight=weight)
    pieces = ELMRegressor(n_hidden=20, alpha=0.5, random_state=0)
    for rows in np.array_split(np.arange(80), 3):
        pieces.partial_fit(X[rows], y[rows], sample_weight=weight[rows])
    np.testing.assert_allclose(pieces.predict(X), whole.predict(X), rtol=0, atol=1e-9)
    whole.fit(X, y[:, 0])
    assert whole.predict(X).shape == (80,)


@pytest.mark.parametrize("m", [10, 100], ids=["large folds", "small folds"])
def test_a_fold_with_all_the_weight_leaves_nothing_to_learn_from(m):
    X, y = waves()
    weight = (np.arange(80) < 40).astype(float)
    folds = KFold(2)
    with pytest.raises(ValueError, match="weights sum to zero leaves nothing to solve"):
        ELMRegressor(n_hidden=m, alpha=1.0, cv=folds).fit(X, y, sample_weight=weight)


def test_rows_that_decide_for_themselves_are_told():
    X, y = waves(20)
    with pytest.warns(
        SuspicionWarning, match="20 of 20 rows cannot be predicted without themselves"
    ):
        model = ELMRegressor(n_hidden=50, alpha=0, random_state=0).fit(X, y)
    assert np.isnan(model.loo_predictions_).all()
    np.testing.assert_allclose(model.predict(X), y, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("rule", "cv"), [("press", None), ("press", 5), ("kfold", 5)])
def test_weights_of_any_scale_give_the_same_predictions(rule, cv):
    X, y = waves()
    weight = np.random.RandomState(0).uniform(0.1, 2, size=80)
    model = ELMRegressor(n_hidden=30, alpha=rule, cv=cv, random_state=0)
    whole = clone(model).fit(X, y, sample_weight=weight)
    shares = clone(model).fit(X, y, sample_weight=weight / weight.sum())
    assert shares.alpha_ == pytest.approx(whole.alpha_ / weight.sum(), rel=1e-9)
    np.testing.assert_allclose(shares.predict(X), whole.predict(X), rtol=0, atol=1e-8)


@pytest.mark.parametrize("rule", ["press", "gcv", "kfold"])
@pytest.mark.parametrize("m", [30, 150])
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_under_a_chosen_ridge_equal_refitting(rule, m, weighted):
    X, y = waves()
    weight = np.random.RandomState(0).uniform(0.1, 2, size=80) if weighted else None
    model = ELMRegressor(n_hidden=m, alpha=rule, cv=KFold(5), random_state=0)
    model.fit(X, y, sample_weight=weight)
    H = hidden(model, X)
    folds = [test for _, test in KFold(5).split(X)]
    expected = naive_ridge.held_out(
        H - H.mean(axis=0), y[:, None], model.alpha_, folds, weight=weight
    )
    np.testing.assert_allclose(model.oof_predictions_, expected[:, 0], rtol=0, atol=1e-8)


def test_weights_that_count_as_one_row_leave_gcv_nothing_to_go_by():
    X, y = waves()
    model = ELMRegressor(n_hidden=20, alpha="gcv", random_state=0)
    with pytest.warns(SuspicionWarning, match="gcv cannot compare the alphas.* weights make 1[.]"):
        model.fit(X, y, sample_weight=np.full(80, 1 / 80))
    assert np.isfinite(model.predict(X)).all()
