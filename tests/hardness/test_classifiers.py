import numpy as np
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from errata.exceptions import SuspicionWarning
from errata.hardness import InstanceHardness

CHEAP = [GaussianNB(), KNeighborsClassifier(3), DecisionTreeClassifier()]


def blobs(n=60):
    return make_blobs(n, centers=3, cluster_std=3.0, random_state=0)


def test_hardness_is_the_mean_probability_of_the_other_classes():
    X, y = blobs()
    folds = KFold(4, shuffle=True, random_state=1)
    expected = np.zeros(60)
    for learner in CHEAP[:2]:
        for train, test in folds.split(X):
            proba = learner.fit(X[train], y[train]).predict_proba(X[test])
            expected[test] += (1 - proba[np.arange(len(test)), y[test]]) / 2
    found = InstanceHardness(CHEAP[:2], cv=folds).fit(X, y).suspicion_
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_hard_votes_count_the_learners_that_are_wrong():
    X, y = blobs()
    folds = KFold(4, shuffle=True, random_state=1)
    pool = [GaussianNB(), Perceptron(random_state=0)]
    wrong = np.zeros(60)
    for learner in pool:
        for train, test in folds.split(X):
            wrong[test] += learner.fit(X[train], y[train]).predict(X[test]) != y[test]
    found = InstanceHardness(pool, cv=folds, voting="hard").fit(X, y).suspicion_
    np.testing.assert_allclose(found, wrong / 2, rtol=0, atol=1e-12)


def test_a_learner_torn_between_classes_splits_its_vote():
    class Torn(DummyClassifier):
        def predict_proba(self, X):
            return np.array([[0.4, 0.4, 0.2], [0.1, 0.8, 0.1]])[X[:, 0].astype(int)]

    X, y = np.tile([[0.0], [1.0]], (6, 1)), np.repeat([0, 1, 2], 4)
    found = InstanceHardness([Torn()], cv=2, voting="hard", random_state=0).fit(X, y)
    np.testing.assert_array_equal(found.suspicion_, [0.5, 1] * 2 + [0.5, 0] * 2 + [1, 1] * 2)


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_renaming_classes_changes_nothing(voting):
    X, y = blobs()
    here, there = (
        InstanceHardness(CHEAP, voting=voting, random_state=0).fit(X, names)
        for names in (y, np.array(["c", "a", "b"])[y])
    )
    np.testing.assert_allclose(there.suspicion_, here.suspicion_, rtol=0, atol=1e-12)


def test_a_learner_that_only_counts_finds_rare_classes_hard():
    X, y = np.arange(20.0)[:, None], np.r_[[0] * 15, [1] * 5]
    found = InstanceHardness([DummyClassifier(strategy="prior")], random_state=0).fit(X, y)
    np.testing.assert_allclose(found.suspicion_, np.r_[[0.25] * 15, [0.75] * 5], rtol=0, atol=1e-12)
    assert set(found.suggested_) == {0}


def test_threads_change_nothing():
    X, y = blobs()
    with parallel_config(backend="threading"):
        one, two = (InstanceHardness(CHEAP, random_state=0, n_jobs=j).fit(X, y) for j in (1, 2))
    np.testing.assert_array_equal(one.suspicion_, two.suspicion_)


def test_a_class_with_one_row_cannot_be_judged():
    X, y = blobs()
    y = y.copy()
    y[0] = 7
    with pytest.warns(SuspicionWarning, match="1 rows have a label too rare to be learned"):
        detector = InstanceHardness(CHEAP, random_state=0).fit(X, y)
    assert detector.suspicion_[0] == 0
    assert detector.suggested_[0] == 7


@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
@pytest.mark.parametrize("n", [3, 4, 7])
def test_the_default_pool_copes_with_few_rows(n):
    X, y = np.arange(n, dtype=float)[:, None], (np.arange(n) > 0).astype(int)
    assert np.isfinite(InstanceHardness(random_state=0).fit(X, y).suspicion_).all()


def test_it_is_right_about_most_of_the_wine():
    X, y = load_wine(return_X_y=True)
    detector = InstanceHardness(CHEAP, random_state=0).fit(X, y)
    assert detector.flagged_.mean() < 0.2


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"estimators": []}, "estimators is empty; pass at least one classifier"),
        ({"voting": "loud"}, "voting='loud' is not known; choose from soft, hard"),
        ({"cv": 1}, "cv=1 must be a whole number at least 2"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    X, y = blobs()
    with pytest.raises(ValueError, match=sentence):
        InstanceHardness(**parameters).fit(X, y)


def test_rows_of_a_group_are_predicted_without_each_other():
    # Every row has a twin at the same place, and the places beside it carry the other label.
    X, y = np.repeat(np.arange(30.0), 2)[:, None], np.repeat(np.arange(30) % 2, 2)
    groups = np.repeat(np.array([f"pair {i}" for i in range(30)]), 2)
    nearest = [KNeighborsClassifier(1)]
    for cv in (5, GroupKFold(5)):
        apart = InstanceHardness(nearest, cv=cv, random_state=0).fit(X, y, groups=groups)
        assert apart.suspicion_.mean() > 0.6
        np.testing.assert_array_equal(apart.suspicion_[::2], apart.suspicion_[1::2])
    together = InstanceHardness(nearest, random_state=0).fit(X, y)
    assert together.suspicion_.mean() < 0.2


def test_groups_must_match_the_rows():
    X, y = blobs()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        InstanceHardness(CHEAP).fit(X, y, groups=[1, 2, 3])


def test_metadata_reaches_the_splitter_and_the_classifiers_that_ask_for_it():
    X, y = blobs()
    groups, weights = np.arange(60) // 2, np.arange(60) % 3 + 0.5
    with sklearn.config_context(enable_metadata_routing=True):
        asking, other = (
            GaussianNB().set_fit_request(sample_weight=True),
            DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=False),
        )
        model = InstanceHardness([asking, other], cv=GroupKFold(3), random_state=0)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model).fit(X, y, groups=groups, sample_weight=weights)
    X = StandardScaler().fit_transform(X)
    proba = np.zeros((60, 3))
    for train, test in GroupKFold(3).split(X, y, groups):
        proba[test] += GaussianNB().fit(X[train], y[train], weights[train]).predict_proba(X[test])
        proba[test] += clone(other).fit(X[train], y[train]).predict_proba(X[test])
    expected = 1 - proba[np.arange(60), y] / 2
    np.testing.assert_allclose(pipeline[-1].suspicion_, expected, rtol=0, atol=1e-12)


def test_metadata_needs_routing_and_somebody_who_asks():
    X, y = blobs()
    with pytest.raises(TypeError, match="fit got sample_weight, which it hands to its estimator"):
        InstanceHardness(CHEAP).fit(X, y, sample_weight=y)
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(TypeError, match="sample_weight"),
    ):
        InstanceHardness().fit(X, y, sample_weight=y)


def test_missing_values_are_taken_when_all_classifiers_take_them():
    X, y = blobs()
    X[::5, 0] = np.nan
    trees = InstanceHardness([DecisionTreeClassifier(), RandomForestClassifier(5)], random_state=0)
    assert get_tags(trees).input_tags.allow_nan
    assert np.isfinite(trees.fit(X, y).suspicion_).all()
    mixed = InstanceHardness([DecisionTreeClassifier(), GaussianNB()])
    assert not get_tags(mixed).input_tags.allow_nan
    with pytest.raises(ValueError, match=r"contains NaN, but InstanceHardness does not accept"):
        mixed.fit(X, y)
