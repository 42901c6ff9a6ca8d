import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import errata
from auditing.large_tables import lower_limits
from auditing_cases import CODES, GROUPS, QUICK, X
from errata.auditing import NewRows, TrainingData
from errata.auditing.models._base import cross_fit_proba
from errata.auditing.models._default import (
    CrossFitted,
    GivenProbabilities,
    estimator_table,
    name_models,
)


def test_classifiers_are_named_after_their_class_or_as_the_user_says():
    entries = [LogisticRegression(), ("bayes", GaussianNB()), LogisticRegression(C=9.0), *QUICK]
    models = name_models(entries)
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
    assert fit.predictor.fit.model.classes_.tolist() == names.tolist()


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
