import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from errata._crossfit import predict, split, unseen
from errata.exceptions import SuspicionWarning
from strategies import seeds


def table(n=30, n_classes=3, seed=0):
    X = np.random.RandomState(seed).normal(size=(n, 2))
    return X, np.arange(n) % n_classes


@given(st.integers(6, 40), st.integers(2, 8), seeds)
def test_each_row_is_tested_once_by_those_that_have_not_seen_it(n, cv, seed):
    X, codes = table(n, 2)
    folds = split(X, codes, cv, seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([t for _, t in folds])), np.arange(n))
    for train, test in folds:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(n))
        assert len(np.unique(codes[train])) == 2
    assert len(folds) == min(cv, n // 2)


def test_folds_follow_the_rows():
    X, codes = table()
    order = np.random.RandomState(1).permutation(30)
    here, there = split(X, codes, 5, 0), split(X[order], codes[order], 5, 0)
    for (_, test), (_, moved) in zip(here, there, strict=True):
        assert set(test) == set(order[moved])


def test_a_rare_class_means_fewer_folds():
    X, _ = table(20)
    assert len(split(X, np.r_[[1] * 3, [0] * 17], 5, 0)) == 3
    assert len(split(X, np.r_[1, [0] * 19], 5, 0)) == 2


def test_labels_that_occur_once_get_a_sentence():
    with pytest.raises(ValueError, match="every label occurs once"):
        split(np.eye(3), np.arange(3), 5, 0)


@pytest.mark.parametrize("cv", [1, 0, 2.5, True])
def test_bad_numbers_of_folds_get_a_sentence(cv):
    X, codes = table()
    with pytest.raises(ValueError, match=r"cv=.* must be a whole number at least 2|Expected `cv`"):
        split(X, codes, cv, 0)


def test_a_splitter_is_taken_as_it_is():
    X, codes = table()
    folds = split(X, codes, KFold(3), 0)
    assert [test[0] for _, test in folds] == [0, 10, 20]


def test_a_splitter_that_forgets_rows_gets_a_sentence():
    X, codes = table()
    with pytest.raises(ValueError, match="cv must test each row once, but tests row"):
        split(X, codes, ShuffleSplit(3, random_state=0), 0)
    with pytest.raises(ValueError, match="groups"):
        split(X, codes, GroupKFold(3), 0)


def test_a_label_that_the_training_rows_lack_is_noted():
    codes = np.array([0, 0, 0, 1])
    folds = [(np.array([0, 1]), np.array([2, 3])), (np.array([2, 3]), np.array([0, 1]))]
    with pytest.warns(SuspicionWarning, match="1 rows have a label too rare"):
        assert unseen(codes, folds).tolist() == [False, False, False, True]


def test_probabilities_are_those_of_the_training_rows():
    # A classifier that only counts: by hand, the class shares of the other two thirds.
    codes = np.array([0, 0, 1, 0, 1, 1])
    folds = split(np.zeros((6, 1)), codes, KFold(3), 0)
    X = np.arange(6.0)[:, None]
    proba = predict([DummyClassifier(strategy="prior")], X, codes, folds, None)
    assert proba.shape == (1, 6, 2)
    expected = [1 / 4, 1 / 4, 1 / 2, 1 / 2, 3 / 4, 3 / 4]
    np.testing.assert_allclose(proba[0, :, 0], expected, rtol=0, atol=1e-15)


def test_a_learner_without_probabilities_is_certain():
    X, codes = table()
    folds = split(X, codes, 3, 0)
    proba = predict([Perceptron(random_state=0)], X, codes, folds, None)[0]
    assert set(np.unique(proba)) == {0, 1}
    np.testing.assert_array_equal(proba.sum(axis=1), 1)


def test_classes_missing_from_a_fold_have_no_probability_there():
    X, codes = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    folds = split(X, codes, KFold(3), 0)
    proba = predict([KNeighborsClassifier(1)], X, codes, folds, None)[0]
    np.testing.assert_array_equal(proba[np.arange(6), codes], 0)
    np.testing.assert_array_equal(proba.sum(axis=1), 1)


def test_one_class_or_no_information_in_a_fold_is_answered_without_a_fit():
    codes = np.array([0, 0, 1, 1])
    folds = split(np.zeros((4, 1)), codes, KFold(2), 0)
    proba = predict([Perceptron()], np.arange(4.0)[:, None], codes, folds, None)[0]
    np.testing.assert_array_equal(proba, [[0, 1], [0, 1], [1, 0], [1, 0]])
    codes, folds = np.array([0, 1, 0, 0]), [(np.arange(4), np.arange(4))]
    proba = predict([Perceptron()], np.ones((4, 2)), codes, folds, None)[0]
    np.testing.assert_array_equal(proba, np.tile([3 / 4, 1 / 4], (4, 1)))
