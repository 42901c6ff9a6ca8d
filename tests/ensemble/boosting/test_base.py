import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from errata.datasets import make_twonorm
from errata.ensemble import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
    RobustBoostClassifier,
)
from errata.ensemble.boosting import _base_learners
from errata.ensemble.boosting._base_learners import compute_advantage

BOOSTERS = [
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    GentleBoostClassifier,
    MadaBoostClassifier,
    AveBoostClassifier,
    ORBoostClassifier,
    RobustBoostClassifier,
]
VOTING = [
    DiscreteAdaBoostClassifier,
    MadaBoostClassifier,
    AveBoostClassifier,
    ORBoostClassifier,
]
BOOSTERS_ON_STUMPS = {*BOOSTERS[:3], RobustBoostClassifier}  # however many classes there are
each = pytest.mark.parametrize("booster", BOOSTERS)
two_and_three = pytest.mark.parametrize("n_classes", [2, 3])


def overlapping(n_classes=2, n=90, seed=0):
    random = np.random.RandomState(seed)
    codes = np.arange(n) % n_classes
    X = random.normal(size=(n, 4)) + codes[:, None] * [1.0, -0.5, 0, 0.3]
    return X.astype(np.float32).astype(float), codes


@each
@two_and_three
def test_the_last_stage_is_the_whole(booster, n_classes):
    X, y = overlapping(n_classes)
    model = booster(n_estimators=7).fit(X, y)
    decisions, predictions = list(model.staged_decision_function(X)), list(model.staged_predict(X))
    assert len(decisions) == len(predictions) == model.n_estimators_
    shape = (90,) if n_classes == 2 else (90, 3)
    assert decisions[0].shape == model.decision_function(X).shape == shape
    np.testing.assert_allclose(decisions[-1], model.decision_function(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(predictions[-1], model.predict(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("booster", BOOSTERS[:-1])
@two_and_three
def test_a_stage_is_what_fewer_rounds_would_give(booster, n_classes):
    X, y = overlapping(n_classes)
    stages = list(booster(n_estimators=5).fit(X, y).staged_decision_function(X))
    fewer = booster(n_estimators=3).fit(X, y).decision_function(X)
    np.testing.assert_allclose(stages[2], fewer, rtol=0, atol=1e-12)


@each
@two_and_three
def test_data_weights_are_those_the_learner_was_given(booster, n_classes, monkeypatch):
    method = "regress" if booster in (LogitBoostClassifier, GentleBoostClassifier) else "classify"
    original, received = getattr(_base_learners.TreeLearner, method), []

    def spy(self, *arguments):
        received.append(arguments[-1] / arguments[-1].sum())
        return original(self, *arguments)

    monkeypatch.setattr(_base_learners.TreeLearner, method, spy)
    X, y = overlapping(n_classes)
    counts = np.random.RandomState(0).randint(3, size=len(y))
    model = booster(n_estimators=4).fit(X, y, counts)
    given = np.array(list(model.staged_data_weights(X, y, counts)))
    assert not given[:, counts == 0].any()
    np.testing.assert_allclose(given.sum(axis=1), 1, rtol=0, atol=1e-12)
    rounds = np.array([term.round for term in model._terms])
    if booster in VOTING:
        rounds = np.arange(len(received))  # one rule a round, however many classes
    for t, weights in enumerate(given[:, counts > 0]):
        expected = np.mean([received[i] for i in np.flatnonzero(rounds == t)], axis=0)
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-10)


@each
@two_and_three
def test_margins_are_the_decision_for_the_label_and_never_exceed_one(booster, n_classes):
    X, y = overlapping(n_classes)
    model = booster(n_estimators=10, max_depth=2).fit(X, y)
    margins, decision = model.margins(X, y), model.decision_function(X)
    assert np.abs(margins).max() <= 1 + 1e-12
    if n_classes == 2:
        own = np.where(y == 1, decision, -decision)
    else:
        others = [np.delete(row, label).max() for row, label in zip(decision, y, strict=True)]
        own = decision[np.arange(len(y)), y] - others
    np.testing.assert_allclose(margins * model._reach(), own, rtol=0, atol=1e-9)
    sure = np.abs(margins) > 1e-9
    np.testing.assert_array_equal(margins[sure] > 0, (model.predict(X) == y)[sure])


@each
@two_and_three
def test_suspicion_averages_the_margins_of_all_stages(booster, n_classes):
    X, y = overlapping(n_classes)
    model = booster(n_estimators=6).fit(X, y)
    rounds, reaches = zip(*[(term.round, term.reach) for term in model._terms], strict=True)
    reach = np.bincount(rounds, reaches).cumsum()
    stages = [stage.reshape(len(y), -1) for stage in model.staged_decision_function(X)]
    mean = np.mean([stage / r for stage, r in zip(stages, reach, strict=True)], axis=0)
    np.testing.assert_allclose(
        model.suspicion_, (1 - compute_advantage(mean, y)) / 2, rtol=0, atol=1e-12
    )
    assert model.suspicion_.min() >= 0
    assert model.suspicion_.max() <= 1


@each
def test_words_are_as_good_as_numbers(booster):
    X, y = overlapping(3)
    names = np.array(["ant", "bee", "cat"])
    numbers, words = (booster(n_estimators=5).fit(X, labels) for labels in (y, names[y]))
    np.testing.assert_array_equal(words.predict(X), names[numbers.predict(X)])
    first, other = (next(model.staged_predict(X)) for model in (words, numbers))
    np.testing.assert_array_equal(first, names[other])
    np.testing.assert_allclose(words.margins(X, names[y]), numbers.margins(X, y), atol=1e-15)
    some = np.flatnonzero(y == 1)
    np.testing.assert_allclose(
        words.margins(X[some], names[y[some]]), numbers.margins(X, y)[some], rtol=0, atol=1e-15
    )


@each
@two_and_three
def test_a_stump_of_scikit_learn_may_be_passed_instead(booster, n_classes):
    X, y = overlapping(n_classes)
    regress = booster in (LogitBoostClassifier, GentleBoostClassifier)
    depth = 1 if booster in BOOSTERS_ON_STUMPS else n_classes - 1
    tree = (DecisionTreeRegressor if regress else DecisionTreeClassifier)(max_depth=depth)
    unequal = np.random.RandomState(0).uniform(1, 2, len(y))  # lest cuts be equally good
    ours, external = (
        booster(e, n_estimators=8, random_state=0).fit(X, y, unequal) for e in (None, tree)
    )
    new = overlapping(n_classes, seed=1)[0]
    np.testing.assert_allclose(
        external.decision_function(new), ours.decision_function(new), rtol=0, atol=1e-7
    )
    np.testing.assert_array_equal(external.predict(new), ours.predict(new))
    weights = [list(model.staged_data_weights(X, y)) for model in (ours, external)]
    np.testing.assert_allclose(weights[0], weights[1], rtol=0, atol=1e-7)


@each
@two_and_three
def test_weights_are_repetitions(booster, n_classes):
    X, y = overlapping(n_classes)
    counts = np.random.RandomState(1).randint(3, size=len(y))
    weighted = booster(n_estimators=6).fit(X, y, counts)
    repeated = booster(n_estimators=6).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-7
    )
    assert weighted.suspicion_.shape == y.shape


@each
def test_more_rows_than_are_sorted_are_binned(booster, monkeypatch):
    X, y = make_twonorm(700, random_state=0)
    exact = booster(n_estimators=30).fit(X[:350], y[:350])
    monkeypatch.setattr(_base_learners, "BINNED_FROM", 349)
    binned = booster(n_estimators=30).fit(X[:350], y[:350])
    assert not np.array_equal(exact.decision_function(X), binned.decision_function(X))
    both = [model.score(X[350:], y[350:]) for model in (exact, binned)]
    assert both[1] == pytest.approx(both[0], abs=0.03)


@each
def test_few_values_have_bins_of_their_own(booster, monkeypatch):
    X, y = overlapping()
    X = np.round(X)
    exact = booster(n_estimators=10).fit(X, y)
    monkeypatch.setattr(_base_learners, "BINNED_FROM", 1)
    binned = booster(n_estimators=10).fit(X, y)
    np.testing.assert_allclose(
        exact.decision_function(X), binned.decision_function(X), rtol=0, atol=1e-9
    )


@each
@two_and_three
def test_deeper_trees_fit_better(booster, n_classes):
    X, y = overlapping(n_classes)
    depths = (n_classes - 1, 4)  # to AveBoost2, a stump is no use with three classes
    shallow, deep = (booster(n_estimators=10, max_depth=d).fit(X, y).score(X, y) for d in depths)
    assert deep >= shallow


@each
def test_models_survive_pickling(booster):
    X, y = overlapping(3)
    model = booster(n_estimators=5).fit(X, y)
    revived = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(revived.decision_function(X), model.decision_function(X))
    for ours, theirs in zip(
        revived.staged_data_weights(X, y), model.staged_data_weights(X, y), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@each
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_features_of_any_size_will_do(booster, scale):
    X, y = overlapping()
    plain, scaled = (booster(n_estimators=5).fit(Z, y) for Z in (X, X * scale))
    np.testing.assert_allclose(
        plain.decision_function(X), scaled.decision_function(X * scale), rtol=0, atol=1e-9
    )


@each
def test_iris_is_learnt(booster):
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(booster(n_estimators=50, max_depth=2), X, y).mean() > 0.9


@each
def test_a_class_without_weight_is_never_predicted(booster):
    X, y = overlapping(3)
    model = booster(n_estimators=5).fit(X, y, np.where(y == 2, 0, 1))
    assert set(model.predict(X)) <= {0, 1}
    assert model.predict_proba(X).shape == (90, 3)


@each
def test_one_class_is_not_enough(booster):
    with pytest.raises(ValueError, match="holds one class only"):
        booster().fit([[0], [1]], ["a", "a"])


def test_labels_must_be_known_and_as_many_as_the_rows():
    X, y = overlapping()
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="y holds 7, a label that was not there in fit"):
        model.margins(X, y + 7)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.margins(X, y[:5])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        next(model.staged_data_weights(X, y[:5]))
