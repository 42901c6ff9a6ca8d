import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_blobs
from sklearn.tree import DecisionTreeClassifier

from errata.exceptions import SuspicionWarning
from errata.filters import Cleaner, PartitionFilter
from errata.filters.committees._base import ABSTAINS
from errata.filters.committees._parts import find_excused
from errata.noise import flip_labels

# A few rows leave no room to leave any out.
pytestmark = pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")

X, Y = make_blobs(300, centers=3, cluster_std=1.5, random_state=1)
LABELS, FLIPPED = flip_labels(Y, 0.1, random_state=0)


class Fixed(ClassifierMixin, BaseEstimator):
    """Gives every row the same probabilities."""

    def __init__(self, proba):
        self.proba = proba

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile(self.proba, (len(X), 1))


def flags_of_ones(proba, **parameters):
    """Suspicion and flag of the rows labelled 1, of half as many as there are."""
    filter_ = PartitionFilter(Fixed(proba), n_partitions=3, **parameters)
    y = np.tile([0, 1], 6)
    filter_.fit(np.arange(12.0)[:, None], y)
    return filter_.suspicion_[1::2], filter_.flagged_[1::2]


def test_sure_models_vote_and_others_abstain():
    suspicion, flagged = flags_of_ones([0.8, 0.2])
    np.testing.assert_array_equal(suspicion, 1.0)
    assert flagged.all()
    suspicion, flagged = flags_of_ones([0.79, 0.21])
    np.testing.assert_array_equal(suspicion, 0.0)
    assert not flagged.any()
    assert flags_of_ones([0.79, 0.21], min_confidence=0.5)[1].all()


def test_rounding_makes_nobody_abstain():
    assert flags_of_ones([1 - 0.1 - 0.1, 0.2])[1].all()  # a little less than 0.8


def test_a_model_that_abstains_does_not_count():
    class ByPart(Fixed):  # the first part has the smallest row
        def fit(self, X, y):
            self.proba = [0.6, 0.4] if X.min() == 0 else [0.9, 0.1]
            return super().fit(X, y)

    filter_ = PartitionFilter(ByPart(None), n_partitions=3)
    filter_.fit(np.arange(12.0)[:, None], np.tile([0, 1], 6))
    np.testing.assert_array_equal(filter_.votes_, np.tile([2, 0], (12, 1)))
    np.testing.assert_array_equal(filter_.suspicion_, np.tile([0.0, 1.0], 6))


def test_each_model_learns_from_its_part_alone():
    seen = []

    class Recorder(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    PartitionFilter(Recorder(), n_partitions=4, n_repeats=2, random_state=0).fit(X, LABELS)
    assert [len(part) for part in seen] == [75] * 8
    for repeat in (seen[:4], seen[4:]):
        rows = np.concatenate(repeat)
        np.testing.assert_array_equal(rows[np.lexsort(rows.T)], X[np.lexsort(X.T)])
    assert not np.array_equal(seen[0], seen[4])


def test_trees_with_two_rows_in_each_leaf_are_the_default():
    tree = DecisionTreeClassifier(min_samples_leaf=2)
    ours = PartitionFilter(random_state=0).fit(X, LABELS)
    theirs = PartitionFilter(tree, random_state=0).fit(X, LABELS)
    np.testing.assert_array_equal(ours.votes_, theirs.votes_)
    assert FLIPPED[ours.flagged_].mean() > 0.7


def test_votes_of_all_repeats_are_counted_together():
    filter_ = PartitionFilter(n_repeats=3, min_confidence=0, random_state=0).fit(X, LABELS)
    np.testing.assert_array_equal(filter_.votes_.sum(axis=1), 15)


def test_the_model_of_its_own_part_may_excuse_a_row():
    parts = [np.array([0, 2, 4]), np.array([1, 3])]
    codes = np.array([0, 0, 1, 1, 0])
    ballots = np.array([[1, 0], [1, 1], [ABSTAINS, 0], [0, 1], [0, 1]])
    excused = find_excused(ballots, codes, parts)
    np.testing.assert_array_equal(excused, [False, False, True, True, True])
    asked, not_asked = (
        PartitionFilter(require_local=ask, random_state=0).fit(X, LABELS) for ask in (True, False)
    )
    assert asked.flagged_.sum() < not_asked.flagged_.sum()
    assert (asked.flagged_ <= not_asked.flagged_).all()
    assert not asked.suspicion_[not_asked.flagged_ & ~asked.flagged_].any()


def test_a_rare_class_means_fewer_parts():
    rare = np.where(np.arange(300) < 3, 7, LABELS)
    with pytest.warns(SuspicionWarning, match="fewer rows than n_partitions=5; 3 parts are made"):
        filter_ = PartitionFilter(min_confidence=0, random_state=0).fit(X, rare)
    np.testing.assert_array_equal(filter_.votes_.sum(axis=1), 3)


def test_the_iterative_filter_waits_for_three_quiet_rounds():
    once = PartitionFilter(random_state=0).fit(X, LABELS)
    cleaner = Cleaner(PartitionFilter(random_state=0), max_iter=50, tol=0.01, patience=3)
    cleaner.fit(X, LABELS)
    assert cleaner.history_[0] == once.flagged_.sum()
    quiet = [count <= 3 for count in cleaner.history_]
    assert cleaner.history_[-1] == 0 or all(quiet[-3:])
    assert cleaner.n_iter_ < 50
    assert FLIPPED[cleaner.sample_indices_].sum() <= FLIPPED[once.sample_indices_].sum()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_partitions": 1}, "n_partitions=1 must be a whole number at least 2"),
        ({"n_repeats": 0}, "n_repeats=0 must be a whole number at least 1"),
        ({"min_confidence": 1.2}, "min_confidence=1.2 must be a number between 0 and 1"),
        ({"vote": "all"}, "vote='all' is not known"),
    ],
)
def test_wrong_parameters_are_named(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        PartitionFilter(**parameters).fit(X, LABELS)
