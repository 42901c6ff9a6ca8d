import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from auditing_cases import QUICK, blobs
from errata.auditing import TrainingData
from errata.auditing._models import (
    CrossFitted,
    GivenProbabilities,
    certain_or_uniform,
    cross_fit_proba,
    named_models,
)

X, CODES = blobs(60)
GROUPS = np.arange(60) // 2


def test_classifiers_are_named_after_their_class_or_as_the_user_says():
    entries = [LogisticRegression(), ("bayes", GaussianNB()), LogisticRegression(C=9.0), *QUICK]
    models = named_models(entries)
    names = ["LogisticRegression", "bayes", "LogisticRegression 2", "neighbours"]
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
        named_models(estimators)


def test_classifiers_are_fitted_to_the_scaled_features_out_of_fold():
    data = TrainingData(X, CODES, 3, random_state=3)
    (model,) = named_models([GaussianNB()])
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


def test_no_more_folds_than_rows_of_the_largest_class():
    assert len(TrainingData(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2).splits(5)) == 3


def test_a_model_of_the_user_sees_the_labels_as_the_user_writes_them():
    names = np.array(["ant", "bee", "cat"])
    model = LogisticRegression(class_weight={"ant": 1, "bee": 2, "cat": 1})
    proba = CrossFitted("yours", model, X, names).out_of_fold_proba(TrainingData(X, CODES, 3))
    assert np.mean(proba.argmax(axis=1) == CODES) > 0.9


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


def test_some_rows_of_what_is_given():
    proba = np.eye(3)[CODES]
    np.testing.assert_array_equal(
        GivenProbabilities(proba).for_rows(np.array([4, 2])).proba, proba[[4, 2]]
    )
    model = CrossFitted("mine", LogisticRegression(), X, np.arange(3)).for_rows(np.array([4, 2]))
    np.testing.assert_array_equal(model.table, X[[4, 2]])
    assert model.name == "mine"


def test_rows_nobody_knows_about_become_uniform():
    proba = certain_or_uniform(np.array([[0.0, 0.0], [np.nan, np.nan], [2.0, 2.0], [1.0, 0.0]]))
    np.testing.assert_array_equal(proba, [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])
