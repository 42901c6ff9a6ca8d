import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, SGDClassifier
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
from errata.ensemble.boosting import _base
from errata.ensemble.boosting._base import (
    CompiledTree,
    EstimatorLearner,
    FittedBase,
    TreeLearner,
    add_up,
    bin_columns,
    boost_one_vs_rest,
    compute_advantage,
    make_base_learner,
    make_constant_base,
    pick_preferred,
    predict_codes,
)
from strategies import seeds

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
    original, received = getattr(_base.TreeLearner, method), []

    def spy(self, *arguments):
        received.append(arguments[-1] / arguments[-1].sum())
        return original(self, *arguments)

    monkeypatch.setattr(_base.TreeLearner, method, spy)
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
    monkeypatch.setattr(_base, "BINNED_FROM", 349)
    binned = booster(n_estimators=30).fit(X[:350], y[:350])
    assert not np.array_equal(exact.decision_function(X), binned.decision_function(X))
    both = [model.score(X[350:], y[350:]) for model in (exact, binned)]
    assert both[1] == pytest.approx(both[0], abs=0.03)


@each
def test_few_values_have_bins_of_their_own(booster, monkeypatch):
    X, y = overlapping()
    X = np.round(X)
    exact = booster(n_estimators=10).fit(X, y)
    monkeypatch.setattr(_base, "BINNED_FROM", 1)
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


COMPILED = {"max_depth": 1, "by_error": False, "random": np.random.RandomState(0)}


def rows(n=60, d=3, n_classes=2, seed=0):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, d)).astype(np.float32).astype(float)
    return X, random.randint(n_classes, size=n), random.dirichlet(np.ones(n))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("depth", [1, 2])
def test_a_tree_of_scikit_learn_says_the_same(n_classes, depth):
    X, codes, weights = rows(n_classes=n_classes)
    theirs = DecisionTreeClassifier(max_depth=depth)
    learners = [TreeLearner(X, depth), EstimatorLearner(theirs, X, np.random.RandomState(0))]
    ours, other = (learner.classify(codes, n_classes, weights) for learner in learners)
    np.testing.assert_array_equal(ours.outputs, other.outputs)
    new = np.random.RandomState(1).normal(size=(200, 3)).astype(np.float32).astype(float)
    np.testing.assert_array_equal(
        predict_codes(ours.estimator, new), predict_codes(other.estimator, new)
    )


@pytest.mark.parametrize("depth", [1, 3])
def test_a_regression_tree_of_scikit_learn_says_the_same(depth):
    X, _, weights = rows()
    z = np.random.RandomState(1).normal(size=len(X))
    theirs = DecisionTreeRegressor(max_depth=depth)
    learners = [TreeLearner(X, depth), EstimatorLearner(theirs, X, np.random.RandomState(0))]
    ours, other = (learner.regress(z, weights) for learner in learners)
    np.testing.assert_allclose(ours.outputs, other.outputs, rtol=0, atol=1e-10)
    new = np.random.RandomState(1).normal(size=(200, 3)).astype(np.float32).astype(float)
    a, b = (add_up([h.as_term(np.array([[2.0]]), 0)], new) for h in (ours, other))
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-10)


