import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_blobs
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, scale
from sklearn.utils import get_tags

from elm import naive_ridge
from errata._crossfit import make_folds
from errata._validation import fit_to_codes
from errata.elm import ELMSVC, ELMSVR, ELMClassifier, ELMFeatures, ELMRegressor, _elm
from errata.elm._elm import (
    compute_probabilities,
    encode_one_hot,
    fill_undefined,
    fit_temperature,
    score_labels,
    warn_of_rare_classes,
)
from errata.elm._hidden_layer import HiddenLayer
from errata.exceptions import SuspicionWarning
from errata.noise import flip_labels

LETTERS = np.array(["c", "a", "b"])


def three_classes(n=90, flips=9, seed=0):
    X, y = make_blobs(n, centers=3, n_features=4, cluster_std=3.0, random_state=seed)
    return scale(X), flip_labels(y, n_flips=flips, random_state=seed)[0]


def test_folds_of_scikit_learn_give_what_cross_val_predict_gives_by_refitting():
    X, y = three_classes()
    model = ELMClassifier(n_hidden=25, alpha=0.3, cv=KFold(5), random_state=0).fit(X, y)
    plain = clone(model).set_params(cv=False)
    slow = cross_val_predict(plain, X, y, cv=KFold(5), method="decision_function")
    np.testing.assert_allclose(model.oof_predictions_, slow, rtol=0, atol=1e-9)


@pytest.mark.parametrize("parameters", [{}, {"cv": 5}, {"alpha": "gcv"}, {"alpha": 0.5}])
def test_block_size_does_not_matter(parameters):  # C7
    X, y = three_classes()
    for m in (20, 150):
        model = ELMClassifier(n_hidden=m, random_state=0, **parameters).fit(X, y)
        small = clone(model).set_params(block_size=7).fit(X, y)
        np.testing.assert_allclose(small.coef_, model.coef_, rtol=0, atol=1e-9)
        np.testing.assert_allclose(small.suspicion_, model.suspicion_, rtol=0, atol=1e-9)
        assert small.alpha_ == pytest.approx(model.alpha_, rel=1e-9)


def test_single_precision_input_is_good_to_four_digits():  # C7
    X, y = three_classes()
    for parameters in ({"alpha": 1.0}, {"alpha": 1.0, "cv": 5}):
        model = ELMClassifier(n_hidden=40, random_state=0, **parameters).fit(X, y)
        single = clone(model).fit(X.astype(np.float32), y)
        np.testing.assert_allclose(single.suspicion_, model.suspicion_, rtol=0, atol=1e-4)
        np.testing.assert_allclose(single.coef_, model.coef_, rtol=0, atol=1e-4)


@pytest.mark.parametrize("cv", [None, 5])
@pytest.mark.parametrize("m", [20, 150])
def test_scores_sum_to_one_in_and_out_of_sample(cv, m):  # C8
    X, y = three_classes()
    model = ELMClassifier(n_hidden=m, cv=cv, random_state=0).fit(X, y)
    scores = model.loo_predictions_ if cv is None else model.oof_predictions_
    np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 1, rtol=0, atol=1e-10)


def test_permuting_classes_permutes_scores():  # C8
    X, y = three_classes()
    model = ELMClassifier(n_hidden=30, alpha=0.2, random_state=0).fit(X, y)
    renamed = clone(model).fit(X, LETTERS[y])
    order = [list(renamed.classes_).index(name) for name in LETTERS]
    np.testing.assert_allclose(
        renamed.loo_predictions_[:, order], model.loo_predictions_, rtol=0, atol=1e-12
    )


