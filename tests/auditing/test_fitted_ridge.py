import pickle

import numpy as np
import pytest

from auditing_cases import blobs
from errata.auditing import NewRows, TrainingData
from errata.auditing.models import _fitted as module
from errata.auditing.models._default import RBFRidge
from errata.auditing.models._fitted import FittedRidge, predict_together

X, CODES = blobs(90)
MODEL = RBFRidge("RBF features", 1.0, n_hidden=20)
FOLDS = np.random.default_rng(1).integers(10, size=90)


def fitted(sharpness, n_hidden=20, *, folds=None, dtype=np.float64):
    data = TrainingData(X.astype(dtype), CODES, 3, folds=folds, more_rows=True)
    return RBFRidge("RBF features", sharpness, n_hidden).cross_fit(data).predictor


@pytest.mark.parametrize("folds", [None, FOLDS], ids=["alone", "in folds"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ridges_say_the_same_together(monkeypatch, folds, dtype):
    ridges = [fitted(sharpness, folds=folds, dtype=dtype) for sharpness in (1.0, 2.0, 0.5)]
    rows, times = NewRows(X + 0.1, folds=folds), []
    expected = [ridge.predict_proba(rows) for ridge in ridges]
    plain = FittedRidge.features
    monkeypatch.setattr(FittedRidge, "features", lambda *a: times.append(1) or plain(*a))
    found = predict_together(ridges, rows)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    splits = 1 if folds is None else len(np.unique(folds))
    assert len(times) == splits  # one exponential serves three


def test_what_does_not_come_of_squaring_is_asked_one_by_one():
    ridges = [fitted(1.0), fitted(1.0, n_hidden=30), fitted(3.0)]
    found = predict_together(ridges, NewRows(X))
    for ridge, proba in zip(ridges, found, strict=True):
        np.testing.assert_array_equal(proba, ridge.predict_proba(NewRows(X)))


@pytest.mark.parametrize("folds", [None, FOLDS], ids=["alone", "in folds"])
def test_blocks_change_nothing(monkeypatch, folds):
    predictor = MODEL.cross_fit(TrainingData(X, CODES, 3, folds=folds, more_rows=True)).predictor
    whole = predictor.predict_proba(NewRows(X, folds=folds))
    monkeypatch.setattr(module, "CACHED", 140)
    parts = predictor.predict_proba(NewRows(X, folds=folds))
    np.testing.assert_allclose(parts, whole, rtol=0, atol=1e-9)


def test_rows_far_out_get_the_probabilities_of_no_row_in_particular():
    predictor = MODEL.cross_fit(TrainingData(X, CODES, 3, more_rows=True)).predictor
    far = predictor.predict_proba(NewRows(np.array([[1e200, 0, 0, -1e200], [1e9, 0, 0, 0]])))
    np.testing.assert_allclose(far[0], far[1], rtol=0, atol=1e-12)


def test_what_is_kept_holds_no_rows():
    many, codes = blobs(3_000)
    predictor = MODEL.cross_fit(TrainingData(many, codes, 3, more_rows=True)).predictor
    assert len(pickle.dumps(predictor)) < 10_000 < many.nbytes
