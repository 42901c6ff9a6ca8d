import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV

from errata.filters import DetectorFilter
from errata.noise import flip_labels
from errata.tolerant import (
    GeneralizedCrossEntropy,
    KernelRobustLossClassifier,
    RampLoss,
    RobustLossClassifier,
)
from errata.tolerant.losses._classifiers import LOSSES

both = pytest.mark.parametrize("model", [RobustLossClassifier, KernelRobustLossClassifier])
each = pytest.mark.parametrize("loss", LOSSES)

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


def test_too_few_steps_are_told_at_the_line_of_the_user():
    X, _, labels, _ = noisy()
    with pytest.warns(ConvergenceWarning, match="did not settle within max_iter=1 steps") as caught:
        RobustLossClassifier(max_iter=1).fit(X, labels)
    assert caught[0].filename == __file__


def test_a_class_without_weight_is_refused():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="every row of the class 2 has a sample_weight of zero"):
        RobustLossClassifier("ramp").fit(X, y, sample_weight=y < 2)
