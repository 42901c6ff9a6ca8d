import numpy as np
import pytest

from auditing.recordings_cases import steady
from errata.auditing import TrainingData
from errata.auditing.sequences import Recordings, sequence_models


@pytest.fixture(scope="module")
def data():
    X, labels, _ = steady()  # 120 rows each, one recording after the other
    recordings = Recordings(np.arange(len(X)), np.arange(120, len(X) + 1, 120))
    codes = np.unique(labels, return_inverse=True)[1]
    return TrainingData(X, codes, 3, recordings.folds(codes, 0)), recordings


def test_models_recognise_recordings_they_were_not_fitted_to(data):
    data, recordings = data
    for model in sequence_models(recordings):
        proba = model.out_of_fold_proba(data)
        np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-5)
        assert np.mean(proba.argmax(axis=1) == data.codes) > 0.95, model.name


def test_labels_of_a_recording_do_not_decide_on_it(data):
    data, recordings = data
    model = sequence_models(recordings)[1]
    other = data.codes.copy()
    held_out = data.groups == 2
    other[held_out] = (other[held_out] + 1) % 3
    changed = TrainingData(data.X, other, 3, data.groups)
    np.testing.assert_array_equal(
        model.out_of_fold_proba(changed)[held_out], model.out_of_fold_proba(data)[held_out]
    )


def test_rows_in_another_order_of_recordings_are_told_the_same(data):
    data, recordings = data
    by_time = np.argsort(np.tile(np.arange(120), 6), kind="stable")  # recordings interleaved
    place = np.argsort(by_time)
    mixed = Recordings(place[recordings.order], recordings.ends)
    again = TrainingData(data.X[by_time], data.codes[by_time], 3, data.groups[by_time])
    models = zip(sequence_models(recordings), sequence_models(mixed), strict=True)
    for model, other in models:
        np.testing.assert_allclose(
            other.out_of_fold_proba(again)[place],
            model.out_of_fold_proba(data),
            rtol=0,
            atol=1e-5,
        )


def test_a_class_that_training_lacks_is_as_probable_as_frequent(data):
    data, recordings = data
    codes = np.where(data.groups == 0, 2, data.codes % 2)
    model = sequence_models(recordings)[1]
    proba = model.out_of_fold_proba(TrainingData(data.X, codes, 3, data.groups))
    np.testing.assert_allclose(proba[data.groups == 0, 2], np.mean(codes == 2), rtol=1e-5)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-5)


def test_where_training_knows_one_class_that_is_all_it_can_say(data):
    data, recordings = data
    codes = (data.groups == 0).astype(int)
    model = sequence_models(recordings)[1]
    proba = model.out_of_fold_proba(TrainingData(data.X, codes, 2, data.groups))
    np.testing.assert_array_equal(proba[data.groups == 0], [[1, 0]] * int(np.sum(codes)))


def test_a_seed_and_threads_change_nothing(data):
    data, recordings = data
    model = sequence_models(recordings)[0]
    threads = TrainingData(data.X, data.codes, 3, data.groups, n_jobs=2)
    np.testing.assert_array_equal(model.out_of_fold_proba(threads), model.out_of_fold_proba(data))
