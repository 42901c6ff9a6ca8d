import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import average_precision_score

from errata.ensemble import AveBoostClassifier, MadaBoostClassifier, ORBoostClassifier
from errata.exceptions import SuspicionWarning
from errata.noise import flip_labels

each = pytest.mark.parametrize(
    "booster", [MadaBoostClassifier, AveBoostClassifier, ORBoostClassifier]
)


@each
def test_trees_are_as_deep_as_the_classes_need(booster):
    X, y = load_iris(return_X_y=True)
    three, two = booster(n_estimators=3).fit(X, y), booster(n_estimators=3).fit(X, y == 1)
    stumps = booster(n_estimators=3, max_depth=1).fit(X, y == 1)
    assert [len(m._terms[0].estimator.features) for m in (three, two, stumps)] == [3, 1, 1]
    with pytest.raises(ValueError, match="max_depth=0 must be a whole number between 1 and 12"):
        booster(max_depth=0).fit(X, y)


@each
def test_probabilities_are_fractions_of_the_votes(booster):
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 1):
        model = booster(n_estimators=8, max_depth=1 + (labels is y)).fit(X, labels)
        votes = model._staged_codes(X)
        total = [((votes == k) * model.estimator_weights_).sum(axis=1) for k in range(3)]
        fractions = np.transpose(total) / model.estimator_weights_.sum()
        expected = fractions[:, : len(model.classes_)]
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-12)


@each
def test_a_base_estimator_without_error_is_kept_and_the_last(booster):
    model = booster().fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    assert model.n_estimators_ == 1
    odds = np.log((1 - 1e-10) / 1e-10)
    assert model.estimator_weights_[0] == pytest.approx(odds / 2, abs=1e-9)
    np.testing.assert_array_equal(model.margins([[0], [3]], ["a", "a"]), [1, -1])
    three = booster().fit([[0], [1], [2], [3], [4], [5]], ["a", "a", "b", "b", "c", "c"])
    assert three.estimator_weights_[0] == pytest.approx(odds + np.log(2), abs=1e-9)  # SAMME's


@each
def test_guessing_is_the_end_with_a_warning(booster):
    with pytest.warns(SuspicionWarning, match="no better than guessing") as caught:
        model = booster().fit(np.zeros((4, 1)), ["b", "b", "a", "a"])
    assert caught[0].filename == __file__
    assert model.estimator_weights_.tolist() == [1]


@each
def test_planted_errors_rank_high_on_two_classes(booster):
    for seed in range(5):
        X, y = make_blobs(300, centers=[[-2, 0], [2, 0]], random_state=seed)
        labels, flipped = flip_labels(y, 0.2, random_state=seed)
        assert average_precision_score(flipped, booster().fit(X, labels).suspicion_) > 0.75
