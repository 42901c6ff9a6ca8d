import numpy as np
from sklearn.linear_model import LinearRegression

from errata.ensemble.boosting import _base_learners
from errata.ensemble.boosting._base_learners import (
    CompiledTree,
    EstimatorLearner,
    FittedBase,
    TreeLearner,
    add_up,
    make_constant_base,
    make_term,
    pick_preferred,
)


def rows(n=60, d=3, n_classes=2, seed=0):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, d)).astype(np.float32).astype(float)
    return X, random.randint(n_classes, size=n), random.dirichlet(np.ones(n))


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
    terms = [make_term(base, v, t) for t, (base, v) in enumerate(zip(bases, values, strict=True))]
    said = [
        v[base.outputs, 0] if base.outputs.dtype.kind == "i" else v[0, 0] * base.outputs
        for base, v in zip(bases, values, strict=True)
    ]
    np.testing.assert_allclose(add_up(terms, X)[:, 0], np.sum(said, axis=0), rtol=0, atol=1e-12)


def test_rows_are_decided_in_batches(monkeypatch):
    X, codes, weights = rows()
    terms = [make_term(TreeLearner(X, 2).classify(codes, 2, weights), np.array([[-1.0], [1]]), 0)]
    whole = add_up(terms, X)
    monkeypatch.setattr(_base_learners, "BATCH", 20)
    np.testing.assert_array_equal(add_up(terms, X), whole)


def test_reach_is_the_most_that_a_term_can_do():
    codes = np.array([0, 1, 1])
    stump = CompiledTree(np.zeros(1, dtype=np.int32), np.zeros(1), np.array([0, 1]))
    assert make_term(FittedBase(stump, codes), np.array([[-2.0], [2.0]]), 0).reach == 2
    assert make_term(FittedBase(stump, codes), np.array([[0, 0, 3.0], [0, 0, -1.0]]), 0).reach == 3
    assert make_term(FittedBase(stump, np.array([0.5, -4.0])), np.array([[0.5]]), 0).reach == 2


def test_equal_up_to_rounding_is_equal():
    assert pick_preferred(np.array([[-1e-13], [-1e-11], [0.0]]), 1.0).tolist() == [1, 0, 1]
    nearly = np.array([[1.0, 1 + 1e-13, 0], [1, 1 + 1e-11, 0]])
    assert pick_preferred(nearly, 1.0).tolist() == [0, 1]
    assert pick_preferred(nearly, np.array([1.0, 100.0])).tolist() == [0, 0]