def test_an_infinite_ridge_leaves_the_shares_of_the_classes_without_the_row():  # C8
    X, y = three_classes()
    model = ELMClassifier(n_hidden=30, alpha=1e14, random_state=0).fit(X, y)
    counts = np.bincount(y)
    expected = (counts - np.eye(3)[y]) / (len(y) - 1)
    np.testing.assert_allclose(model.loo_predictions_, expected, rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore:the largest value tried")
def test_two_rows_are_enough():  # C10
    with pytest.warns(SuspicionWarning, match="no row is left"):
        model = ELMClassifier(n_hidden=20, random_state=0).fit([[0.0], [1.0]], ["a", "b"])
    assert np.isfinite(model.suspicion_).all()


def test_a_row_without_weight_is_predicted_as_if_it_were_new():
    X, y = three_classes()
    weight = np.ones(len(y))
    weight[7] = 0
    for cv in (None, KFold(5)):
        model = ELMClassifier(n_hidden=30, alpha=0.3, cv=cv, random_state=0)
        model.fit(X, y, sample_weight=weight)
        assert np.isfinite(model.suspicion_).all()
    loo = ELMClassifier(n_hidden=30, alpha=0.3, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        loo.loo_predictions_[7], loo.decision_function(X[7:8])[0], rtol=0, atol=1e-10
    )


def test_plain_fits_and_refits_leave_nothing_behind_from_before():
    X, y = three_classes()
    model = ELMClassifier(n_hidden=20, random_state=0).fit(X, y)
    assert {"suspicion_", "leverage_", "loo_predictions_", "press_"} <= set(vars(model))
    model.set_params(cv=False, alpha=1.0).fit(X, y)
    assert not {"suspicion_", "leverage_", "loo_predictions_", "press_"} & set(vars(model))
    assert model.temperature_ is None
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=0, atol=1e-12)


def test_flags_follow_the_scores_unless_a_rule_is_given():
    X, y = three_classes()
    model = ELMClassifier(n_hidden=60, random_state=0).fit(X, y)
    scores = model.loo_predictions_
    np.testing.assert_array_equal(model.flagged_, scores.argmax(axis=1) != y)
    np.testing.assert_array_equal(model.flagged_, model.margin_ < 0)
    np.testing.assert_array_equal(model.suggested_, scores.argmax(axis=1))
    shared = clone(model).set_params(contamination=0.1).fit(X, y)
    assert shared.flagged_.sum() == 9
    assert shared.suspicion_[shared.flagged_].min() >= shared.suspicion_[~shared.flagged_].max()
    strict = clone(model).set_params(threshold=0.9).fit(X, y)
    np.testing.assert_array_equal(strict.flagged_, strict.suspicion_ > 0.9)


def test_probabilities_are_scores_under_a_softmax_at_the_fitted_temperature():
    X, y = three_classes()
    model = ELMClassifier(n_hidden=60, random_state=0).fit(X, y)
    powers = np.exp(model.decision_function(X) / model.temperature_)
    np.testing.assert_allclose(
        model.predict_proba(X), powers / powers.sum(axis=1, keepdims=True), rtol=0, atol=1e-12
    )


def test_probabilities_forecast_held_out_labels_better_than_cut_scores():
    X, y = three_classes(600, flips=60)
    model = ELMClassifier(n_hidden=100, random_state=0).fit(X[:300], y[:300])
    warm = model.predict_proba(X[300:])[np.arange(300), y[300:]]
    cold = clone(model).set_params(cv=False).fit(X[:300], y[:300]).predict_proba(X[300:])
    cut = cold[np.arange(300), y[300:]]
    assert -np.log(warm).mean() < -np.log(np.maximum(cut, 1e-9)).mean()
    confidence = model.predict_proba(X[300:]).max(axis=1).mean()
    assert confidence == pytest.approx(np.mean(model.predict(X[300:]) == y[300:]), abs=0.05)


@pytest.mark.parametrize("alpha", [0.5, "press", "gcv"])
def test_adding_rows_piece_by_piece_is_fitting_all_at_once(alpha):
    X, y = three_classes()
    names = LETTERS[y]
    whole = ELMClassifier(n_hidden=30, alpha=alpha, cv=False, random_state=0)
    if alpha == "press":
        whole.set_params(alpha="gcv")  # which stands in for it when the rows are gone
    whole.fit(X, names)
    pieces = ELMClassifier(n_hidden=30, alpha=alpha, random_state=0)
    for rows in np.array_split(np.random.RandomState(0).permutation(90), 4):
        pieces.partial_fit(X[rows], names[rows], classes=["a", "b", "c"])
        pieces.predict(X[:2])  # asking in between must not matter
    np.testing.assert_allclose(
        pieces.decision_function(X), whole.decision_function(X), rtol=0, atol=1e-8
    )
    assert pieces.alpha_ == pytest.approx(whole.alpha_, rel=1e-9)
    assert not hasattr(pieces, "suspicion_")


