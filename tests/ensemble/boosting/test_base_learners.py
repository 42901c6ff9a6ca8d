import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from errata.ensemble.boosting import _base_learners
from errata.ensemble.boosting._base_learners import (
    EstimatorLearner,
    TreeLearner,
    add_up,
    bin_columns,
    make_base_learner,
    make_term,
    predict_codes,
)
from strategies import seeds

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
    a, b = (add_up([make_term(h, np.array([[2.0]]), 0)], new) for h in (ours, other))
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
    monkeypatch.setattr(_base_learners, "BINNED_FROM", 1999)
    binned = TreeLearner(X, 2).regress(z, weights)
    np.testing.assert_array_equal(
        add_up([make_term(binned, np.eye(1), 0)], X)[:, 0], binned.outputs
    )
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
        decision = add_up([make_term(base, np.ones((1, 1)), 0)], X)[:, 0]
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
