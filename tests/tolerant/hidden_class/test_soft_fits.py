import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from errata.tolerant.hidden_class._base import Labels
from errata.tolerant.hidden_class._noise_model_classifier import SoftFits, predict_aligned

X = np.array([[0.0], [1.0], [4.0], [5.0]])
CLASSES = np.array(["a", "b"])
R = np.array([[1.0, 0.0], [0.7, 0.3], [0.0005, 0.9995], [0.2, 0.8]])


class Recorder(GaussianNB):
    shown = None

    def fit(self, X, y, sample_weight=None):
        Recorder.shown = X, y, sample_weight
        return super().fit(X, y, sample_weight)


def soft_fits(estimator, weights=None, folds=None):
    labels = Labels(np.array([0, 1, 1, 1]), np.ones(4) if weights is None else weights)
    return SoftFits(estimator, X, labels, CLASSES, folds, {}, 1e-3, None)


def test_a_row_is_shown_once_for_each_class_that_it_may_be_of():
    soft_fits(Recorder(), weights=np.array([1.0, 2, 1, 0])).fit(R)
    rows, labels, weights = Recorder.shown
    assert rows[:, 0].tolist() == [0, 1, 1, 4]
    assert labels.tolist() == ["a", "a", "b", "b"]
    np.testing.assert_allclose(weights, [1, 1.4, 0.6, 0.9995], rtol=1e-12)


def test_rows_are_judged_by_fits_without_them():
    halves = np.array([0, 2]), np.array([1, 3])
    fits = soft_fits(GaussianNB(), folds=[halves, halves[::-1]])
    log_proba = fits.step(R, np.eye(2)).log_proba
    without = fits.fit(R, halves[0])
    np.testing.assert_allclose(
        np.exp(log_proba[halves[1]]), without.predict_proba(X[halves[1]]), atol=2e-6
    )


def test_no_class_is_ruled_out_for_ever():
    log_proba = soft_fits(GaussianNB()).step(np.eye(2)[[0, 0, 1, 1]], np.eye(2)).log_proba
    assert log_proba.min() >= np.log(0.9e-6)
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1, rtol=1e-12)


def test_one_class_alone_is_not_learnt():
    folds = [(np.array([1, 2, 3]), np.array([0])), (np.array([0]), np.array([1, 2, 3]))]
    log_proba = (
        soft_fits(LogisticRegression(), folds=folds).step(np.eye(2)[[0, 1, 1, 1]], None).log_proba
    )
    assert np.isfinite(log_proba).all()


def test_a_label_that_only_its_own_fold_has_is_believed():
    folds = [(np.array([1, 2, 3]), np.array([0])), (np.array([0]), np.array([1, 2, 3]))]
    as_labelled = np.eye(2)[[0, 1, 1, 1]]
    log_proba = soft_fits(GaussianNB(), folds=folds).step(as_labelled, None).log_proba
    np.testing.assert_array_equal(log_proba.argmax(axis=1), [0, 1, 1, 1])


def test_a_class_that_a_model_does_not_know_has_probability_zero():
    model = GaussianNB().fit(X, ["a", "a", "c", "c"])
    proba = predict_aligned(model, X, np.array(["a", "b", "c"]))
    np.testing.assert_array_equal(proba[:, 1], 0)
    np.testing.assert_array_equal(proba[:, [0, 2]], model.predict_proba(X))
