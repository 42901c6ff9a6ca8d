"""What holds for committees of every kind."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from errata._detector import find_favourite_other
from errata.datasets import make_twonorm
from errata.exceptions import SuspicionWarning
from errata.filters import (
    BaggingFilter,
    BoostEdgeFilter,
    BoostWeightFilter,
    Cleaner,
    CrossValFilter,
    FilteredClassifier,
    PartitionFilter,
    VotingFilter,
)
from errata.filters._committees import (
    ABSTAINS,
    add_rounds,
    count_votes,
    find_excused,
    judge_by_votes,
    vote_line,
)
from errata.noise import flip_labels
from strategies import seeds

CROSS_VAL = CrossValFilter(GaussianNB(), random_state=0)

VOTING = VotingFilter(random_state=0)

BAGGING = BaggingFilter(n_estimators=15, random_state=0)

PARTITION = PartitionFilter(random_state=0)

BOOSTS = [BoostEdgeFilter(), BoostWeightFilter()]

COMMITTEES = [CROSS_VAL, VOTING, BAGGING, PARTITION, *BOOSTS]


def committees(some):
    return pytest.mark.parametrize("committee", some, ids=lambda c: type(c).__name__)


def noisy(n=120, rate=0.1, seed=0):
    X, y = make_blobs(n, centers=3, n_features=4, cluster_std=2.0, random_state=seed)
    return X, *flip_labels(y, rate, random_state=seed)


@committees(COMMITTEES)
def test_nothing_is_flagged_in_clean_clusters(committee):
    y = np.repeat([0, 1], 50)
    X = np.random.RandomState(0).normal(size=(100, 2)) + np.where(y == 1, 10, -10)[:, None]
    filter_ = clone(committee).fit(X, y)
    assert not filter_.flagged_.any()
    if committee in BOOSTS:  # the first round makes no error
        np.testing.assert_array_equal(filter_.suspicion_, 0.0)


@committees(COMMITTEES)
@pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")
def test_a_higher_threshold_never_adds_flags(committee):
    X, y, _ = noisy()
    flags = [
        clone(committee).set_params(threshold=t).fit(X, y).flagged_
        for t in (0.0, 0.2, 0.5, 0.51, 0.8, 1.0)
    ]
    for more, fewer in pairwise(flags):
        assert (fewer <= more).all()
    assert flags[0].any()
    assert not flags[-1].any()


@committees(COMMITTEES)
def test_left_are_the_rows_that_are_not_flagged(committee):
    X, y, flipped = noisy()
    filter_ = clone(committee)
    X_left, y_left = filter_.fit_resample(X, y)
    np.testing.assert_array_equal(filter_.sample_indices_, np.flatnonzero(~filter_.flagged_))
    np.testing.assert_array_equal(X_left, X[filter_.sample_indices_])
    np.testing.assert_array_equal(y_left, y[filter_.sample_indices_])
    assert flipped[filter_.flagged_].mean() > 4 * flipped.mean()
    assert flipped[filter_.sample_indices_].mean() < flipped.mean()


@committees(COMMITTEES)
def test_no_more_are_left_out_than_asked(committee):
    X, y, _ = noisy(rate=0.2)
    limited = clone(committee).set_params(contamination=0.2, max_fraction=0.05).fit(X, y)
    out = np.setdiff1d(np.arange(120), limited.sample_indices_)
    assert len(out) == 6
    assert limited.suspicion_[out].min() >= limited.suspicion_[limited.sample_indices_].max()


@committees([CROSS_VAL, VOTING, BAGGING, PARTITION])
def test_sparse_rows_are_judged_like_dense_ones(committee):
    X, y, _ = noisy()
    X = np.where(np.abs(X) < 1, 0, X)
    committee = clone(committee)
    if "estimator" in committee.get_params():
        committee.set_params(estimator=KNeighborsClassifier(3))
    else:
        committee.set_params(estimators=[KNeighborsClassifier(1), LogisticRegression()])
    dense = clone(committee).fit(X, y)
    shuffled = np.random.RandomState(0).permutation(len(y))
    sparse = clone(committee).fit(csr_array(X), y)
    again = clone(committee).fit(csr_array(X)[shuffled], y[shuffled])
    # Rows are dealt out in another order, so that the folds differ.
    assert np.mean(dense.flagged_ == sparse.flagged_) > 0.9
    np.testing.assert_allclose(again.suspicion_, sparse.suspicion_[shuffled], rtol=0, atol=1e-9)


def test_the_default_committee_judges_sparse_rows_too():
    X, y, flipped = noisy()
    filter_ = VotingFilter(random_state=0).fit(csr_array(X), y)
    assert flipped[filter_.flagged_].mean() > 0.4


def test_what_members_do_not_take_is_refused_in_a_sentence():
    X, y, _ = noisy()
    with pytest.raises(TypeError, match="Sparse data was passed"):
        CROSS_VAL.fit(csr_array(X), y)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="VotingFilter does not accept missing values; impute"):
        VotingFilter().fit(X, y)


def test_missing_values_are_taken_where_all_members_take_them():
    X, y, _ = noisy()
    X[::5, 0] = np.nan
    assert np.isfinite(CrossValFilter(DecisionTreeClassifier()).fit(X, y).suspicion_).all()
    assert np.isfinite(BaggingFilter(n_estimators=5).fit(X, y).suspicion_).all()


@committees(COMMITTEES)
def test_one_class_is_no_question(committee):
    with pytest.raises(ValueError, match="y holds one class only"):
        clone(committee).fit([[0.0], [1.0], [2.0]], [1, 1, 1])


@committees([CROSS_VAL, VOTING])
def test_a_label_that_occurs_once_cannot_be_judged(committee):
    X, y, _ = noisy()
    y = np.where(np.arange(120) == 7, 9, y)
    with pytest.warns(SuspicionWarning, match="1 rows have a label too rare"):
        filter_ = clone(committee).fit(X, y)
    assert filter_.suspicion_[7] == 0
    assert not filter_.flagged_[7]


@committees(COMMITTEES)
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
def test_constant_columns_and_rare_classes_do_no_harm(committee):
    X, y, _ = noisy()
    X[:, 2] = 5.0
    y = np.where(np.arange(120) == 7, 9, y)
    filter_ = clone(committee).fit(X, y)
    assert np.isfinite(filter_.suspicion_).all()
    assert 7 in filter_.sample_indices_


@committees(COMMITTEES)
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
def test_rows_that_are_all_alike_are_judged_by_the_sizes_of_the_classes(committee):
    filter_ = clone(committee).fit(np.ones((20, 2)), np.repeat([0, 1], [16, 4]))
    assert np.isfinite(filter_.suspicion_).all()
    assert not filter_.flagged_[:16].any()


@committees([CROSS_VAL, PARTITION])
def test_probabilities_are_needed(committee):
    X, y, _ = noisy()
    sentence = r"LinearSVC has no predict_proba; pass CalibratedClassifierCV\(LinearSVC\(...\)\)"
    with pytest.raises(TypeError, match=sentence):
        clone(committee).set_params(estimator=LinearSVC()).fit(X, y)


@committees([CROSS_VAL, PARTITION, BAGGING])
def test_weights_reach_an_estimator_that_asks_for_them(committee):
    X, y, _ = noisy()
    weights = np.random.RandomState(1).choice([1, 20], size=120)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    with config_context(enable_metadata_routing=True):
        tree.set_fit_request(sample_weight=True)
        asking = clone(committee).set_params(estimator=tree)
        weighted = clone(asking).fit(X, y, sample_weight=weights).suspicion_
        assert not np.array_equal(weighted, clone(asking).fit(X, y).suspicion_)
    with pytest.raises(TypeError, match=r"only with sklearn\.set_config"):
        clone(committee).set_params(estimator=tree).fit(X, y, sample_weight=weights)


@committees([CROSS_VAL, VOTING])
def test_rows_of_a_group_are_judged_together(committee):
    X, y, _ = noisy()
    X, y, groups = np.tile(X, (2, 1)), np.tile(y, 2), np.tile(np.arange(120), 2)
    if "estimators" in committee.get_params():
        committee = VotingFilter([KNeighborsClassifier(1)], random_state=0)
    else:
        committee = CrossValFilter(KNeighborsClassifier(1), random_state=0)
    alone = clone(committee).fit(X, y)
    together = clone(committee).fit(X, y, groups=groups)
    # The nearest neighbour of a row is its copy, unless that is in the same fold.
    assert alone.flagged_.sum() < together.flagged_.sum()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clone(committee).fit(X, y, groups=groups[:-1])


def test_a_committee_is_a_step_of_an_imbalanced_learn_pipeline():
    pipeline = pytest.importorskip("imblearn.pipeline", reason="not installed")
    X, y, _ = noisy(rate=0.2)
    steps = pipeline.make_pipeline(CROSS_VAL, KNeighborsClassifier(1))
    left = clone(CROSS_VAL).fit(X, y).sample_indices_
    alone = KNeighborsClassifier(1).fit(X[left], y[left])
    np.testing.assert_array_equal(steps.fit(X, y).predict(X), alone.predict(X))
    grid = {"crossvalfilter__contamination": [0.0, 0.3]}
    search = GridSearchCV(steps, grid, cv=3).fit(X, y)
    assert search.best_params_ == {"crossvalfilter__contamination": 0.3}


def test_votes_are_tuned_by_a_grid_search():
    X, y, _ = noisy(rate=0.3)
    model = FilteredClassifier(VotingFilter(random_state=0), KNeighborsClassifier(1))
    search = GridSearchCV(model, {"filter__vote": ["majority", 0.99]}, cv=3).fit(X, y)
    assert search.best_params_["filter__vote"] == "majority"


RECIPES = {
    "robust C4.5": CrossValFilter(
        DecisionTreeClassifier(ccp_alpha=0.01), cv="insample", random_state=0
    ),
    "iterated voting": VotingFilter(random_state=0),
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_go_on_until_nothing_is_flagged(recipe):
    X, y, flipped = noisy(rate=0.2)
    once, cleaner = clone(RECIPES[recipe]), Cleaner(RECIPES[recipe], max_iter=50)
    cleaner.fit(X, y)
    assert cleaner.history_[0] == once.fit(X, y).flagged_.sum() > 0
    assert cleaner.history_[-1] == 0 or cleaner.n_iter_ == 50
    assert cleaner.n_iter_ > 1
    assert flipped[cleaner.sample_indices_].sum() <= flipped[once.sample_indices_].sum()
    assert flipped[cleaner.sample_indices_].mean() < 0.8 * flipped.mean()
    # What is left is what the detector has nothing to say against.
    X_left, y_left = X[cleaner.sample_indices_], y[cleaner.sample_indices_]
    assert not clone(RECIPES[recipe]).fit(X_left, y_left).flagged_.any()
    np.testing.assert_array_equal(np.bincount(y_left) >= 2, [True] * 3)


def judged(wrong):
    """Suspicions of rows labelled 0, from whether each of the voters is wrong about them."""
    ballots = np.where(np.array(wrong) == 1, 1, np.where(np.array(wrong) == 0, 0, ABSTAINS))
    return judge_by_votes(count_votes(ballots, 2), np.zeros(len(ballots), dtype=int))[0]


@pytest.mark.parametrize(
    ("vote", "flagged"),
    [("majority", [1, 1, 0, 0]), ("consensus", [1, 0, 0, 0]), (0.7, [1, 0, 0, 0])],
)
def test_three_voters_and_four_rows(vote, flagged):
    suspicion = judged([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(suspicion, [1, 2 / 3, 0, 1 / 3], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(suspicion > vote_line(vote), np.array(flagged, dtype=bool))


def test_a_tie_keeps_the_label():
    assert not judged([[1, 0]])[0] > vote_line("majority")


def test_who_abstains_does_not_count():
    nobody = None
    np.testing.assert_array_equal(judged([[1, nobody, 1], [nobody] * 3]), [1.0, 0.0])


def test_equals_are_settled_for_the_label_or_else_the_first():
    votes = np.array([[2, 2, 1], [1, 2, 2], [0, 3, 1], [0, 0, 0]])
    np.testing.assert_array_equal(judge_by_votes(votes, np.array([1, 0, 0, 2]))[1], [1, 1, 1, 2])


@given(seeds, st.integers(1, 7), st.integers(2, 4))
def test_votes_are_counted_as_by_hand(seed, n_voters, n_classes):
    random = np.random.RandomState(seed)
    ballots = random.randint(ABSTAINS, n_classes, size=(12, n_voters))
    expected = [[sum(ballot == c) for c in range(n_classes)] for ballot in ballots]
    np.testing.assert_array_equal(count_votes(ballots, n_classes), expected)


@given(seeds, st.integers(1, 9))
def test_consensus_flags_no_more_than_seven_tenths_and_these_no_more_than_majority(seed, n_voters):
    random = np.random.RandomState(seed)
    codes, ballots = random.randint(3, size=20), random.randint(-1, 3, size=(20, n_voters))
    suspicion, _ = judge_by_votes(count_votes(ballots, 3), codes)
    most, more, all_ = (suspicion > vote_line(vote) for vote in ("majority", 0.7, "consensus"))
    assert (all_ <= more).all()
    assert (more <= most).all()
    cast = ballots != ABSTAINS
    unanimous = cast.any(axis=1) & ((ballots != codes[:, None]) | ~cast).all(axis=1)
    np.testing.assert_array_equal(all_, unanimous)


@pytest.mark.parametrize("vote", ["all", 0, 1, 1.5, None, True, np.nan])
def test_other_rules_are_refused(vote):
    with pytest.raises(ValueError, match=r"^vote=.* is not known; choose majority, consensus, or"):
        vote_line(vote)


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


# A few rows leave no room to leave any out.
pytestmark = pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")

MANY_X, MANY_Y = make_blobs(300, centers=3, cluster_std=1.5, random_state=1)

MANY_LABELS, MANY_FLIPPED = flip_labels(MANY_Y, 0.1, random_state=0)


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

    PartitionFilter(Recorder(), n_partitions=4, n_repeats=2, random_state=0).fit(
        MANY_X, MANY_LABELS
    )
    assert [len(part) for part in seen] == [75] * 8
    for repeat in (seen[:4], seen[4:]):
        rows = np.concatenate(repeat)
        np.testing.assert_array_equal(rows[np.lexsort(rows.T)], MANY_X[np.lexsort(MANY_X.T)])
    assert not np.array_equal(seen[0], seen[4])


def test_trees_with_two_rows_in_each_leaf_are_the_default():
    tree = DecisionTreeClassifier(min_samples_leaf=2)
    ours = PartitionFilter(random_state=0).fit(MANY_X, MANY_LABELS)
    theirs = PartitionFilter(tree, random_state=0).fit(MANY_X, MANY_LABELS)
    np.testing.assert_array_equal(ours.votes_, theirs.votes_)
    assert MANY_FLIPPED[ours.flagged_].mean() > 0.7


def test_votes_of_all_repeats_are_counted_together():
    filter_ = PartitionFilter(n_repeats=3, min_confidence=0, random_state=0).fit(
        MANY_X, MANY_LABELS
    )
    np.testing.assert_array_equal(filter_.votes_.sum(axis=1), 15)


def test_the_model_of_its_own_part_may_excuse_a_row():
    parts = [np.array([0, 2, 4]), np.array([1, 3])]
    codes = np.array([0, 0, 1, 1, 0])
    ballots = np.array([[1, 0], [1, 1], [ABSTAINS, 0], [0, 1], [0, 1]])
    excused = find_excused(ballots, codes, parts)
    np.testing.assert_array_equal(excused, [False, False, True, True, True])
    asked, not_asked = (
        PartitionFilter(require_local=ask, random_state=0).fit(MANY_X, MANY_LABELS)
        for ask in (True, False)
    )
    assert asked.flagged_.sum() < not_asked.flagged_.sum()
    assert (asked.flagged_ <= not_asked.flagged_).all()
    assert not asked.suspicion_[not_asked.flagged_ & ~asked.flagged_].any()


def test_a_rare_class_means_fewer_parts():
    rare = np.where(np.arange(300) < 3, 7, MANY_LABELS)
    with pytest.warns(SuspicionWarning, match="fewer rows than n_partitions=5; 3 parts are made"):
        filter_ = PartitionFilter(min_confidence=0, random_state=0).fit(MANY_X, rare)
    np.testing.assert_array_equal(filter_.votes_.sum(axis=1), 3)


def test_the_iterative_filter_waits_for_three_quiet_rounds():
    once = PartitionFilter(random_state=0).fit(MANY_X, MANY_LABELS)
    cleaner = Cleaner(PartitionFilter(random_state=0), max_iter=50, tol=0.01, patience=3)
    cleaner.fit(MANY_X, MANY_LABELS)
    assert cleaner.history_[0] == once.flagged_.sum()
    quiet = [count <= 3 for count in cleaner.history_]
    assert cleaner.history_[-1] == 0 or all(quiet[-3:])
    assert cleaner.n_iter_ < 50
    assert MANY_FLIPPED[cleaner.sample_indices_].sum() <= MANY_FLIPPED[once.sample_indices_].sum()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_partitions": 1}, "n_partitions=1 must be a whole number at least 2"),
        ({"n_repeats": 0}, "n_repeats=0 must be a whole number at least 1"),
        ({"min_confidence": 1.2}, "min_confidence=1.2 must be a number between 0 and 1"),
        ({"vote": "all"}, "vote='all' is not known"),
    ],
)
def test_wrong_parameters_are_named_in_partition_filter(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        PartitionFilter(**parameters).fit(MANY_X, MANY_LABELS)


FEW_X, FEW_Y = make_blobs(90, centers=3, cluster_std=2.5, random_state=1)

FEW_LABELS, _ = flip_labels(FEW_Y, 0.2, random_state=0)


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
def test_three_voters_and_four_rows_in_voting_filter(vote, flagged):
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
    filter_ = VotingFilter(members, cv=splitter).fit(FEW_X, FEW_LABELS)
    wrong = [cross_val_predict(m, FEW_X, FEW_LABELS, cv=splitter) != FEW_LABELS for m in members]
    np.testing.assert_allclose(filter_.suspicion_, np.mean(wrong, axis=0), rtol=0, atol=1e-12)


def test_members_vote_for_what_they_predict_not_for_what_is_likeliest():
    class Contrary(GaussianNB):
        def predict(self, X):
            return self.classes_[super().predict_proba(X).argmin(axis=1)]

    splitter = StratifiedKFold(4)
    filter_ = VotingFilter([Contrary()], cv=splitter).fit(FEW_X, FEW_LABELS)
    expected = cross_val_predict(Contrary(), FEW_X, FEW_LABELS, cv=splitter) != FEW_LABELS
    np.testing.assert_array_equal(filter_.flagged_, expected)


def test_a_tree_a_neighbour_and_a_linear_machine_are_the_default():
    members = [DecisionTreeClassifier(), KNeighborsClassifier(1), LinearDiscriminantAnalysis()]
    ours = VotingFilter(random_state=0).fit(FEW_X, FEW_LABELS)
    theirs = VotingFilter(members, random_state=0).fit(FEW_X, FEW_LABELS)
    np.testing.assert_array_equal(ours.votes_, theirs.votes_)
    np.testing.assert_array_equal(ours.votes_.sum(axis=1), 3)


def test_an_empty_committee_is_refused():
    with pytest.raises(ValueError, match="estimators is empty; pass at least one classifier"):
        VotingFilter([]).fit(FEW_X, FEW_LABELS)


def test_an_unknown_vote_is_refused():
    with pytest.raises(ValueError, match="vote='most' is not known; choose majority, consensus"):
        VotingFilter(vote="most").fit(FEW_X, FEW_LABELS)


STUMP = DecisionTreeClassifier(max_depth=2, random_state=0)


def naive(X, y, n_estimators=15):
    """AdaBoost as it is written down, with scikit-learn's trees: edge, total, weights."""
    n, n_classes = len(y), len(np.unique(y))
    weights, edge, total = np.full(n, 1 / n), np.zeros(n), 0.0
    for _ in range(n_estimators):
        tree = clone(STUMP).fit(X, y, sample_weight=n * weights)
        wrong = tree.predict(X) != y
        error = weights[wrong].sum()
        if error <= 0 or error >= 1 - 1 / n_classes:
            break
        a = np.log((1 - error) / error) + np.log(n_classes - 1)
        edge, total = edge + a * wrong, total + a
        weights = weights * np.exp(a * wrong)
        weights /= weights.sum()
    return edge, total, weights


