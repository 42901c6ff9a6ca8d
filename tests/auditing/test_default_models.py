import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import errata
from auditing.large_tables import lower_limits
from auditing_cases import CODES, GROUPS, X, blobs
from errata._crossfit import FittedToCodes
from errata.auditing import NewRows, TrainingData, default_models
from errata.auditing._learning import name_models
from errata.auditing.models import _default
from errata.auditing.models._base import (
    certain_or_uniform,
    cross_fit_classifier,
    cross_fit_proba,
    split_of_fold,
)
from errata.auditing.models._default import (
    CrossFitted,
    Forest,
    GivenProbabilities,
    GradientBoosting,
    KernelAndTrees,
    LinearModel,
    NearestRows,
    RBFRidge,
    estimator_table,
)

QUICK = [
    RBFRidge("RBF features", 1.0, n_hidden=20),
    Forest("trees", True, 20, 1),
    Forest("forest", False, 20, 1),
    NearestRows("near", 5),
    LinearModel("line"),
    CrossFitted("yours", LogisticRegression(), X, np.arange(3)),
]


each = pytest.mark.parametrize("model", QUICK, ids=lambda model: model.name)


def assert_probabilities(proba, n, n_classes):
    assert proba.shape == (n, n_classes)
    assert proba.min() >= 0
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-6)


@each
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "in groups"])
def test_modeles_give_probabilities_and_know_separated_classes(model, groups):
    proba = model.out_of_fold_proba(TrainingData(X, CODES, 3, groups))
    assert_probabilities(proba, 60, 3)
    assert np.mean(proba.argmax(axis=1) == CODES) > 0.9


@each
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "in groups"])
def test_a_class_that_no_row_has_gets_nothing_or_little(model, groups):
    codes = np.where(CODES == 1, 0, CODES)  # planting errors may empty a class
    proba = model.out_of_fold_proba(TrainingData(X, codes, 3, groups))
    assert_probabilities(proba, 60, 3)
    assert proba[:, 1].mean() < 0.1


@each
def test_no_row_is_predicted_from_its_own_label(model):
    before = model.out_of_fold_proba(TrainingData(X, CODES, 3))
    for row in (0, 7):
        codes = CODES.copy()
        codes[row] = (codes[row] + 1) % 3
        after = model.out_of_fold_proba(TrainingData(X, codes, 3))
        assert abs(after[row, CODES[row]] - before[row, CODES[row]]) < 0.2  # its folds may change


@each
def test_rows_of_a_group_are_not_predicted_from_each_other(model):
    # Rows that come five times over, with labels drawn at random for all five together.
    random = np.random.default_rng(3)
    copies, rows = random.normal(size=(24, 6)), np.arange(24).repeat(5)
    codes = random.integers(2, size=24)[rows]
    if isinstance(model, CrossFitted):
        model = replace(model, table=copies[rows], classes=np.arange(2))
    together = TrainingData(copies[rows], codes, 2, rows)
    assert np.mean(model.out_of_fold_proba(together).argmax(axis=1) == codes) < 0.75
    if not isinstance(model, CrossFitted | LinearModel):  # too stiff to memorise rows
        alone = TrainingData(copies[rows], codes, 2)
        assert np.mean(model.out_of_fold_proba(alone).argmax(axis=1) == codes) > 0.8


