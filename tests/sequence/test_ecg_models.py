"""What the models make of electrocardiograms whose labels were made worse: statistics, slow."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from errata.bench.experiments._ecg import fit_quietly, make_artificial_recordings
from errata.datasets._synthetic import WAVES
from errata.metrics import segmentation_report
from errata.noise import flip_labels, shift_boundaries
from errata.sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM

SETTINGS = {"transitions": list(WAVES), "n_init": 2, "max_iter": 150, "tol": 1e-4}
MODELS = {
    model.__name__: model(random_state=0, **SETTINGS)
    for model in (SupervisedHMM, BaumWelchHMM, TolerantHMM)
}


@pytest.fixture(scope="module")
def recordings():
    return make_artificial_recordings(5, 250, seed=0)


def learnt(recording, name, labels):
    """Recall on the rest of the recording in percent, and the fitted model."""
    model = fit_quietly(MODELS[name], recording.train, labels)
    predicted = model.predict(recording.test.X, lengths=recording.test.lengths)
    return 100 * segmentation_report(recording.test.y, predicted, fs=recording.fs)["recall"], model


@pytest.mark.slow
def test_on_right_labels_tolerance_costs_nothing_and_ignoring_labels_does(recordings):
    recall = {name: np.mean([learnt(r, name, r.train.y)[0] for r in recordings]) for name in MODELS}
    assert abs(recall["TolerantHMM"] - recall["SupervisedHMM"]) <= 0.7
    assert min(recall["TolerantHMM"], recall["SupervisedHMM"]) >= 97
    assert recall["BaumWelchHMM"] <= recall["SupervisedHMM"] - 3


@pytest.mark.slow
def test_moved_boundaries_are_tolerated(recordings):
    recall = {"TolerantHMM": [], "SupervisedHMM": []}
    for seed, recording in enumerate(recordings):
        labels, _ = shift_boundaries(recording.train.y, 0.5, states=["P", "T"], random_state=seed)
        for name, found in recall.items():
            found.append(learnt(recording, name, labels)[0])
    assert np.mean(recall["TolerantHMM"]) >= np.mean(recall["SupervisedHMM"]) + 1


@pytest.mark.slow
def test_flipped_labels_are_tolerated_counted_and_found(recordings):
    recall = {"TolerantHMM": [], "SupervisedHMM": []}
    rates = []
    for seed, recording in enumerate(recordings):
        labels, flipped = flip_labels(recording.train.y, 0.1, random_state=seed)
        for name, found in recall.items():
            score, model = learnt(recording, name, labels)
            found.append(score)
            if name == "TolerantHMM":
                rates.append(model.error_rates_.mean())
                assert roc_auc_score(flipped, model.suspicion_) >= 0.98
    assert np.mean(recall["TolerantHMM"]) >= np.mean(recall["SupervisedHMM"]) - 0.5
    assert abs(np.mean(rates) - 0.1) <= 0.03


@pytest.mark.slow
def test_moved_boundaries_are_found(recordings):
    for seed, recording in enumerate(recordings):
        labels, moved = shift_boundaries(
            recording.train.y, 0.25, states=["P", "T"], random_state=seed
        )
        _, model = learnt(recording, "TolerantHMM", labels)
        assert roc_auc_score(moved, model.suspicion_) >= 0.8
