import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs, make_circles, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC

from errata.filters import DetectorFilter
from errata.noise import flip_labels
from errata.tolerant import (
    GeneralizedCrossEntropy,
    KernelRobustLossClassifier,
    RampLoss,
    RobustLossClassifier,
)

both = pytest.mark.parametrize("model", [RobustLossClassifier, KernelRobustLossClassifier])

each = pytest.mark.parametrize(
    "loss",
    [
        "generalized_cross_entropy",
        "symmetric_cross_entropy",
        "ramp",
        "sigmoid",
        "savage",
        "tangent",
    ],
)

CENTRES = np.array([[-3.0, 0.0], [3.0, 0.0], [0.0, 5.0]])  # none between the others


def noisy(n_classes=3, rate=0.2, n=200):
    X, y = make_blobs(n, centers=CENTRES[:n_classes], random_state=3)
    return X, y, *flip_labels(y, rate, random_state=0)


@both
@each
@pytest.mark.parametrize("n_classes", [2, 3])
def test_wrong_labels_are_found_and_right_ones_suggested(model, loss, n_classes):
    X, y, labels, flipped = noisy(n_classes)
    fitted = model(loss, C=1.0).fit(X, labels)
    assert roc_auc_score(flipped, fitted.suspicion_) > 0.95
    assert np.mean(fitted.predict(X) == y) > 0.95
    np.testing.assert_array_equal(fitted.flagged_, fitted.suspicion_ > 0.5)
    assert np.mean(fitted.suggested_ == y) > 0.95


@both
@each
@pytest.mark.parametrize("n_classes", [2, 3])
def test_suspicion_is_the_margin_of_the_probabilities(model, loss, n_classes):
    X, _, labels, _ = noisy(n_classes)
    fitted = model(loss).fit(X, labels)
    proba = fitted.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    own = proba[np.arange(len(labels)), labels]
    others = [np.delete(row, label).max() for row, label in zip(proba, labels, strict=True)]
    np.testing.assert_allclose(
        fitted.suspicion_, (1 + np.array(others) - own) / 2, rtol=0, atol=1e-6
    )


@both
def test_scores_decide(model):
    X, _, labels, _ = noisy(3)
    fitted = model().fit(X, labels)
    best = fitted.decision_function(X).argmax(axis=1)
    np.testing.assert_array_equal(fitted.predict(X), best)
    two = model().fit(X, np.array(["no", "yes"])[(labels > 0).astype(int)])
    assert two.decision_function(X).shape == (200,)
    yes = two.decision_function(X) > 0
    np.testing.assert_array_equal(two.predict(X) == "yes", yes)


@both
def test_a_loss_may_have_its_own_parameters(model):
    X, _, labels, _ = noisy()
    named, same, other = (
        model(loss).fit(X, labels).decision_function(X)
        for loss in ("ramp", RampLoss(), RampLoss(cap=2.0))
    )
    np.testing.assert_array_equal(named, same)
    assert not np.allclose(named, other)
    losses = [GeneralizedCrossEntropy(q) for q in (0.3, 0.7)]
    search = GridSearchCV(model(), {"loss": losses}, cv=2).fit(X, labels)
    assert search.best_params_["loss"] in losses


@both
def test_weights_are_repetitions_and_zeros_are_left_out(model):
    X, _, labels, _ = noisy()
    counts = np.arange(200) % 3
    weighted = model(tol=1e-9).fit(X, labels, counts)
    repeated = model(tol=1e-9).fit(np.repeat(X, counts, axis=0), np.repeat(labels, counts))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-4
    )
    assert weighted.suspicion_.shape == (200,)


@both
def test_they_can_clean(model):
    X, _, labels, _ = noisy()
    _, left = DetectorFilter(model()).fit_resample(X, labels)
    assert 140 <= len(left) < 200


@both
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"loss": "hinge"}, "loss='hinge' is not known; choose from generalized_cross_entropy"),
        ({"loss": 3}, r"loss=3 is not a loss; pass one of errata\.tolerant\.losses"),
        ({"loss": RampLoss(0)}, "cap=0 must be a number between 1 and inf"),
        ({"C": 0}, "C=0 must be a finite number above 0"),
        ({"max_iter": 0}, "max_iter=0 must be a whole number at least 1"),
        ({"tol": -1}, "tol=-1 must be a finite number above 0"),
    ],
)
def test_wrong_parameters_get_a_sentence(model, parameters, sentence):
    X, _, labels, _ = noisy()
    with pytest.raises(ValueError, match=sentence):
        model(**parameters).fit(X, labels)


@both
def test_wrong_rows_get_a_sentence(model):
    with pytest.raises(ValueError, match="holds one class only"):
        model().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match="does not accept missing values"):
        model().fit([[0.0], [np.nan]], ["a", "b"])


@both
def test_constant_columns_and_single_rows_are_no_obstacle(model):
    X = np.array([[0.0, 5.0], [1.0, 5.0], [0.1, 5.0], [9.0, 5.0]])
    fitted = model(C=100.0).fit(X, ["a", "a", "a", "b"])
    assert np.isfinite(fitted.predict_proba(X)).all()
    constant = model().fit(np.ones((3, 2)), ["a", "a", "b"])
    assert set(constant.predict(np.ones((1, 2)))) == {"a"}


@pytest.mark.parametrize("constant", [0.1, 0.3, 7.0, -1e5 / 3])
def test_a_constant_column_changes_nothing(constant):
    X, y = load_iris(return_X_y=True)
    wider = np.column_stack([X, np.full(len(X), constant)])
    without = RobustLossClassifier().fit(X, y)
    fitted = RobustLossClassifier().fit(wider, y)
    np.testing.assert_allclose(fitted.coef_[:, :-1], without.coef_, rtol=1e-6)
    np.testing.assert_allclose(fitted.predict_proba(wider), without.predict_proba(X), atol=1e-9)


def test_too_few_steps_are_told_at_the_line_of_the_user():
    X, _, labels, _ = noisy()
    with pytest.warns(ConvergenceWarning, match="did not settle within max_iter=1 steps") as caught:
        RobustLossClassifier(max_iter=1).fit(X, labels)
    assert caught[0].filename == __file__


def test_a_class_without_weight_is_refused():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="every row of the class 2 has a sample_weight of zero"):
        RobustLossClassifier("ramp").fit(X, y, sample_weight=y < 2)


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
    monkeypatch.setattr("errata.tolerant.losses.BATCH", 1000)
    np.testing.assert_allclose(model.decision_function(X), whole, rtol=0, atol=1e-9)
