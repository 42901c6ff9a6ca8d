import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from errata.filters import Cleaner, CrossValFilter
from errata.noise import flip_labels
from strategies import seeds

# A few rows leave no room to leave any out.
pytestmark = pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")

X, Y = make_blobs(90, centers=3, cluster_std=2.5, random_state=1)

LABELS, FLIPPED = flip_labels(Y, 0.2, random_state=0)


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows the probabilities of each row by its first feature."""

    def __init__(self, table):
        self.table = table

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.array(self.table)[X[:, 0].astype(int)]


# Worked by hand from the definitions. The last row is torn: no class is likelier than its label.
PROBA = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.4, 0.35, 0.25], [1 / 3] * 3])
CODES = np.array([0, 0, 1, 2])
SCORES = {
    "self_confidence": [0.3, 0.9, 0.65, 0.666667],
    "margin": [0.25, 0.85, 0.525, 0.5],
    "surprise": [0.356675, 2.302585, 1.049822, 1.098612],
    "entropy": [0, 0.418328, 0.016461, 0],
}


def judge(criterion, proba, codes, cv="insample"):
    """The filter, fitted to rows of which a classifier says these probabilities."""
    rows = np.arange(len(codes), dtype=float)[:, None]
    return CrossValFilter(Oracle(proba), cv=cv, criterion=criterion).fit(rows, codes)


@pytest.mark.parametrize("criterion", SCORES)
def test_four_rows_are_judged_as_by_hand(criterion):
    found = judge(criterion, np.tile(PROBA, (2, 1)), np.tile(CODES, 2), cv=2)
    np.testing.assert_allclose(found.suspicion_, SCORES[criterion] * 2, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(np.flatnonzero(found.flagged_), [1, 2, 5, 6])
    np.testing.assert_array_equal(found.suggested_, [0, 1, 0, 2] * 2)
    np.testing.assert_allclose(found.proba_, np.tile(PROBA, (2, 1)), rtol=0, atol=1e-15)


def test_probabilities_are_made_to_sum_to_one():
    table = np.tile([[2.0, 6.0], [3.0, 1.0]], (4, 1))
    filter_ = CrossValFilter(Oracle(table), cv=2).fit(np.arange(8.0)[:, None], [0, 1] * 4)
    np.testing.assert_allclose(filter_.suspicion_, 0.75, rtol=0, atol=1e-12)


def test_predictions_are_those_of_cross_validation():
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    filter_ = CrossValFilter(GaussianNB(), cv=splitter).fit(X, LABELS)
    proba = cross_val_predict(GaussianNB(), X, LABELS, cv=splitter, method="predict_proba")
    np.testing.assert_allclose(filter_.proba_, proba, rtol=0, atol=1e-12)
    own = np.eye(3, dtype=bool)[LABELS]
    contradicted = np.where(own, 0, proba).max(axis=1) > proba[own]
    np.testing.assert_array_equal(filter_.flagged_, contradicted)
    np.testing.assert_array_equal(
        filter_.suggested_[filter_.flagged_], proba.argmax(axis=1)[filter_.flagged_]
    )


def test_in_sample_predictions_are_those_of_the_whole():
    tree = DecisionTreeClassifier(ccp_alpha=0.02, random_state=0)
    filter_ = CrossValFilter(tree, cv="insample").fit(X, LABELS)
    np.testing.assert_allclose(filter_.proba_, tree.fit(X, LABELS).predict_proba(X))
    np.testing.assert_array_equal(filter_.flagged_, tree.predict(X) != LABELS)


def test_a_forest_is_the_default():
    ours = CrossValFilter(random_state=5).fit(X, LABELS)
    theirs = CrossValFilter(RandomForestClassifier(100), random_state=5).fit(X, LABELS)
    np.testing.assert_array_equal(ours.suspicion_, theirs.suspicion_)


def test_a_seed_that_the_user_set_is_kept():
    forest = RandomForestClassifier(5, random_state=0)
    folds = StratifiedKFold(3)
    one, other = (CrossValFilter(forest, cv=folds, random_state=s).fit(X, LABELS) for s in (1, 2))
    np.testing.assert_array_equal(one.suspicion_, other.suspicion_)
    forest.set_params(random_state=None)
    one, other = (CrossValFilter(forest, cv=folds, random_state=s).fit(X, LABELS) for s in (1, 2))
    assert not np.array_equal(one.suspicion_, other.suspicion_)


def test_rows_may_be_left_out_one_by_one():
    filter_ = CrossValFilter(GaussianNB(), cv=LeaveOneOut()).fit(X, LABELS)
    assert FLIPPED[filter_.flagged_].mean() > 0.6


def test_jobs_change_nothing():
    alone, both = (
        CrossValFilter(RandomForestClassifier(5), random_state=0, n_jobs=n).fit(X, LABELS)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(alone.suspicion_, both.suspicion_)


def test_what_the_model_is_sure_of_is_relabelled():
    iris, y = load_iris(return_X_y=True)
    labels, flipped = flip_labels(y, 0.2, random_state=0)
    sure = CrossValFilter(
        LogisticRegression(max_iter=500), criterion="entropy", threshold=0.5, random_state=0
    )
    cleaner = Cleaner(sure, action="relabel").fit(iris, labels)
    assert (cleaner.suggested_ == y)[cleaner.relabelled_].all()
    assert 0 < cleaner.relabelled_.sum() < flipped.sum()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"criterion": "gini"}, "criterion='gini' is not known; choose from self_confidence, marg"),
        ({"cv": 1}, "cv=1 must be a whole number at least 2"),
        ({"min_per_class": 0}, "min_per_class=0 must be a whole number at least 1"),
        ({"max_fraction": 2}, "max_fraction=2 must be a number between 0 and 1"),
        ({"contamination": -0.1}, "contamination=-0.1 must be a number between 0 and 1"),
        ({"threshold": "high"}, "threshold='high' must be a number"),
    ],
)
def test_wrong_parameters_are_named(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        CrossValFilter(GaussianNB(), **parameters).fit(X, LABELS)


def test_an_impossible_label_is_no_more_than_very_surprising():
    found = judge("surprise", [[0.0, 1.0], [0.5, 0.5]], np.array([0, 1]))
    assert found.suspicion_[0] == pytest.approx(34.538776)


@given(seeds, st.integers(2, 6))
@settings(deadline=None)
def test_scores_are_finite_and_all_but_surprise_at_most_one(seed, n_classes):
    random = np.random.RandomState(seed)
    proba = random.dirichlet(np.full(n_classes, 0.2), size=20)
    codes = np.append(np.arange(n_classes), random.randint(n_classes, size=20 - n_classes))
    for criterion in SCORES:
        values = judge(criterion, proba, codes).suspicion_
        assert np.isfinite(values).all()
        assert values.min() >= -1e-12
        assert criterion == "surprise" or values.max() <= 1 + 1e-12


@given(seeds)
@settings(deadline=None)
def test_scores_are_one_minus_those_of_cleanlab(seed):
    rank = pytest.importorskip("cleanlab.rank", reason="cleanlab is not installed")
    random = np.random.RandomState(seed)
    proba = random.dirichlet(np.ones(4), size=30)
    codes = np.append(np.arange(4), random.randint(4, size=26))
    for ours, theirs in (("self_confidence", "self_confidence"), ("margin", "normalized_margin")):
        quality = rank.get_label_quality_scores(codes, proba, method=theirs)
        found = judge(ours, proba, codes).suspicion_
        np.testing.assert_allclose(found, 1 - quality, rtol=0, atol=1e-12)