def test_partial_fit_refuses_what_it_cannot_do():
    X, y = three_classes()
    model = ELMClassifier(n_hidden=10, random_state=0)
    with pytest.raises(ValueError, match="first call of partial_fit needs classes"):
        model.partial_fit(X, y)
    model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"label 7, which is not among the classes .*\(0, 1, 2\)"):
        model.partial_fit(X[:1], [7])


def test_partial_fit_takes_new_classes_only_when_it_starts_anew():
    X, y = three_classes()
    model = ELMClassifier(n_hidden=10, random_state=0).fit(X, y > 0)
    with pytest.warns(SuspicionWarning, match="starts anew"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]
    model.partial_fit(X, y, classes=[2, 1, 0])
    with pytest.raises(ValueError, match=r"classes=\[0, 1\] are not those of the first call"):
        model.partial_fit(X, y, classes=[0, 1])


def test_partial_fit_checks_labels_and_alphas_at_once():
    X, _ = three_classes()
    with pytest.raises(ValueError, match="contains NaN or None: 1 row without a label"):
        ELMClassifier().partial_fit(X[:2], np.array(["a", None], dtype=object), classes=["a", "b"])
    with pytest.raises(ValueError, match="alpha=-1 must be a number of at least 0"):
        ELMClassifier(alpha=-1).partial_fit(X[:2], [0, 1], classes=[0, 1])


def test_adding_rows_after_a_fit_starts_anew_and_says_so():
    X, y = three_classes()
    model = ELMClassifier(n_hidden=10, alpha=1.0, random_state=0).fit(X, y)
    with pytest.warns(SuspicionWarning, match="fit keeps no sums that rows could be added to"):
        model.partial_fit(X[:50], y[:50])
    assert not hasattr(model, "suspicion_")
    fresh = ELMClassifier(n_hidden=10, alpha=1.0, cv=False, random_state=0).fit(X[:50], y[:50])
    np.testing.assert_allclose(
        model.decision_function(X), fresh.decision_function(X), rtol=0, atol=1e-10
    )


def test_constant_columns_are_harmless_and_constant_rows_are_told():
    X, y = three_classes()
    wide = np.column_stack([X, np.full(90, 7.0)])
    assert ELMClassifier(n_hidden=60, random_state=0).fit(wide, y).score(wide, y) > 0.8
    for m in (10, 150):
        with pytest.warns(SuspicionWarning, match="hidden units do not vary over the rows"):
            model = ELMClassifier(n_hidden=m, alpha=1.0, random_state=0).fit(np.ones((90, 2)), y)
        shares = np.bincount(y) / 90
        np.testing.assert_allclose(model.decision_function([[1, 1]]), [shares], atol=1e-9)


def test_a_class_of_one_is_told():
    X, y = three_classes()
    y = np.where(np.arange(90) == 0, 9, y)
    with pytest.warns(SuspicionWarning, match="no row is left to learn class 9 from"):
        model = ELMClassifier(n_hidden=30, random_state=0).fit(X, y)
    assert model.loo_predictions_[0, 3] == pytest.approx(0, abs=1e-9)


def test_a_class_without_weight_is_told():
    X, y = three_classes()
    with pytest.warns(SuspicionWarning, match="no row is left to learn class 1 from"):
        ELMClassifier(n_hidden=30, alpha=1.0, random_state=0).fit(X, y, sample_weight=y != 1)


