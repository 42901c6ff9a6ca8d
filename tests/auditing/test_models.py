import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from auditing_cases import CODES, GROUPS, X
from errata.auditing import NewRows, TrainingData
from errata.auditing.models._base import (
    certain_or_uniform,
    cross_fit_classifier,
    cross_fit_proba,
    split_of_fold,
)


def test_no_more_folds_than_rows_of_the_largest_class():
    assert len(TrainingData(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2).splits(5)) == 3


def test_folds_of_groups_decide_about_splits():
    folds = np.array([3, 3, 7, 8, 9, 0, 0, 1, 2, 3])
    data = TrainingData(np.zeros((10, 1)), np.arange(10) % 2, 2, folds=folds)
    splits = data.splits(5)
    np.testing.assert_array_equal(np.sort(np.concatenate([s[1] for s in splits])), np.arange(10))
    for train, test in splits:
        assert not set(folds[train]) & set(folds[test])
    assert [len(test) for _, test in data.splits(10)] == [2, 1, 1, 3, 1, 1, 1]  # none is empty


def test_two_folds_are_two_splits_wherever_they_lie():
    # Modulo five, folds 1 and 6 would be one.
    data = TrainingData(np.zeros((4, 1)), np.arange(4) % 2, 2, folds=np.array([1, 6, 6, 1]))
    assert [test.tolist() for _, test in data.splits(5)] == [[0, 3], [1, 2]]


def test_a_fold_that_was_not_learnt_from_may_be_asked_of_any_split():
    np.testing.assert_array_equal(
        split_of_fold(np.array([1, 6, 9]), 2), [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    )


def test_groups_that_fall_into_one_fold_are_too_few():
    with pytest.raises(ValueError, match="all rows fall into one fold"):
        TrainingData(X, CODES, 3, folds=np.full(60, 4)).splits()


def test_some_rows_keep_their_folds_and_nothing_follows_them():
    data = TrainingData(X, CODES, 3, folds=np.arange(60) % 10, more_rows=True)
    some = data.for_rows(np.array([3, 14]))
    np.testing.assert_array_equal(some.folds, [3, 4])
    assert not some.more_rows
    assert some.is_grouped


def test_some_of_the_new_rows():
    rows = NewRows(X, list(range(60)), np.eye(3)[CODES], CODES).take(np.array([5, 2]))
    assert len(rows) == 2
    assert rows.table == [5, 2]
    np.testing.assert_array_equal(rows.X, X[[5, 2]])
    np.testing.assert_array_equal(rows.pred_proba.argmax(axis=1), CODES[[5, 2]])
    np.testing.assert_array_equal(rows.folds, CODES[[5, 2]])
    assert NewRows(X).take(np.arange(3)).table is None


def test_cross_fitting_equals_fitting_by_hand():
    data = TrainingData(X, CODES, 3, GROUPS)
    proba = cross_fit_proba(LogisticRegression(), X, data)
    for train, test in data.splits():
        by_hand = LogisticRegression().fit(X[train], CODES[train]).predict_proba(X[test])
        np.testing.assert_allclose(proba[test], by_hand, rtol=0, atol=1e-9)


def test_some_of_many_rows_are_fitted():
    sizes = []

    class Counting(LogisticRegression):
        def fit(self, table, labels):
            sizes.append(len(table))
            return super().fit(table, labels)

    cross_fit_proba(Counting(), X, TrainingData(X, CODES, 3), max_rows=20)
    assert sizes == [20] * 5


def test_rows_nobody_knows_about_become_uniform():
    proba = certain_or_uniform(np.array([[0.0, 0.0], [np.nan, np.nan], [2.0, 2.0], [1.0, 0.0]]))
    np.testing.assert_array_equal(proba, [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])


def test_other_rows_are_predicted_by_a_fit_to_all():
    data = TrainingData(X, CODES, 3, more_rows=True)
    fit = cross_fit_classifier(LogisticRegression(), None, data)
    np.testing.assert_array_equal(fit.out_of_fold, cross_fit_proba(LogisticRegression(), X, data))
    by_hand = LogisticRegression().fit(X, CODES).predict_proba(X + 0.5)
    found = fit.predictor.predict_proba(NewRows(X + 0.5))
    np.testing.assert_allclose(found, by_hand, rtol=0, atol=1e-12)


def test_of_many_rows_the_fit_to_all_takes_some():
    data = TrainingData(X, CODES, 3, more_rows=True)
    fit = cross_fit_classifier(KNeighborsClassifier(1), None, data, max_rows=20)
    assert fit.predictor.fits[0].model.n_samples_fit_ == 20


def test_rows_are_asked_of_the_fit_without_their_fold():
    folds, codes = np.arange(60) % 10, np.random.default_rng(0).integers(3, size=60)
    data = TrainingData(X, codes, 3, folds=folds, more_rows=True)
    fit = cross_fit_classifier(KNeighborsClassifier(1), None, data)
    again = fit.predictor.predict_proba(NewRows(X, folds=folds))
    np.testing.assert_array_equal(fit.out_of_fold, again)
    for fold in range(10):  # folds k and k + 5 make up a split
        others = folds % 5 != fold % 5
        by_hand = KNeighborsClassifier(1).fit(X[others], codes[others]).predict_proba(X)
        told = fit.predictor.predict_proba(NewRows(X, folds=np.full(60, fold)))
        np.testing.assert_array_equal(told, by_hand)


def test_classes_that_a_fit_has_not_seen_get_nothing():
    codes = np.where(CODES == 1, 0, CODES)
    fit = cross_fit_classifier(
        LogisticRegression(), None, TrainingData(X, codes, 3, more_rows=True)
    )
    told = fit.predictor.predict_proba(NewRows(X))
    assert told.shape == (60, 3)
    assert not told[:, 1].any()
    np.testing.assert_allclose(told.sum(axis=1), 1, rtol=0, atol=1e-12)
