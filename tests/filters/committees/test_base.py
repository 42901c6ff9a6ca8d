"""What holds for committees of every kind."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

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
from errata.noise import flip_labels

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