def test_interpolating_models_cannot_check_labels_and_say_so():
    X, y = three_classes()
    with pytest.warns(
        SuspicionWarning, match="90 of 90 rows cannot be predicted without themselves"
    ):
        model = ELMClassifier(n_hidden=200, alpha=0, random_state=0).fit(X, y)
    assert not model.flagged_.any()
    np.testing.assert_allclose(model.suspicion_, 2 / 3, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1}, "alpha=-1 must be a number of at least 0"),
        ({"alpha": np.inf}, "alpha=inf must be a number of at least 0"),
        ({"alpha": True}, "alpha=True must be a number of at least 0"),
        ({"alpha": np.ones(2)}, r"alpha=array\(\[1., 1.\]\) must be a number of at least 0"),
        ({"alpha": "aic"}, "alpha='aic' is not known; choose from press, gcv, kfold"),
        ({"alpha": "kfold"}, 'alpha="kfold" needs folds to compare alphas on; pass cv=5'),
        ({"alphas": [1.0, 0.0]}, "alphas must be positive, but 0 is among them"),
        ({"block_size": 0}, "block_size=0 must be a whole number at least 1"),
        ({"cv": 1}, "cv=1 must be a whole number between 2 and 90"),
        ({"n_hidden": 2.5}, "n_hidden=2.5 must be a whole number at least 1"),
        ({"weight_scale": -1}, "weight_scale=-1 must be a finite number above 0"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = three_classes()
    with pytest.raises(ValueError, match=message):
        ELMClassifier(**parameters).fit(X, y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match=r"holds one class only .* at least 2 are needed"):
        ELMClassifier().fit([[0.0], [1.0]], ["a", "a"])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(3), r"one number for each of the 90 rows, but its shape is \(3,\)"),
        (-np.ones(90), r"sample_weight\[0\] = -1.0 is not a weight"),
        (np.zeros(90), "sample_weight is zero everywhere"),
        (np.full(90, np.nan), r"sample_weight\[0\] = nan is not a weight"),
    ],
)
def test_bad_weights_are_named(weight, message):
    X, y = three_classes()
    with pytest.raises(ValueError, match=message):
        ELMClassifier(n_hidden=10).fit(X, y, sample_weight=weight)


def flipped_wdbc(seed):
    X, y = load_breast_cancer(return_X_y=True)  # the same table as wdbc
    noisy, flipped = flip_labels(y, 0.1, random_state=seed)
    return scale(X), noisy, flipped


@pytest.mark.parametrize("seed", range(3))
def test_planted_errors_in_wdbc_are_ranked_first(seed):  # U5
    X, y, flipped = flipped_wdbc(seed)
    model = ELMClassifier(n_hidden=300, random_state=seed).fit(X, y)
    assert roc_auc_score(flipped, model.suspicion_) >= 0.98


@pytest.mark.parametrize("weight_scale", [1.0, 0.1])
def test_leave_one_out_sees_errors_that_a_model_has_memorised(weight_scale):  # U5
    X, y, flipped = flipped_wdbc(0)
    honest = ELMClassifier(n_hidden=300, weight_scale=weight_scale, random_state=0).fit(X, y)
    eigenvalue = honest.alphas_[0] / 1e-8
    sharp = ELMClassifier(
        n_hidden=300, weight_scale=weight_scale, alpha=1e-8 * eigenvalue, cv=False, random_state=0
    ).fit(X, y)
    own = sharp.decision_function(X) * np.where(y == 1, 1, -1)
    in_sample, out_of_sample = (
        roc_auc_score(flipped, -own),
        roc_auc_score(flipped, honest.suspicion_),
    )
    assert out_of_sample >= in_sample + 0.03


def test_rows_of_a_group_are_left_out_together():
    X, y = three_classes()
    groups = np.random.RandomState(0).randint(12, size=len(y))
    model = ELMClassifier(n_hidden=25, alpha=0.3, random_state=0).fit(X, y, groups=groups)
    assert not hasattr(model, "loo_predictions_")
    left_out = LeaveOneGroupOut()
    plain = clone(model).set_params(cv=False)
    slow = cross_val_predict(plain, X, y, cv=left_out, groups=groups, method="decision_function")
    np.testing.assert_allclose(model.oof_predictions_, slow, rtol=0, atol=1e-9)
    by_splitter = clone(model).set_params(cv=left_out).fit(X, y, groups=groups)
    np.testing.assert_allclose(by_splitter.oof_predictions_, slow, rtol=0, atol=1e-9)


