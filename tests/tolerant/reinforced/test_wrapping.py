"""What the three estimators that wrap another have in common."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from errata.tolerant import ReinforcedClassifier, ReinforcedDensity, ReinforcedRegressor

X, Y = make_blobs(90, centers=3, cluster_std=2.5, random_state=3)
WEIGHT = np.random.RandomState(0).uniform(0.1, 2, len(Y))
GROUPS = np.arange(len(Y)) // 3
WRAPPERS = [
    ReinforcedClassifier(GaussianNB()),
    ReinforcedRegressor(Ridge()),
    ReinforcedDensity(KernelDensity(bandwidth=2)),
]
wrappers = pytest.mark.parametrize("wrapper", WRAPPERS, ids=lambda model: type(model).__name__)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def with_params(wrapper, **params):
    return sklearn.clone(wrapper).set_params(**params)


class Remembering(LogisticRegression):
    """Keeps the names that it was asked to remember of the rows of each fit, in ``seen``."""

    seen = None

    def fit(self, X, y, sample_weight=None, names=None):
        type(self).seen.append(names)
        return super().fit(X, y, sample_weight=sample_weight)


@wrappers
def test_folds_follow_the_seed_and_not_the_number_of_jobs(wrapper):
    model = with_params(wrapper, cv=3, random_state=1).fit(X, Y)
    same = with_params(wrapper, cv=3, random_state=1, n_jobs=2).fit(X, Y)
    other = with_params(wrapper, cv=3, random_state=2).fit(X, Y)
    np.testing.assert_array_equal(same.log_likelihood_, model.log_likelihood_)
    assert not np.array_equal(other.log_likelihood_, model.log_likelihood_)


def test_an_estimator_without_a_seed_gets_one_for_all_its_fits():
    forest = RandomForestClassifier(5, max_depth=2)
    first, second = (ReinforcedClassifier(forest, random_state=0).fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(first.weights_, second.weights_)
    assert first.converged_  # it could not if every fit drew other trees
    assert first.estimator_.random_state is not None
    seeded = RandomForestClassifier(5, max_depth=2, random_state=7)
    kept = ReinforcedClassifier(seeded, random_state=0).fit(X, Y)
    assert kept.estimator_.random_state == 7


@wrappers
def test_a_splitter_is_given_the_groups(wrapper):
    model = with_params(wrapper, cv=GroupKFold(3)).fit(X, Y, groups=GROUPS)
    folds = list(GroupKFold(3).split(X, Y, GROUPS))
    by_hand = with_params(wrapper, cv=folds).fit(X, Y)
    np.testing.assert_array_equal(model.log_likelihood_, by_hand.log_likelihood_)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, Y, groups=GROUPS[:-1])


def test_copies_of_a_row_cannot_tell_on_each_other_when_they_are_one_group():
    rows = np.repeat(np.arange(30), 3)
    copies, labels = X[rows], np.random.RandomState(0).randint(2, size=30)[rows]
    patients = np.array([f"patient {row}" for row in rows])
    model = ReinforcedClassifier(
        DecisionTreeClassifier(random_state=0), cv=3, reinforcement=np.inf, random_state=0
    )
    # Labels at random can be told from a copy of the row, and from nothing else.
    assert model.fit(copies, labels).log_likelihood_.mean() > -30
    assert model.fit(copies, labels, groups=patients).log_likelihood_.mean() < -200


@wrappers
def test_sample_weights_count_rows(wrapper):
    counts = np.random.RandomState(0).randint(1, 4, len(Y))
    weighted = sklearn.clone(wrapper).fit(X, Y, sample_weight=counts)
    repeated = sklearn.clone(wrapper).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    np.testing.assert_allclose(
        np.repeat(weighted.weights_, counts), repeated.weights_, rtol=0, atol=1e-6
    )


@wrappers
def test_sample_weight_and_groups_reach_the_end_of_a_pipeline(routing, wrapper):
    model = with_params(wrapper, cv=GroupKFold(3)).set_fit_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    piped = make_pipeline(scaler, model).fit(X, Y, sample_weight=WEIGHT, groups=GROUPS)
    alone = with_params(wrapper, cv=GroupKFold(3)).fit(
        StandardScaler().fit_transform(X), Y, sample_weight=WEIGHT, groups=GROUPS
    )
    np.testing.assert_array_equal(piped[-1].weights_, alone.weights_)


@pytest.mark.parametrize("wrapper", WRAPPERS[:2], ids=lambda model: type(model).__name__)
def test_sample_weight_and_groups_pass_through_a_grid_search(routing, wrapper):
    model = sklearn.clone(wrapper).set_fit_request(sample_weight=True)
    model.set_score_request(sample_weight=False)
    search = GridSearchCV(model, {"mean_weight": [0.8, 0.95]}, cv=GroupKFold(3))
    search.fit(X, Y, sample_weight=WEIGHT, groups=GROUPS)
    chosen = search.best_params_["mean_weight"]
    alone = with_params(wrapper, mean_weight=chosen).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(search.best_estimator_.weights_, alone.weights_)


def test_a_pipeline_that_hands_weights_on_can_be_reinforced(routing):
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    ridge = Ridge(tol=1e-10).set_fit_request(sample_weight=True)
    inside = ReinforcedRegressor(make_pipeline(scaler, ridge)).fit(X, Y)
    outside = ReinforcedRegressor(Ridge()).fit(StandardScaler().fit_transform(X), Y)
    np.testing.assert_allclose(inside.weights_, outside.weights_, rtol=0, atol=1e-10)
    silent = make_pipeline(scaler, Ridge().set_fit_request(sample_weight=False))
    with pytest.raises(TypeError, match=r"set_fit_request\(sample_weight=True\)"):
        ReinforcedRegressor(silent).fit(X, Y)


def test_other_metadata_goes_to_the_estimator_row_by_row(routing):
    Remembering.seen = []
    names = np.array([f"row {i}" for i in range(len(Y))])
    estimator = Remembering().set_fit_request(names=True, sample_weight=True)
    model = ReinforcedClassifier(estimator, cv=3, reinforcement=np.inf, random_state=0)
    model.fit(X, Y, names=names)
    whole, *folds = Remembering.seen
    assert whole.tolist() == names.tolist()
    assert sorted(np.concatenate(folds)) == sorted(np.repeat(names, 2))  # in two folds of three


def test_metadata_without_routing_get_a_sentence():
    with pytest.raises(TypeError, match=r"ReinforcedClassifier\.fit got names, which it hands to"):
        ReinforcedClassifier().fit(X, Y, names=Y)


def test_missing_values_are_for_the_wrapped_estimator_to_take():
    holey = X.copy()
    holey[::7, 0] = np.nan
    boosting = HistGradientBoostingRegressor(max_iter=5, random_state=0)
    assert get_tags(ReinforcedRegressor(boosting)).input_tags.allow_nan
    with pytest.warns(ConvergenceWarning, match="still move"):
        model = ReinforcedRegressor(boosting, max_iter=2).fit(holey, Y)
    assert np.isfinite(model.predict(holey)).all()
    assert not get_tags(ReinforcedRegressor(LinearRegression())).input_tags.allow_nan
    for wrapper in WRAPPERS:
        with pytest.raises(ValueError, match="Input X contains NaN"):
            sklearn.clone(wrapper).fit(holey, Y)