def three_classes(n, random_state):
    return make_blobs(n, 6, centers=3, cluster_std=8.0, random_state=random_state)


def noisy_twonorm(make=make_twonorm, n=600):
    X, y = make(n, random_state=0)
    return X, *flip_labels(y, 0.1, random_state=0)


def test_the_edge_of_a_row_that_is_wrong_in_rounds_one_and_three():
    right, wrong = np.array([1]), np.array([0])
    rounds = [(wrong, 1.0), (right, 0.5), (wrong, 0.25)]
    total, edge, towards = add_rounds(rounds, np.array([1]), 2)
    np.testing.assert_allclose(edge / total, 0.714286, rtol=0, atol=1e-6)
    np.testing.assert_allclose(towards, [[1.25, 0.5]])


@pytest.mark.parametrize("estimator", [None, STUMP], ids=["compiled", "scikit-learn"])
@pytest.mark.parametrize("make", [make_twonorm, three_classes])
def test_the_loop_is_the_one_that_is_written_down(make, estimator):
    X, y, _ = noisy_twonorm(make)
    edge, total, weights = naive(X, y)
    found = BoostEdgeFilter(estimator).fit(X, y)
    relative = len(y) * weights
    by_weight = BoostWeightFilter(estimator).fit(X, y)
    np.testing.assert_allclose(found.suspicion_, edge / total, rtol=0, atol=1e-9)
    np.testing.assert_allclose(by_weight.suspicion_, relative / (1 + relative), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", [BoostEdgeFilter, BoostWeightFilter])
def test_a_twentieth_at_most_is_flagged_and_only_what_some_round_got_wrong(kind):
    X, y, _ = noisy_twonorm()
    filter_ = kind().fit(X, y)
    assert filter_.flagged_.sum() == 30
    assert filter_.suspicion_[filter_.flagged_].min() >= filter_.suspicion_[~filter_.flagged_].max()
    # One wrong label in two clusters: more would be allowed, one is found.
    X, y = np.r_[np.zeros(30), np.ones(30)][:, None], np.repeat([0, 1], 30)
    X = X * 10 + np.random.RandomState(0).normal(size=(60, 1))
    y[5] = 1
    few = kind(n_estimators=1).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(few.flagged_), [5])
    assert kind(n_estimators=1, contamination=0.05).fit(X, y).flagged_.sum() == 3


