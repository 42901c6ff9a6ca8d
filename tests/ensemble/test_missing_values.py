"""Missing values pass where every part of an ensemble takes them, and are refused elsewhere."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
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

X, Y = make_blobs(90, centers=3, cluster_std=2.0, random_state=0)
X[::7, 0] = np.nan
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
    model.fit(X, Y)
    assert np.isfinite(model.suspicion_).all()
    assert model.score(X, Y) > 0.6
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(np.full((1, 2), np.inf))


@pytest.mark.parametrize("model", REFUSE, ids=lambda m: type(m).__name__)
def test_missing_values_are_refused_where_the_tags_say_so(model):
    assert not get_tags(model).input_tags.allow_nan
    with pytest.raises(
        ValueError, match=rf"contains NaN, but {type(model).__name__} does not accept"
    ):
        model.fit(X, Y)
