import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from errata.filters import VotingFilter
from errata.noise import flip_labels

# Four rows leave no room to leave any out.
pytestmark = pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")

X, Y = make_blobs(90, centers=3, cluster_std=2.5, random_state=1)
LABELS, _ = flip_labels(Y, 0.2, random_state=0)


class Stubborn(ClassifierMixin, BaseEstimator):
    """Says of each row what stands in its list, whatever it is taught."""

    def __init__(self, answers):
        self.answers = answers

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.array(self.answers)[X[:, 0].astype(int)]


# Labels are 0 1 0 1; which of three voters is wrong about each.
WRONG = np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 1, 0]])
CODES = np.array([0, 1, 0, 1])
VOTERS = [Stubborn(np.where(wrong, 1 - CODES, CODES).tolist()) for wrong in WRONG.T]
ROWS = np.arange(4.0)[:, None]


@pytest.mark.parametrize(
    ("vote", "flagged"),
    [("majority", [1, 1, 0, 0]), ("consensus", [1, 0, 0, 0]), (0.7, [1, 0, 0, 0])],
)
def test_three_voters_and_four_rows(vote, flagged):
    filter_ = VotingFilter(VOTERS, vote=vote, cv=2).fit(ROWS, CODES)
    np.testing.assert_allclose(filter_.suspicion_, [1, 2 / 3, 0, 1 / 3], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(filter_.flagged_, np.array(flagged, dtype=bool))
    np.testing.assert_array_equal(filter_.votes_, [[0, 3], [2, 1], [3, 0], [1, 2]])
    np.testing.assert_array_equal(filter_.suggested_, np.where(flagged, 1 - CODES, CODES))


def test_one_of_two_voters_is_not_enough():
    filter_ = VotingFilter(VOTERS[:2], cv=2).fit(ROWS, CODES)
    np.testing.assert_array_equal(filter_.suspicion_, [1, 0.5, 0, 0.5])
    np.testing.assert_array_equal(np.flatnonzero(filter_.flagged_), [0])


def test_votes_are_those_of_cross_validation():
    members = [KNeighborsClassifier(1), LinearSVC(), GaussianNB()]
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    filter_ = VotingFilter(members, cv=splitter).fit(X, LABELS)
    wrong = [cross_val_predict(m, X, LABELS, cv=splitter) != LABELS for m in members]
    np.testing.assert_allclose(filter_.suspicion_, np.mean(wrong, axis=0), rtol=0, atol=1e-12)


def test_members_vote_for_what_they_predict_not_for_what_is_likeliest():
    class Contrary(GaussianNB):
        def predict(self, X):
            return self.classes_[super().predict_proba(X).argmin(axis=1)]

    splitter = StratifiedKFold(4)
    filter_ = VotingFilter([Contrary()], cv=splitter).fit(X, LABELS)
    expected = cross_val_predict(Contrary(), X, LABELS, cv=splitter) != LABELS
    np.testing.assert_array_equal(filter_.flagged_, expected)


def test_a_tree_a_neighbour_and_a_linear_machine_are_the_default():
    members = [DecisionTreeClassifier(), KNeighborsClassifier(1), LinearDiscriminantAnalysis()]
    ours = VotingFilter(random_state=0).fit(X, LABELS)
    theirs = VotingFilter(members, random_state=0).fit(X, LABELS)
    np.testing.assert_array_equal(ours.votes_, theirs.votes_)
    np.testing.assert_array_equal(ours.votes_.sum(axis=1), 3)


def test_an_empty_committee_is_refused():
    with pytest.raises(ValueError, match="estimators is empty; pass at least one classifier"):
        VotingFilter([]).fit(X, LABELS)


def test_an_unknown_vote_is_refused():
    with pytest.raises(ValueError, match="vote='most' is not known; choose majority, consensus"):
        VotingFilter(vote="most").fit(X, LABELS)
