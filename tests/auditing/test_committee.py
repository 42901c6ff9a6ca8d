import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from auditing_cases import blobs
from errata.auditing.models._default import KernelAndTrees


def test_probabilities_are_the_mean_of_both():
    X, y = blobs(90, 3)
    model = KernelAndTrees(random_state=0).fit(X, y)
    mean = (model.kernel_.predict_proba(X) + model.trees_.predict_proba(X)) / 2
    assert_allclose(model.predict_proba(X), mean, rtol=0, atol=0)
    assert_array_equal(model.predict(X), y)


def test_both_heed_the_weights():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    X, y = np.vstack([X, X]), np.repeat(["a", "b"], 40)
    for heavy in ("a", "b"):
        weights = np.where(y == heavy, 1.0, 0.01)
        model = KernelAndTrees(random_state=0).fit(X, y, sample_weight=weights)
        own = model.classes_.tolist().index(heavy)
        for part in (model.kernel_, model.trees_):
            assert (part.predict_proba(X)[:, own] > 0.9).all()


def test_the_same_seed_gives_the_same_model():
    X, y = blobs(60, 2)
    first, second = (KernelAndTrees(random_state=3).fit(X, y).predict_proba(X) for _ in range(2))
    assert_array_equal(first, second)