def test_an_estimator_sees_weights_of_mean_one_and_a_seed():
    class Spy(SGDClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((sample_weight, self.random_state))
            return super().fit(X, y, sample_weight=sample_weight)

    seen = []
    X, codes, weights = rows()
    learner = make_base_learner(Spy(), X, **COMPILED)
    learner.classify(codes, 2, weights)
    learner.classify(codes, 2, weights)
    np.testing.assert_allclose(seen[0][0], weights * len(weights), rtol=1e-12, atol=0)
    assert seen[0][1] != seen[1][1]
    assert None not in (seen[0][1], seen[1][1])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_ties_go_to_the_second_of_two_classes_and_the_first_of_several(n_classes):
    codes = np.arange(n_classes)
    learner = TreeLearner(np.zeros((n_classes, 1)), 1)
    outputs = learner.classify(codes, n_classes, np.full(n_classes, 1 / n_classes)).outputs
    np.testing.assert_array_equal(outputs, 1 if n_classes == 2 else 0)


@given(seeds, st.integers(1, 300), st.sampled_from([3, 400]))
def test_bins_hold_the_values_up_to_their_edge(seed, n, n_values):
    X = np.random.RandomState(seed).randint(n_values, size=(n, 2)) / 7
    bins, edges = bin_columns(X)
    assert edges.shape == (2, 255)
    assert np.isinf(edges[:, -1]).all()
    for feature in range(2):
        upper, held = edges[feature], bins[:, feature].astype(int)
        assert (X[:, feature] <= upper[held]).all()
        lower = np.where(held > 0, upper[held - 1], -np.inf)
        assert (X[:, feature] > lower).all()
        if len(np.unique(X[:, feature])) <= 255:
            assert len(np.unique(held)) == len(np.unique(X[:, feature]))


def test_bins_of_many_values_hold_about_equally_many_rows():
    X = np.random.RandomState(0).exponential(size=(51_000, 1))
    counts = np.bincount(bin_columns(X)[0][:, 0])
    assert len(counts) == 255
    assert counts.min() > 150
    assert counts.max() < 250


def test_many_rows_are_binned_with_little_loss(monkeypatch):
    X, _, weights = rows(n=2000)
    z = X @ [2.0, 1.0, 0.5]
    exact = TreeLearner(X, 2).regress(z, weights)
    monkeypatch.setattr(_base, "BINNED_FROM", 1999)
    binned = TreeLearner(X, 2).regress(z, weights)
    np.testing.assert_array_equal(add_up([binned.as_term(np.eye(1), 0)], X)[:, 0], binned.outputs)
    best, got = (weights @ (z - base.outputs) ** 2 for base in (exact, binned))
    assert not np.array_equal(exact.estimator.thresholds, binned.estimator.thresholds)
    assert got == pytest.approx(best, rel=0.01)


def test_what_a_member_says_of_training_rows_is_what_it_said_in_fit():
    X, codes, weights = rows(n_classes=3)
    for depth in (1, 2, 3):
        learner = TreeLearner(X, depth)
        base = learner.classify(codes, 3, weights)
        np.testing.assert_array_equal(predict_codes(base.estimator, X), base.outputs)
        base = learner.regress(codes - 1.0, weights)
        decision = add_up([base.as_term(np.ones((1, 1)), 0)], X)[:, 0]
        np.testing.assert_array_equal(decision, base.outputs)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_rows_does_not_decide_ties(n_classes):
    # Ten times 0.1 is less than one in floating point, or not, depending on the order.
    weights = np.r_[np.full(10, 0.1), 1.0]
    codes = np.r_[np.zeros(10, dtype=int), 1]
    for order in (np.arange(11), np.arange(11)[::-1]):
        learner = TreeLearner(np.zeros((11, 1)), 1)
        outputs = learner.classify(codes[order], n_classes, weights[order]).outputs
        assert set(outputs) == {1 if n_classes == 2 else 0}


def test_base_estimators_of_all_kinds_add_up():
    X, codes, weights = rows()
    table = np.array([[-1.0], [1.0]])
    bases = [
        TreeLearner(X, 1).classify(codes, 2, weights),
        EstimatorLearner(LinearRegression(), X, None).regress(codes - 0.5, weights),
        TreeLearner(X, 3).regress(codes - 0.5, weights),
        make_constant_base(1, codes),
        TreeLearner(X, 2).classify(codes, 2, weights),
    ]
    values = [table if base.outputs.dtype.kind == "i" else np.array([[0.5]]) for base in bases]
    terms = [base.as_term(v, t) for t, (base, v) in enumerate(zip(bases, values, strict=True))]
    said = [
        v[base.outputs, 0] if base.outputs.dtype.kind == "i" else v[0, 0] * base.outputs
        for base, v in zip(bases, values, strict=True)
    ]
    np.testing.assert_allclose(add_up(terms, X)[:, 0], np.sum(said, axis=0), rtol=0, atol=1e-12)


def test_rows_are_decided_in_batches(monkeypatch):
    X, codes, weights = rows()
    terms = [TreeLearner(X, 2).classify(codes, 2, weights).as_term(np.array([[-1.0], [1]]), 0)]
    whole = add_up(terms, X)
    monkeypatch.setattr(_base, "BATCH", 20)
    np.testing.assert_array_equal(add_up(terms, X), whole)


def test_reach_is_the_most_that_a_term_can_do():
    codes = np.array([0, 1, 1])
    stump = CompiledTree(np.zeros(1, dtype=np.int32), np.zeros(1), np.array([0, 1]))
    assert FittedBase(stump, codes).as_term(np.array([[-2.0], [2.0]]), 0).reach == 2
    assert FittedBase(stump, codes).as_term(np.array([[0, 0, 3.0], [0, 0, -1.0]]), 0).reach == 3
    assert FittedBase(stump, np.array([0.5, -4.0])).as_term(np.array([[0.5]]), 0).reach == 2


def test_equal_up_to_rounding_is_equal():
    assert pick_preferred(np.array([[-1e-13], [-1e-11], [0.0]]), 1.0).tolist() == [1, 0, 1]
    nearly = np.array([[1.0, 1 + 1e-13, 0], [1, 1 + 1e-11, 0]])
    assert pick_preferred(nearly, 1.0).tolist() == [0, 1]
    assert pick_preferred(nearly, np.array([1.0, 100.0])).tolist() == [0, 0]


CODES = np.array([0, 1, 2, 2])


def boost_twice(y):
    """Two constant rules: the first always right about the commoner sign, the second wrong."""
    code = int(y.sum() >= 0)
    rule = make_constant_base(code, np.zeros(len(y), dtype=int))
    return [(rule, np.array([-1.0, 1.0])), (rule, np.array([0.25, -0.25]))]


def test_two_classes_have_one_column():
    terms = boost_one_vs_rest(boost_twice, np.array([0, 1, 1]), 2)
    assert [term.round for term in terms] == [0, 1]
    assert [term.reach for term in terms] == [1, 0.25]
    np.testing.assert_array_equal(add_up(terms, np.zeros((3, 1))), 0.75)


def test_several_classes_have_a_column_each():
    terms = boost_one_vs_rest(boost_twice, CODES, 3)
    assert [term.round for term in terms] == [0, 1] * 3
    assert [np.flatnonzero(term.values.any(axis=0)).tolist() for term in terms] == [
        [0], [0], [1], [1], [2], [2]
    ]  # fmt: skip
    # The first two classes are rare; the third is half of the rows, and a tie is for it.
    np.testing.assert_array_equal(add_up(terms, np.zeros((1, 1))), [[-0.75, -0.75, 0.75]])
