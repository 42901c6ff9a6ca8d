import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from errata.noise import flip_labels
from errata.tolerant import (
    GeneralizedCrossEntropy,
    KernelRobustLossClassifier,
    RobustLossClassifier,
)
from errata.tolerant.losses import _classifiers


def moons(n=200, rate=0.2):
    X, y = make_moons(n, noise=0.2, random_state=0)
    return X, y, *flip_labels(y, rate, random_state=0)


def test_curved_borders_are_found():
    X, y = make_circles(300, noise=0.1, factor=0.4, random_state=0)
    labels, flipped = flip_labels(y, 0.2, random_state=0)
    model = KernelRobustLossClassifier().fit(X, labels)
    assert model.score(X, y) > 0.97
    assert np.mean(model.flagged_ == flipped) > 0.97


def test_a_linear_kernel_is_the_linear_classifier():
    X, _, labels, _ = moons()
    X = X - X.mean(axis=0)
    linear = RobustLossClassifier(C=2.0, tol=1e-9).fit(X, labels)
    kernel = KernelRobustLossClassifier(C=2.0, kernel="linear", tol=1e-9).fit(X, labels)
    np.testing.assert_allclose(
        kernel.decision_function(X), linear.decision_function(X), rtol=0, atol=1e-4
    )


def test_as_q_tends_to_zero_it_is_kernel_logistic_regression():
    X, _, labels, _ = moons(80)
    model = KernelRobustLossClassifier(
        GeneralizedCrossEntropy(1e-7), C=1.0, gamma=1.0, tol=1e-9
    ).fit(X, labels)
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=1.0))
    features = vectors * np.sqrt(np.maximum(values, 0))
    plain = LogisticRegression(C=1.0, tol=1e-9, max_iter=1000).fit(features, labels)
    np.testing.assert_allclose(
        model.decision_function(X), plain.decision_function(features), rtol=0, atol=1e-3
    )


def test_gamma_is_that_of_svc():
    X, _, labels, _ = moons()
    for gamma in ("scale", "auto", 0.7):
        theirs = SVC(gamma=gamma).fit(X, labels)
        ours = KernelRobustLossClassifier(gamma=gamma).fit(X, labels)
        assert ours.gamma_ == pytest.approx(theirs._gamma, rel=1e-12)
    for gamma, sentence in ((0, 'above 0, or "scale" or "auto"'), ("median", "scale, auto")):
        with pytest.raises(ValueError, match=sentence):
            KernelRobustLossClassifier(gamma=gamma).fit(X, labels)


def test_many_rows_are_spanned_by_a_few_that_are_drawn():
    X, y, labels, _ = moons(600)
    exact, few, same, other = (
        KernelRobustLossClassifier(n_components=m, random_state=seed).fit(X, labels)
        for m, seed in ((600, 0), (100, 0), (100, 0), (100, 1))
    )
    assert exact.components_.shape == (600, 2)
    assert few.components_.shape == (100, 2)
    assert few.dual_coef_.shape == (1, 100)
    np.testing.assert_array_equal(few.dual_coef_, same.dual_coef_)
    assert not np.array_equal(few.components_, other.components_)
    assert np.mean(few.predict(X) == exact.predict(X)) > 0.98
    with pytest.raises(ValueError, match="n_components=0 must be a whole number at least 1"):
        KernelRobustLossClassifier(n_components=0).fit(X, y)


def test_a_kernel_may_be_a_function():
    X, _, labels, _ = moons()
    named = KernelRobustLossClassifier(gamma=0.5).fit(X, labels)
    own = KernelRobustLossClassifier(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.5))
    np.testing.assert_allclose(
        own.fit(X, labels).decision_function(X), named.decision_function(X), rtol=0, atol=1e-9
    )


def test_rows_are_scored_in_blocks(monkeypatch):
    X, _, labels, _ = moons()
    model = KernelRobustLossClassifier().fit(X, labels)
    whole = model.decision_function(X)
    monkeypatch.setattr(_classifiers, "BATCH", 1000)
    np.testing.assert_allclose(model.decision_function(X), whole, rtol=0, atol=1e-9)