@pytest.mark.parametrize("model", QUICK[:4], ids=lambda model: model.name)
def test_six_rows_and_equal_rows_are_no_trouble(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = TrainingData(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2)
        assert_probabilities(model.out_of_fold_proba(few), 6, 2)
        equal = TrainingData(np.zeros((8, 3)), np.arange(8) % 2, 2)
        assert_probabilities(model.out_of_fold_proba(equal), 8, 2)


def test_many_rows_are_left_out_in_folds_and_trees_grown_from_some(monkeypatch):
    monkeypatch.setattr(_default, "LEAVE_ONE_OUT", 30)
    monkeypatch.setattr(_default, "TREE_ROWS", 55)
    for model in QUICK[:3]:
        assert_probabilities(model.out_of_fold_proba(TrainingData(X, CODES, 3)), 60, 3)
        assert_probabilities(model.out_of_fold_proba(TrainingData(X, CODES, 3, GROUPS)), 60, 3)


@each
def test_a_fold_that_takes_a_class_away_leaves_those_who_know_the_other(model):
    codes = (CODES > 0).astype(int)
    if isinstance(model, CrossFitted):
        model = replace(model, table=X, classes=np.arange(2))
    data = TrainingData(X, codes, 2, codes)
    proba = model.out_of_fold_proba(data)
    assert_probabilities(proba, 60, 2)
    assert (proba.argmax(axis=1) != codes).mean() > 0.9


@pytest.mark.parametrize("n", [10, 10_000, 1_000_000])
def test_there_are_several_models_with_names_of_their_own(n):
    names = [model.name for model in default_models(n, 3)]
    assert len(set(names)) == len(names) >= 3


def test_boosting_is_used_where_rows_are_many_and_classes_few():
    def boosted(n, n_classes):
        return any(isinstance(m, GradientBoosting) for m in default_models(n, n_classes))

    assert boosted(10_000, 2)
    assert not boosted(500, 2)
    assert not boosted(10_000, 26)


def test_boosting_knows_separated_classes():
    many, codes = blobs(400)
    proba = GradientBoosting("boosting").out_of_fold_proba(TrainingData(many, codes, 3))
    assert_probabilities(proba, 400, 3)
    assert np.mean(proba.argmax(axis=1) == codes) > 0.9


def test_boosting_of_many_rows_takes_a_class_of_two():
    random = np.random.default_rng(0)
    codes = np.r_[2, 2, random.integers(2, size=12_598)]
    data = TrainingData(random.normal(size=(12_600, 1)), codes, 3)
    assert_probabilities(GradientBoosting("boosting").out_of_fold_proba(data), 12_600, 3)


def test_groups_choose_the_ridge_by_their_folds():
    # Near-copies of 60 rows: by single rows nearly no ridge is best, by groups a real one.
    random = np.random.default_rng(0)
    codes = random.integers(2, size=60)
    centers = random.normal(size=(60, 4)) + 0.7 * codes[:, None]
    rows = np.arange(60).repeat(5)
    table = centers[rows] + 1e-4 * random.normal(size=(300, 4))
    model = RBFRidge("RBF features", 1.0)
    own = np.arange(300), codes[rows]
    apart = model.out_of_fold_proba(TrainingData(table, codes[rows], 2))[own]
    together = model.out_of_fold_proba(TrainingData(table, codes[rows], 2, rows))[own]
    assert np.log(apart).mean() > -0.1  # it has seen the copies
    assert -0.75 < np.log(together).mean() < -0.3  # better than nothing, and not overconfident


RIDGE_X, RIDGE_Y = blobs(90)


MODEL = RBFRidge("RBF features", 1.0, n_hidden=20)


FOLDS = np.random.default_rng(1).integers(10, size=90)


def test_out_of_fold_probabilities_are_the_same_either_way():
    data = TrainingData(RIDGE_X, RIDGE_Y, 3, more_rows=True)
    fit = MODEL.cross_fit(data)
    np.testing.assert_array_equal(fit.out_of_fold, MODEL.out_of_fold_proba(data))


def test_other_rows_are_predicted_by_the_ridge_of_all_rows():
    data = TrainingData(RIDGE_X, RIDGE_Y, 3, more_rows=True)
    model = MODEL._fitted(data)
    found = MODEL.cross_fit(data).predictor.predict_proba(NewRows(RIDGE_X + 0.1))
    np.testing.assert_allclose(found, model.predict_proba(RIDGE_X + 0.1), rtol=0, atol=1e-9)


def test_with_folds_a_row_is_predicted_as_if_it_had_been_left_out():
    # What is told of a row in the data is what is told of one beside it in the same fold.
    fit = MODEL.cross_fit(TrainingData(RIDGE_X, RIDGE_Y, 3, folds=FOLDS, more_rows=True))
    again = fit.predictor.predict_proba(NewRows(RIDGE_X, folds=FOLDS))
    np.testing.assert_allclose(again, fit.out_of_fold, rtol=0, atol=1e-5)  # that is float32
    elsewhere = fit.predictor.predict_proba(NewRows(RIDGE_X, folds=(FOLDS + 1) % 10))
    assert np.abs(elsewhere - again).max() > 1e-3


def test_the_ridge_without_a_fold_equals_one_fitted_without_it():
    data = TrainingData(RIDGE_X, RIDGE_Y, 3, folds=FOLDS, more_rows=True)
    model, fold = MODEL._fitted(data), 4
    hidden = np.exp(
        -model.gamma_
        * ((RIDGE_X[:, None] - model.hidden_weights_.T / (2 * model.gamma_)) ** 2).sum(axis=2)
    )
    others = fold != FOLDS
    centred = hidden[others] - hidden[others].mean(axis=0)
    target = np.eye(3)[RIDGE_Y[others]]
    A = centred.T @ centred + model.alpha_ * np.eye(20)
    coef = np.linalg.solve(A, centred.T @ (target - target.mean(axis=0)))
    scores = target.mean(axis=0) + (hidden - hidden[others].mean(axis=0)) @ coef
    expected = softmax(scores / model.temperature_, axis=1)
    predictor = MODEL.cross_fit(data).predictor
    found = predictor.predict_proba(NewRows(RIDGE_X, folds=np.full(90, fold)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


TREE_X, TREE_Y = blobs(90)


each_kind = pytest.mark.parametrize("extra", [True, False], ids=["extra trees", "random forest"])


@each_kind
def test_other_rows_are_predicted_by_all_trees(extra):
    model, data = (
        Forest("trees", extra, 10, 2),
        TrainingData(TREE_X, TREE_Y, 3, more_rows=True),
    )
    fit = model.cross_fit(data)
    np.testing.assert_array_equal(fit.out_of_fold, model.out_of_fold_proba(data))
    found = fit.predictor.predict_proba(NewRows(TREE_X + 0.3))
    assert len(fit.predictor.roots) == 10
    assert np.mean(found.argmax(axis=1) == TREE_Y) > 0.9


@each_kind
@pytest.mark.parametrize("n_classes", [2, 5])
def test_forests_are_as_good_as_scikit_learn_s(extra, n_classes):
    TREE_X, codes = make_classification(
        300, 8, n_informative=6, n_redundant=0, n_classes=n_classes, random_state=0
    )
    theirs = (ExtraTreesClassifier if extra else RandomForestClassifier)(
        200, min_samples_leaf=3, bootstrap=True, oob_score=True, random_state=0
    ).fit(TREE_X, codes)
    found = Forest("trees", extra, 200, 3).out_of_fold_proba(TrainingData(TREE_X, codes, n_classes))
    expected = log_loss(codes, theirs.oob_decision_function_)
    assert log_loss(codes, found) == pytest.approx(expected, abs=0.04)
    alike = np.corrcoef(found[:, 0], theirs.oob_decision_function_[:, 0])[0, 1]
    assert alike > 0.93  # as of two seeds


def test_groups_without_folds_leave_other_rows_to_all_trees():
    data = TrainingData(TREE_X, TREE_Y, 3, np.arange(90) // 2, more_rows=True)
    fit = Forest("trees", True, 10, 2).cross_fit(data)
    assert len(fit.predictor.roots) == 10
    assert np.mean(fit.predictor.predict_proba(NewRows(TREE_X)).argmax(axis=1) == TREE_Y) > 0.9


@each_kind
def test_with_folds_a_row_is_asked_of_trees_that_have_not_seen_its_fold(extra):
    # Labels at random: who has seen a row knows it, who has not cannot.
    random = np.random.default_rng(0)
    labels = random.integers(2, size=400)
    rows, folds = random.normal(size=(400, 3)), random.integers(10, size=400)
    data = TrainingData(rows, labels, 2, folds=folds, more_rows=True)
    fit = Forest("trees", extra, 40, 1).cross_fit(data)
    assert np.mean(fit.out_of_fold.argmax(axis=1) == labels) < 0.6
    again = fit.predictor.predict_proba(NewRows(rows, folds=folds))
    np.testing.assert_array_equal(again, fit.out_of_fold)
    other = fit.predictor.predict_proba(NewRows(rows, folds=(folds + 1) % 10))
    assert np.mean(other.argmax(axis=1) == labels) > 0.75


def test_probabilities_are_the_mean_of_both():
    X, y = blobs(90, 3)
    model = KernelAndTrees(random_state=0).fit(X, y)
    mean = (model.kernel_.predict_proba(X) + model.trees_.predict_proba(X)) / 2
    assert_allclose(model.predict_proba(X), mean, rtol=0, atol=0)
    assert_array_equal(model.predict(X), y)


def test_both_heed_the_weights():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    X, y = np.vstack([X, X]), np.repeat(["a", "b"], 40)
    for heavy in ("a", "b"):
        weights = np.where(y == heavy, 1.0, 0.01)
        model = KernelAndTrees(random_state=0).fit(X, y, sample_weight=weights)
        own = model.classes_.tolist().index(heavy)
        for part in (model.kernel_, model.trees_):
            assert (part.predict_proba(X)[:, own] > 0.9).all()


def test_the_same_seed_gives_the_same_model():
    X, y = blobs(60, 2)
    first, second = (KernelAndTrees(random_state=3).fit(X, y).predict_proba(X) for _ in range(2))
    assert_array_equal(first, second)


def test_classifiers_are_named_after_their_class_or_as_the_user_says():
    entries = [LogisticRegression(), ("bayes", GaussianNB()), LogisticRegression(C=9.0), QUICK[0]]
    models = name_models(entries)
    names = ["LogisticRegression", "bayes", "LogisticRegression 2", "RBF features"]
    assert [model.name for model in models] == names
    assert models[2].classifier.C == 9.0
    assert models[3] is QUICK[0]


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        (LogisticRegression(), r"estimators=LogisticRegression\(\) must be a list of classifiers"),
        ("all", "estimators='all' must be a list of classifiers"),
        ([SVC()], "estimators=SVC has no predict_proba; pass a classifier that gives"),
        ([("a", GaussianNB()), ("a", GaussianNB())], "must differ, but 'a' is repeated"),
        ([("a", GaussianNB(), 1)], "estimators=tuple has no predict_proba"),
    ],
)
def test_bad_estimators_are_named(estimators, message):
    with pytest.raises(ValueError, match=message):
        name_models(estimators)


def test_classifiers_are_fitted_to_the_scaled_features_out_of_fold():
    data = TrainingData(X, CODES, 3, random_state=3)
    (model,) = name_models([GaussianNB()])
    proba = model.out_of_fold_proba(data)
    for train, test in data.splits():
        by_hand = GaussianNB().fit(X[train], CODES[train]).predict_proba(X[test])
        np.testing.assert_allclose(proba[test], by_hand, rtol=0, atol=1e-9)


def test_open_seeds_are_drawn_from_that_of_the_audit_and_others_are_kept():
    def proba(forest, seed):
        data = TrainingData(X, (CODES + (np.arange(60) % 4 == 0)) % 3, 3, GROUPS, seed)
        return CrossFitted("forest", forest).out_of_fold_proba(data)

    open_seed = RandomForestClassifier(5)
    np.testing.assert_array_equal(proba(open_seed, 1), proba(open_seed, 1))
    assert open_seed.random_state is None
    forest = RandomForestClassifier(5, random_state=7)
    data = TrainingData(X, CODES, 3, GROUPS, 1)
    by_hand = cross_fit_proba(forest, X, data)
    np.testing.assert_array_equal(CrossFitted("f", forest).out_of_fold_proba(data), by_hand)


def test_a_model_of_the_user_sees_the_labels_as_the_user_writes_them():
    names = np.array(["ant", "bee", "cat"])
    model = LogisticRegression(class_weight={"ant": 1, "bee": 2, "cat": 1})
    proba = CrossFitted("yours", model, X, names).out_of_fold_proba(TrainingData(X, CODES, 3))
    assert np.mean(proba.argmax(axis=1) == CODES) > 0.9


def test_some_rows_of_what_is_given():
    proba = np.eye(3)[CODES]
    np.testing.assert_array_equal(
        GivenProbabilities(proba).for_rows(np.array([4, 2])).proba, proba[[4, 2]]
    )
    model = CrossFitted("mine", LogisticRegression(), X, np.arange(3)).for_rows(np.array([4, 2]))
    np.testing.assert_array_equal(model.table, X[[4, 2]])
    assert model.name == "mine"


def test_a_model_of_the_user_predicts_other_rows_of_its_own_table():
    names = np.array(["ant", "bee", "cat"])
    shifted = X + 100
    data = TrainingData(X, CODES, 3, more_rows=True)
    fit = CrossFitted("yours", GaussianNB(), shifted, names).cross_fit(data)
    by_hand = GaussianNB().fit(shifted, CODES).predict_proba(shifted[:7])
    told = fit.predictor.predict_proba(NewRows(X[:7], shifted[:7]))
    np.testing.assert_allclose(told, by_hand, rtol=0, atol=1e-12)
    assert fit.predictor.fits[0].model.classes_.tolist() == names.tolist()


def test_probabilities_of_other_rows_are_those_the_user_gives():
    proba = np.eye(3)[CODES]
    fit = GivenProbabilities(proba).cross_fit(TrainingData(X, CODES, 3, more_rows=True))
    assert fit.out_of_fold is proba
    told = fit.predictor.predict_proba(NewRows(X[:2], pred_proba=proba[4:6]))
    np.testing.assert_array_equal(told, proba[4:6])


def test_an_estimator_gets_errata_s_features_of_columns_of_text():
    features = np.zeros((2, 1))
    frame = {"a": ["1", "2"]}
    assert estimator_table(frame, features) is features
    assert estimator_table(frame, None) is frame
    assert estimator_table(X, features) is X


def test_given_probabilities_tell_the_same_of_rows_that_were_drawn_and_others(monkeypatch):
    lower_limits(monkeypatch, learnt=700)
    random = np.random.default_rng(0)
    proba = random.dirichlet(np.full(3, 0.5), size=500)
    labels = (random.random((500, 1)) > proba.cumsum(axis=1)[:, :2]).sum(axis=1)
    twice = errata.audit(
        *(None, np.tile(labels, 2)),
        pred_proba=np.tile(proba, (2, 1)),
        self_check=False,
        random_state=0,
    )
    np.testing.assert_allclose(twice.p_wrong[:500], twice.p_wrong[500:], rtol=0, atol=1e-12)
    assert len(np.unique(twice.p_wrong)) > 400


class WholeNumbersOnly(GaussianNB):
    """Refuses names as XGBoost does, and codes with a gap."""

    def fit(self, X, y):
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError("Invalid classes inferred from unique values of `y`.")
        return super().fit(X, y)


def test_a_model_that_wants_whole_numbers_is_given_them():
    names = np.array(["cat", "dog", "emu"])[CODES]
    how = {"estimators": [], "self_check": False, "random_state": 0}
    coded = errata.audit(X, names, estimator=WholeNumbersOnly(), **how)
    named = errata.audit(X, names, estimator=GaussianNB(), **how)
    np.testing.assert_array_equal(coded.p_wrong, named.p_wrong)
    np.testing.assert_array_equal(coded.suggested, named.suggested)


def test_whole_numbers_have_no_gap_where_training_rows_lack_a_class():
    codes = np.array([0, 2, 2, 0, 2, 0])
    rows = np.array([[0.0], [5.0], [6.0], [1.0], [7.0], [0.5]])
    classes = np.array(["cat", "dog", "emu"])
    fitted = FittedToCodes(WholeNumbersOnly(), rows, codes, classes=classes)
    assert fitted.codes.tolist() == [0, 2]
    assert fitted.predict_proba(rows).argmax(axis=1).tolist() == [0, 1, 1, 0, 1, 0]


class Failing(GaussianNB):
    """Fails with an exception of its own library."""

    def fit(self, X, y):
        raise RuntimeError("the device is gone.")


def test_a_model_that_fails_is_named_with_its_message():
    with pytest.raises(ValueError, match=r"^your model failed: the device is gone\.$") as caught:
        errata.audit(X, CODES, estimator=Failing(), self_check=False)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_no_more_folds_than_rows_of_the_largest_class():
    assert len(TrainingData(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2).splits(5)) == 3


def test_folds_of_groups_decide_about_splits():
    folds = np.array([3, 3, 7, 8, 9, 0, 0, 1, 2, 3])
    data = TrainingData(np.zeros((10, 1)), np.arange(10) % 2, 2, folds=folds)
    splits = data.splits(5)
    np.testing.assert_array_equal(np.sort(np.concatenate([s[1] for s in splits])), np.arange(10))
    for train, test in splits:
        assert not set(folds[train]) & set(folds[test])
    assert [len(test) for _, test in data.splits(10)] == [2, 1, 1, 3, 1, 1, 1]  # none is empty


def test_two_folds_are_two_splits_wherever_they_lie():
    # Modulo five, folds 1 and 6 would be one.
    data = TrainingData(np.zeros((4, 1)), np.arange(4) % 2, 2, folds=np.array([1, 6, 6, 1]))
    assert [test.tolist() for _, test in data.splits(5)] == [[0, 3], [1, 2]]


def test_a_fold_that_was_not_learnt_from_may_be_asked_of_any_split():
    np.testing.assert_array_equal(
        split_of_fold(np.array([1, 6, 9]), 2), [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    )


def test_groups_that_fall_into_one_fold_are_too_few():
    with pytest.raises(ValueError, match="all rows fall into one fold"):
        TrainingData(X, CODES, 3, folds=np.full(60, 4)).splits()


def test_some_rows_keep_their_folds_and_nothing_follows_them():
    data = TrainingData(X, CODES, 3, folds=np.arange(60) % 10, more_rows=True)
    some = data.for_rows(np.array([3, 14]))
    np.testing.assert_array_equal(some.folds, [3, 4])
    assert not some.more_rows
    assert some.is_grouped


def test_some_of_the_new_rows():
    rows = NewRows(X, list(range(60)), np.eye(3)[CODES], CODES).take(np.array([5, 2]))
    assert len(rows) == 2
    assert rows.table == [5, 2]
    np.testing.assert_array_equal(rows.X, X[[5, 2]])
    np.testing.assert_array_equal(rows.pred_proba.argmax(axis=1), CODES[[5, 2]])
    np.testing.assert_array_equal(rows.folds, CODES[[5, 2]])
    assert NewRows(X).take(np.arange(3)).table is None


def test_cross_fitting_equals_fitting_by_hand():
    data = TrainingData(X, CODES, 3, GROUPS)
    proba = cross_fit_proba(LogisticRegression(), X, data)
    for train, test in data.splits():
        by_hand = LogisticRegression().fit(X[train], CODES[train]).predict_proba(X[test])
        np.testing.assert_allclose(proba[test], by_hand, rtol=0, atol=1e-9)


def test_some_of_many_rows_are_fitted():
    sizes = []

    class Counting(LogisticRegression):
        def fit(self, table, labels):
            sizes.append(len(table))
            return super().fit(table, labels)

    cross_fit_proba(Counting(), X, TrainingData(X, CODES, 3), max_rows=20)
    assert sizes == [20] * 5


def test_rows_nobody_knows_about_become_uniform():
    proba = certain_or_uniform(np.array([[0.0, 0.0], [np.nan, np.nan], [2.0, 2.0], [1.0, 0.0]]))
    np.testing.assert_array_equal(proba, [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])


def test_other_rows_are_predicted_by_a_fit_to_all():
    data = TrainingData(X, CODES, 3, more_rows=True)
    fit = cross_fit_classifier(LogisticRegression(), None, data)
    np.testing.assert_array_equal(fit.out_of_fold, cross_fit_proba(LogisticRegression(), X, data))
    by_hand = LogisticRegression().fit(X, CODES).predict_proba(X + 0.5)
    found = fit.predictor.predict_proba(NewRows(X + 0.5))
    np.testing.assert_allclose(found, by_hand, rtol=0, atol=1e-12)


def test_of_many_rows_the_fit_to_all_takes_some():
    data = TrainingData(X, CODES, 3, more_rows=True)
    fit = cross_fit_classifier(KNeighborsClassifier(1), None, data, max_rows=20)
    assert fit.predictor.fits[0].model.n_samples_fit_ == 20


def test_rows_are_asked_of_the_fit_without_their_fold():
    folds, codes = np.arange(60) % 10, np.random.default_rng(0).integers(3, size=60)
    data = TrainingData(X, codes, 3, folds=folds, more_rows=True)
    fit = cross_fit_classifier(KNeighborsClassifier(1), None, data)
    again = fit.predictor.predict_proba(NewRows(X, folds=folds))
    np.testing.assert_array_equal(fit.out_of_fold, again)
    for fold in range(10):  # folds k and k + 5 make up a split
        others = folds % 5 != fold % 5
        by_hand = KNeighborsClassifier(1).fit(X[others], codes[others]).predict_proba(X)
        told = fit.predictor.predict_proba(NewRows(X, folds=np.full(60, fold)))
        np.testing.assert_array_equal(told, by_hand)


def test_classes_that_a_fit_has_not_seen_get_nothing():
    codes = np.where(CODES == 1, 0, CODES)
    fit = cross_fit_classifier(
        LogisticRegression(), None, TrainingData(X, codes, 3, more_rows=True)
    )
    told = fit.predictor.predict_proba(NewRows(X))
    assert told.shape == (60, 3)
    assert not told[:, 1].any()
    np.testing.assert_allclose(told.sum(axis=1), 1, rtol=0, atol=1e-12)