def test_both_order_the_rows_alike():
    X, y, _ = noisy_twonorm()
    edge, weight = (kind().fit(X, y).suspicion_ for kind in (BoostEdgeFilter, BoostWeightFilter))
    order = np.argsort(edge, kind="stable")
    assert (np.diff(weight[order]) >= -1e-12).all()


def test_no_better_than_guessing_suspects_nobody():
    X, y = np.ones((20, 1)), np.repeat([0, 1], 10)
    for kind in (BoostEdgeFilter, BoostWeightFilter):
        filter_ = kind().fit(X, y)
        np.testing.assert_array_equal(filter_.suspicion_, 0.0)
        assert not filter_.flagged_.any()


def test_the_class_that_the_rounds_like_best_is_suggested():
    X, truth = load_wine(return_X_y=True)
    y, flipped = flip_labels(truth, 0.1, random_state=0)
    filter_ = BoostEdgeFilter().fit(X, y)
    assert (filter_.suggested_ != y)[filter_.flagged_].all()
    found = filter_.flagged_ & flipped
    assert found.sum() >= 5
    assert (filter_.suggested_ == truth)[found].all()


def test_no_class_is_suggested_that_no_round_names():
    rounds = [(np.array([0, 2]), 1.0), (np.array([0, 1]), 0.5)]
    _, _, towards = add_rounds(rounds, np.array([0, 1]), 3)
    np.testing.assert_array_equal(find_favourite_other(towards, np.array([0, 1])), [0, 2])


def test_wrong_parameters_are_named_in_boosting():
    X, y, _ = noisy_twonorm()
    with pytest.raises(ValueError, match="n_estimators=0 must be a whole number at least 1"):
        BoostEdgeFilter(n_estimators=0).fit(X, y)
