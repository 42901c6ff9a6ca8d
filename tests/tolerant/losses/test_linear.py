import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from errata.noise import flip_labels
from errata.tolerant import GeneralizedCrossEntropy, RampLoss, RobustLossClassifier


def classes(n_classes, n=150):
    return make_classification(
        n, 5, n_informative=3, n_redundant=0, n_classes=n_classes, class_sep=0.7, random_state=0
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_as_q_tends_to_zero_it_is_logistic_regression(n_classes, C):
    X, y = classes(n_classes)
    weights = np.random.RandomState(0).uniform(0.5, 2, len(y))
    plain = LogisticRegression(C=C, tol=1e-8, max_iter=1000).fit(X, y, weights)
    model = RobustLossClassifier(GeneralizedCrossEntropy(1e-7), C=C, tol=1e-9).fit(X, y, weights)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=0, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_ramp_without_a_cap_is_a_support_vector_machine(n_classes):
    X, y = classes(n_classes)
    # LinearSVC penalises the intercept unless it is written large.
    plain = LinearSVC(C=1, tol=1e-10, intercept_scaling=1e3, max_iter=100_000).fit(X, y)
    model = RobustLossClassifier(RampLoss(np.inf), tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=0, atol=1e-3)


def test_an_origin_far_away_does_not_matter():
    X, y = classes(3)
    here, there = (RobustLossClassifier(tol=1e-9).fit(X + origin, y) for origin in (0, 1e5))
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-4)
    np.testing.assert_allclose(
        there.predict_proba(X + 1e5), here.predict_proba(X), rtol=0, atol=1e-4
    )


def accuracies(model, X, y, *, seed):
    """On clean rows, after a fifth of the labels was wrong and a few more rows lay far out."""
    labels, _ = flip_labels(y, 0.2, random_state=seed)
    random = np.random.RandomState(seed)
    direction = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    far = X[y == 1][:4] + 4 * direction + random.normal(size=(4, X.shape[1]))
    return model.fit(np.vstack([X, far]), np.append(labels, np.zeros(4, int))).score(X, y)


@pytest.mark.parametrize(
    "loss", ["generalized_cross_entropy", "symmetric_cross_entropy", "sigmoid", "savage"]
)
def test_random_and_gross_errors_together_harm_less_than_in_logistic_regression(loss):
    gains = []
    for seed in range(5):
        random = np.random.RandomState(seed)
        y = np.arange(200) % 2
        X = random.normal(size=(200, 2)) + np.where(y, 1.5, -1.5)[:, None] * [1, 0.3]
        robust, plain = (
            accuracies(model, X, y, seed=seed)
            for model in (RobustLossClassifier(loss), LogisticRegression())
        )
        gains.append(robust - plain)
    assert np.mean(gains) > 0.01
    assert min(gains) > -0.01


def test_iris_with_a_third_of_the_labels_wrong():
    X, y = load_iris(return_X_y=True)
    gains = []
    for seed in range(5):
        labels, _ = flip_labels(y, 0.3, random_state=seed)
        robust, plain = (
            model.fit(X, labels).score(X, y)
            for model in (RobustLossClassifier(), LogisticRegression(max_iter=1000))
        )
        gains.append(robust - plain)
    assert np.mean(gains) > 0