def test_folds_of_groups_compare_alphas_too():
    X, y = three_classes()
    groups = np.arange(len(y)) % 7
    model = ELMClassifier(n_hidden=25, alpha="kfold", random_state=0).fit(X, y, groups=groups)
    assert len(model.kfold_) == len(model.alphas_)


def test_checked_rows_are_not_checked_again(monkeypatch):
    X, y = three_classes()
    expected = ELMClassifier(n_hidden=25, random_state=0).fit(X, y)
    monkeypatch.setattr(_elm, "check_labelled", None)
    found = fit_to_codes(ELMClassifier(n_hidden=25, random_state=0), X, y)
    np.testing.assert_array_equal(found.suspicion_, expected.suspicion_)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("name", ["sample_weight", "groups"])
def test_weights_and_groups_reach_it_through_pipeline_and_grid_search(name):
    X, y = three_classes()
    values = np.random.RandomState(0).randint(1, 6, size=len(y))
    with config_context(enable_metadata_routing=True):
        model = ELMClassifier(n_hidden=15, alpha=1.0, random_state=0)
        model.set_fit_request(**{name: True}).set_score_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), model)
        search = GridSearchCV(pipeline, {"elmclassifier__alpha": [1.0]})
        found = search.fit(X, y, **{name: values}).best_estimator_[-1]
        expected, plain = (clone(model).fit(X, y, **given) for given in ({name: values}, {}))
    np.testing.assert_array_equal(found.suspicion_, expected.suspicion_)
    assert not np.array_equal(found.suspicion_, plain.suspicion_)


@pytest.mark.parametrize(
    "model", [ELMClassifier(), ELMRegressor(), ELMFeatures(), ELMSVC(), ELMSVR()], ids=repr
)
def test_missing_values_are_refused_by_name(model):
    X, y = three_classes()
    X[3, 1] = np.nan
    assert not get_tags(model).input_tags.allow_nan
    with pytest.raises(
        ValueError, match=f"X contains NaN, but {type(model).__name__} does not accept"
    ):
        model.fit(X, y)
    model = model.set_params(n_hidden=5).fit(X[4:], y[4:])
    method = model.transform if hasattr(model, "transform") else model.predict
    with pytest.raises(
        ValueError, match=f"X contains NaN, but {type(model).__name__} does not accept"
    ):
        method(X)


