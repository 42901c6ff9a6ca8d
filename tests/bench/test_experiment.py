from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB

from errata.bench import NoisyTraining
from errata.bench._experiment import Bench, Cell
from errata.datasets import load_dataset

BENCH = Bench(None, seed=0)


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted on and asked about."""

    seen: ClassVar[list] = []  # shared on purpose: the bench fits clones

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Spy.seen.append({"X": X, "y": y})
        return self

    def predict(self, X):
        Spy.seen[-1]["X_test"] = X
        return np.resize(self.classes_, len(X))


@pytest.fixture(autouse=True)
def forget():
    Spy.seen.clear()


def truth():
    """Iris rows are told apart by their features, so that labels can be looked up."""
    X, y = load_dataset("iris", return_X_y=True)
    return {row.tobytes(): label for row, label in zip(X, y, strict=True)}


def test_noise_goes_into_training_labels_only_and_test_rows_are_never_fitted():
    scores = []

    def score(model, X, y, flipped):
        scores.append((X, y, flipped))
        return {"n": 1.0}

    measure = NoisyTraining(split=KFold(5, shuffle=True), score=score)
    measure(Cell("Iris", 0.2, "spy", 0), Spy(), "iris", BENCH)
    classes = truth()
    duplicates = 1  # two rows of iris are equal
    for fit, (X_test, y_test, flipped) in zip(Spy.seen, scores, strict=True):
        clean = np.array([classes[row.tobytes()] for row in fit["X"]])
        np.testing.assert_array_equal(flipped, fit["y"] != clean)
        assert flipped.sum() == 24
        assert [classes[row.tobytes()] for row in X_test] == y_test.tolist()
        trained = {row.tobytes() for row in fit["X"]}
        assert sum(row.tobytes() in trained for row in X_test) <= duplicates
    assert sum(len(X) for X, _, _ in scores) == 150


def test_methods_and_noise_levels_share_splits_and_wrong_labels():
    measure = NoisyTraining(split=ShuffleSplit(1, train_size=0.6))
    for method, level in [("one", 0.1), ("other", 0.1), ("one", 0.3)]:
        measure(Cell("Iris", level, method, 0), Spy(), "iris", BENCH)
    one, other, more = Spy.seen
    np.testing.assert_array_equal(one["y"], other["y"])
    np.testing.assert_array_equal(one["X"], more["X"])
    classes = truth()
    clean = np.array([classes[row.tobytes()] for row in one["X"]])
    assert np.all((more["y"] != clean)[one["y"] != clean])
    assert (more["y"] != clean).sum() > (one["y"] != clean).sum()


def test_repetitions_differ():
    measure = NoisyTraining(split=ShuffleSplit(1, train_size=0.6))
    for repetition in (0, 1):
        measure(Cell("Iris", 0.1, "spy", repetition), Spy(), "iris", BENCH)
    assert not np.array_equal(Spy.seen[0]["X"], Spy.seen[1]["X"])


def test_the_splitter_given_is_left_alone():
    splitter = KFold(3, shuffle=True)
    NoisyTraining(split=splitter)(Cell("Iris", 0.0, "spy", 0), Spy(), "iris", BENCH)
    assert splitter.random_state is None


def test_accuracy_is_the_mean_over_folds_in_percent():
    measure = NoisyTraining(split=KFold(5, shuffle=True))
    value = measure(Cell("Iris", 0.0, "bayes", 0), GaussianNB(), "iris", BENCH)
    assert value["accuracy_percent"] == pytest.approx(95, abs=3)
