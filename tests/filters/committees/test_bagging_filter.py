import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from errata.filters import BaggingFilter
from errata.noise import flip_labels

X, Y = make_blobs(120, centers=3, cluster_std=2.0, random_state=1)
LABELS, FLIPPED = flip_labels(Y, 0.2, random_state=0)


def recall(filter_):
    return filter_.flagged_[FLIPPED].mean()


def test_trees_that_have_seen_a_row_repeat_its_label():
    seen = BaggingFilter(out_of_bag=False, random_state=0).fit(X, LABELS)
    unseen = BaggingFilter(random_state=0).fit(X, LABELS)
    assert recall(seen) < 0.2
    assert recall(unseen) > 0.8


def test_only_those_vote_that_have_not_seen_the_row():
    everyone = BaggingFilter(n_estimators=40, out_of_bag=False, random_state=0).fit(X, LABELS)
    np.testing.assert_array_equal(everyone.votes_.sum(axis=1), 40)
    votes = BaggingFilter(n_estimators=40, random_state=0).fit(X, LABELS).votes_.sum(axis=1)
    # A bag of n rows misses a given one with probability 1 / e.
    assert 12 < votes.mean() < 17.5
    assert votes.max() < 30


def test_votes_are_those_of_the_bags():
    filter_ = BaggingFilter(GaussianNB(), n_estimators=1, random_state=3).fit(X, LABELS)
    voted = filter_.votes_.any(axis=1)
    order = np.lexsort(X.T)
    bag = order[np.random.RandomState(3).randint(120, size=120)]
    np.testing.assert_array_equal(np.flatnonzero(~voted), np.unique(bag))
    said = GaussianNB().fit(X[bag], LABELS[bag]).predict(X[voted])
    np.testing.assert_array_equal(filter_.votes_[voted].argmax(axis=1), said)
    np.testing.assert_array_equal(filter_.suspicion_[voted], (said != LABELS[voted]).astype(float))


def test_without_a_vote_nothing_is_held_against_a_row():
    filter_ = BaggingFilter(n_estimators=2, random_state=0).fit(X, LABELS)
    silent = filter_.votes_.sum(axis=1) == 0
    assert silent.any()
    assert not filter_.suspicion_[silent].any()
    assert not filter_.flagged_[silent].any()


def test_a_tree_is_the_default_and_others_will_do():
    ours = BaggingFilter(n_estimators=8, random_state=0).fit(X, LABELS)
    theirs = BaggingFilter(DecisionTreeClassifier(), n_estimators=8, random_state=0).fit(X, LABELS)
    np.testing.assert_array_equal(ours.votes_, theirs.votes_)
    assert recall(BaggingFilter(Perceptron(), random_state=0).fit(X, LABELS)) > 0.7


def test_more_agreement_means_fewer_flags():
    flags = [
        BaggingFilter(vote=vote, random_state=0).fit(X, LABELS).flagged_
        for vote in ("majority", 0.7, "consensus")
    ]
    assert (flags[2] <= flags[1]).all()
    assert (flags[1] <= flags[0]).all()
    assert flags[0].sum() > flags[1].sum() > flags[2].sum()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number at least 1"),
        ({"vote": 1.0}, r"vote=1.0 is not known; choose majority, consensus, or a number above 0"),
    ],
)
def test_wrong_parameters_are_named(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        BaggingFilter(**parameters).fit(X, LABELS)
