import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from auditing_cases import CODES, GROUPS, X
from errata.auditing import NewRows, TrainingData
from errata.auditing.models._base import certain_or_uniform, cross_fit_classifier, cross_fit_proba


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
    assert fit.predictor.fit.model.n_samples_fit_ == 20


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