def test_kfold_keeps_the_models_without_each_fold():
    X, y = three_classes()
    folds = np.arange(90) % 3
    cv = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    model = ELMClassifier(n_hidden=25, alpha="kfold", cv=cv, random_state=0).fit(X, y)
    alone = ELMClassifier(n_hidden=25, alpha=model.alpha_, cv=False, random_state=0)
    for k, (train, test) in enumerate(cv):
        refitted = alone.fit(X[train], y[train])
        np.testing.assert_allclose(model.fold_coef_[k], refitted.coef_, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(
            model.fold_intercept_[k], refitted.intercept_, rtol=1e-4, atol=1e-6
        )
        scores = alone._scores(X[test])
        np.testing.assert_allclose(model.oof_predictions_[test], scores, rtol=0, atol=1e-7)
    assert not hasattr(alone, "fold_coef_")


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


def test_two_rows_are_enough_of_numbers():  # C10
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


scores_strategy = hnp.arrays(
    float, st.tuples(st.integers(1, 20), st.integers(2, 4)), elements=st.floats(-2, 2, width=32)
)


@given(scores_strategy, st.floats(0.05, 5))
def test_scores_of_labels_are_what_their_definitions_say(scores, temperature):
    codes = np.arange(len(scores)) % scores.shape[1]
    suspicion, margin, suggested = score_labels(scores, codes, temperature)
    p = np.exp(log_softmax(scores / temperature, axis=1))
    for i, c in enumerate(codes):
        others = np.delete(scores[i], c)
        assert suspicion[i] == pytest.approx(1 - p[i, c], abs=1e-12)
        assert margin[i] == scores[i, c] - others.max()
        if margin[i] >= 0:
            assert suggested[i] == c  # of equals, the label itself
        else:
            assert scores[i, suggested[i]] == scores[i].max()


def test_suspicions_of_trusted_rows_keep_their_order():
    margins = np.linspace(5, 30, 20)  # one minus a probability would be zero for most of them
    scores = np.column_stack([margins, np.zeros(20)])
    suspicion, _, _ = score_labels(scores, np.zeros(20, dtype=int), 0.2)
    assert np.all(np.diff(suspicion) < 0)


@pytest.mark.parametrize("weighted", [False, True])
def test_temperature_minimises_the_smoothed_log_loss(weighted):
    random = np.random.RandomState(0)
    codes = random.randint(3, size=300)
    scores = 0.4 * np.eye(3)[codes] + random.normal(scale=0.3, size=(300, 3))
    weight = 3 * random.random_sample(300) if weighted else np.ones(300)
    smooth = 1 / (weight.sum() + 2)
    target = (1 - smooth) * np.eye(3)[codes] + smooth / 2 * (1 - np.eye(3)[codes])

    def loss(log_temperature):
        logs = log_softmax(scores / np.exp(log_temperature), axis=1)
        return -(weight @ (target * logs).sum(axis=1))

    found = fit_temperature(scores, codes, weight if weighted else None)
    expected = minimize_scalar(loss, bounds=(-4, 4), method="bounded", options={"xatol": 1e-9})
    assert np.log(found) == pytest.approx(expected.x, abs=1e-5)


def test_temperature_does_not_mind_weights_that_sum_to_one():
    codes = np.arange(40) % 2
    clean = encode_one_hot(codes, 2)  # without errors, smoothing alone decides
    assert fit_temperature(clean, codes, np.full(40, 1 / 40)) == pytest.approx(
        fit_temperature(clean, codes, None), rel=1e-9
    )


def test_temperature_makes_forecasts_of_labels_honest():
    # Labels drawn from softmax(scores / 0.3): that temperature must come back.
    random = np.random.RandomState(0)
    scores = random.normal(size=(20_000, 2))
    p = compute_probabilities(scores, 0.3)
    codes = (random.random_sample(20_000) < p[:, 1]).astype(int)
    assert fit_temperature(scores, codes, None) == pytest.approx(0.3, rel=0.03)


def test_without_errors_the_temperature_stays_above_zero_and_without_sense_below_infinity():
    clean = encode_one_hot(np.arange(40) % 2, 2)
    assert 0.05 < fit_temperature(clean, np.arange(40) % 2, None) < 1
    assert fit_temperature(clean, (np.arange(40) + 1) % 2, None) == pytest.approx(1e3)


@given(scores_strategy, st.none() | st.floats(0.05, 5))
def test_probabilities_are_probabilities(scores, temperature):
    p = compute_probabilities(scores, temperature)
    assert np.all((p >= 0) & (p <= 1))
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_without_a_temperature_scores_are_cut_and_scaled():
    scores = np.array([[1.2, -0.2], [0.3, 0.7], [-1.0, -2.0]])
    np.testing.assert_allclose(
        compute_probabilities(scores, None), [[1, 0], [0.3, 0.7], [0.5, 0.5]], rtol=0, atol=1e-15
    )


def test_rows_that_cannot_be_predicted_are_left_undecided():
    scores = np.array([[0.9, 0.1], [np.nan, np.nan]])
    assert fill_undefined(scores).tolist() == [[0.9, 0.1], [0.5, 0.5]]


def test_classes_that_vanish_when_held_out_are_named():
    codes, classes = np.array([0, 0, 0, 1, 2, 2]), np.array(["ant", "bee", "cat"])
    with pytest.warns(SuspicionWarning, match="learn class 'bee' from"):
        warn_of_rare_classes(codes, classes, None)
    with pytest.warns(SuspicionWarning, match="learn class 'bee', 'cat' from"):
        warn_of_rare_classes(codes, classes, [np.array([0, 1]), np.arange(2, 6)])
    with pytest.warns(SuspicionWarning, match="learn class 'bee', 'cat' from"):
        warn_of_rare_classes(codes, classes, None, weight=np.array([1, 1, 1, 0, 2, 0]))
    warn_of_rare_classes(np.array([0, 0, 1, 1]), classes[:2], None)
