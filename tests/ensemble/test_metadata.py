"""Metadata reaches the ensemble and its base estimators, alone and in pipelines and searches."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import get_tags

from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    HardnessBaggingClassifier,
    LogitBoostClassifier,
    NoiseReducingBoostClassifier,
    ParallelPerceptronClassifier,
    RobustBoostClassifier,
    SupervisedProjectionEnsembleClassifier,
)
from errata.hardness import DisjunctClassPercentage, NeighborDisagreement

X, Y = make_blobs(80, centers=2, cluster_std=2.0, random_state=0)

TAGS = np.arange(80)

HALF = np.r_[np.ones(40), np.zeros(40)]


class Spy:
    """Remembers which rows and tags it was fitted to; rows are found again by their features."""

    def fit(self, X, y, sample_weight=None, check_input=True, tag=None):
        seen.append((len(y), None if sample_weight is None else np.array(sample_weight), tag))
        return super().fit(X, y, sample_weight=sample_weight)


class SpyClassifier(Spy, DecisionTreeClassifier):
    pass


class SpyRegressor(Spy, DecisionTreeRegressor):
    pass


seen: list = []


@pytest.fixture
def routing():
    seen.clear()
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def spy(kind=SpyClassifier, **asks):
    return kind(max_depth=2).set_fit_request(**asks)


def make_ensembles(**asks):
    return [
        DiscreteAdaBoostClassifier(spy(**asks), n_estimators=3),
        RobustBoostClassifier(spy(**asks), n_estimators=3),
        LogitBoostClassifier(spy(SpyRegressor, **asks), n_estimators=3),
        GentleBoostClassifier(spy(SpyRegressor, **asks), n_estimators=3),
        NoiseReducingBoostClassifier(spy(**asks), 3, mode="adaboost"),
        NoiseReducingBoostClassifier(spy(**asks), 3, mode="bagging"),
        HardnessBaggingClassifier(spy(**asks), 3),
        SupervisedProjectionEnsembleClassifier(spy(**asks), 3),
    ]


KINDS = range(8)


@pytest.mark.parametrize("kind", KINDS)
def test_base_estimators_get_the_metadata_of_their_rows(routing, kind):
    model = make_ensembles(tag=True)[kind]
    model.set_params(random_state=0).fit(X, Y, tag=TAGS)
    assert seen
    for n, _, tag in seen:
        assert len(tag) == n
        assert set(tag) <= set(TAGS)
    if isinstance(model, HardnessBaggingClassifier):
        for bag, (_, _, tag) in zip(model.estimators_samples_, seen, strict=True):
            np.testing.assert_array_equal(tag, bag)


@pytest.mark.parametrize("kind", range(4))
def test_boosters_give_the_metadata_of_the_rows_that_take_part(routing, kind):
    model = make_ensembles(tag=True)[kind]
    order = np.random.RandomState(0).permutation(80)  # both classes among the first forty
    model.fit(X[order], Y[order], sample_weight=HALF, tag=TAGS)
    np.testing.assert_array_equal(seen[0][2], TAGS[:40])


@pytest.mark.parametrize("kind", KINDS)
def test_without_routing_metadata_is_refused_in_a_sentence(kind):
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_ensembles(tag=True)[kind]
    with pytest.raises(TypeError, match="fit got tag, which it hands to its estimator only with"):
        model.fit(X, Y, tag=TAGS)


def test_the_projection_ensemble_hands_sample_weight_to_its_base_estimators(routing):
    model = make_ensembles(sample_weight=True)[7]
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipeline = make_pipeline(scaler, model)
    pipeline.fit(X, Y, sample_weight=TAGS + 1.0)
    assert len(seen) == 3
    for _, weights, _ in seen:
        np.testing.assert_array_equal(np.sort(weights), TAGS + 1.0)
    assert not np.array_equal(seen[0][1], TAGS + 1.0)  # they follow the rows, which are reordered


CONSUMERS = [
    DiscreteAdaBoostClassifier(n_estimators=3),
    LogitBoostClassifier(n_estimators=3),
    GentleBoostClassifier(n_estimators=3),
    RobustBoostClassifier(n_estimators=3),
    HardnessBaggingClassifier(n_estimators=3, random_state=0),
    ParallelPerceptronClassifier(max_iter=5, random_state=0),
    NoiseReducingBoostClassifier(ParallelPerceptronClassifier(max_iter=5), 2, random_state=0),
]


@pytest.mark.parametrize("model", CONSUMERS, ids=lambda m: type(m).__name__)
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
def test_sample_weight_works_in_pipelines_and_searches(routing, model):
    weights = np.random.RandomState(0).randint(1, 4, size=80)
    asking = sklearn.base.clone(model).set_fit_request(sample_weight=True)
    if hasattr(asking, "set_score_request"):
        asking.set_score_request(sample_weight=False)
    alone = sklearn.base.clone(model).fit(X, Y, sample_weight=weights)
    piped = make_pipeline(asking).fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(piped[0].suspicion_, alone.suspicion_)
    plain = sklearn.base.clone(model).fit(X, Y)
    assert not np.array_equal(
        getattr(plain, "sample_probabilities_", plain.suspicion_),
        getattr(alone, "sample_probabilities_", alone.suspicion_),
    )
    search = GridSearchCV(asking, {"contamination": [0.1, 0.2]}, cv=2)
    assert search.fit(X, Y, sample_weight=weights).best_score_ > 0.5
    scores = cross_val_score(asking, X, Y, cv=2, params={"sample_weight": weights})
    assert scores.mean() > 0.5


MISSING_X, MISSING_Y = make_blobs(90, centers=3, cluster_std=2.0, random_state=0)

MISSING_X[::7, 0] = np.nan

STUMP, LINE = DecisionTreeClassifier(max_depth=2), DecisionTreeRegressor(max_depth=2)

TREES = DisjunctClassPercentage(random_state=0)

TAKE = [
    DiscreteAdaBoostClassifier(STUMP, n_estimators=5, random_state=0),
    DiscreteAdaBoostClassifier(STUMP, n_estimators=5, hardness=TREES, random_state=0),
    LogitBoostClassifier(LINE, n_estimators=5, random_state=0),
    GentleBoostClassifier(LINE, n_estimators=5, random_state=0),
    RobustBoostClassifier(STUMP, n_estimators=5, random_state=0),
    NoiseReducingBoostClassifier(STUMP, 3, mode="adaboost", random_state=0),
    HardnessBaggingClassifier(STUMP, 5, hardness=TREES, random_state=0),
    HardnessBaggingClassifier(
        HistGradientBoostingClassifier(max_iter=5),
        3,
        hardness=NeighborDisagreement(metric="nan_euclidean"),
        voting="soft",
        random_state=0,
    ),
    HardnessBaggingClassifier(STUMP, 5, hardness=lambda X, y: 0.0 * y, random_state=0),
]

REFUSE = [
    DiscreteAdaBoostClassifier(),
    LogitBoostClassifier(),
    GentleBoostClassifier(),
    RobustBoostClassifier(),
    DiscreteAdaBoostClassifier(LogisticRegression()),
    DiscreteAdaBoostClassifier(STUMP, hardness="kdn"),
    ParallelPerceptronClassifier(),
    NoiseReducingBoostClassifier(),
    HardnessBaggingClassifier(),
    HardnessBaggingClassifier(STUMP),
    HardnessBaggingClassifier(STUMP, hardness=TREES, voting="local"),
    SupervisedProjectionEnsembleClassifier(),
]


@pytest.mark.parametrize("model", TAKE, ids=lambda m: type(m).__name__)
def test_missing_values_are_taken_where_the_tags_say_so(model):
    assert get_tags(model).input_tags.allow_nan
    model.fit(MISSING_X, MISSING_Y)
    assert np.isfinite(model.suspicion_).all()
    assert model.score(MISSING_X, MISSING_Y) > 0.6
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(np.full((1, 2), np.inf))


@pytest.mark.parametrize("model", REFUSE, ids=lambda m: type(m).__name__)
def test_missing_values_are_refused_where_the_tags_say_so(model):
    assert not get_tags(model).input_tags.allow_nan
    with pytest.raises(
        ValueError, match=rf"contains NaN, but {type(model).__name__} does not accept"
    ):
        model.fit(MISSING_X, MISSING_Y)
