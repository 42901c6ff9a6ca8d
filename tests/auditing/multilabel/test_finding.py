"""Error rates that labels share, against sums written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta

from errata.auditing.classes import NoisePosterior
from errata.auditing.classes._noise_model import BOUNDARY, UNIFORM, Hypothesis
from errata.auditing.models._pooling import Calibration
from errata.auditing.multilabel._audit import cells_to_flip
from errata.auditing.multilabel._finding import (
    SHARED_RATES,
    SHARED_STRENGTHS,
    believed,
    share_noise,
)


def hypothesis(a, b, kind=UNIFORM):
    transition = np.array([[1 - a, a], [b, 1 - b]])
    return Hypothesis(kind, (a + b) / 2, transition, 1.0, np.zeros(2), grid_rate=a)


def noise(rates, weights, boundary=0.0):
    weights = np.r_[np.array(weights) / np.sum(weights) * (1 - boundary), boundary]
    found = [*(hypothesis(*rate) for rate in rates), hypothesis(0.2, 0.2, BOUNDARY)]
    return NoisePosterior(found, weights, weights, Calibration(), 0.1)


def points():
    return [(m, s) for m in SHARED_RATES for s in SHARED_STRENGTHS]


def by_hand(rates, weights):
    """Weights of every label, summed over all that the labels may share, one at a time."""
    density = [
        [[beta.pdf(max(r, SHARED_RATES[0]), m * s, (1 - m) * s) for m, s in points()] for r in both]
        for label in rates
        for both in label
    ]
    told = np.array(density).reshape(len(rates), -1, 2, len(points()))
    told /= told.mean(axis=-1, keepdims=True)
    total, sums = 0.0, np.zeros(told.shape[:2])
    for c in range(len(points())):
        for d in range(len(points())):
            joint = np.array(weights) * told[:, :, 0, c] * told[:, :, 1, d]
            z = joint.sum(axis=1)
            together = z.prod() ** (1 / np.sqrt(len(z)))
            total += together
            sums += together * joint / z[:, None]
    return sums / total


def test_labels_share_their_rates_as_the_sum_says():
    rates = [[(0.0, 0.0), (0.05, 0.1)], [(0.01, 0.02), (0.1, 0.3)]]
    weights = [[0.3, 0.7], [0.6, 0.4]]
    noises, _, _ = share_noise([noise(*label) for label in zip(rates, weights, strict=True)])
    found = np.array([label.weights[:-1] for label in noises])
    assert_allclose(found, by_hand(rates, weights), rtol=1e-8)


def test_a_single_label_keeps_its_weights():
    alone = noise([(0.0, 0.0), (0.05, 0.02), (0.2, 0.4)], [0.5, 0.3, 0.2])
    ((after,), _, _) = share_noise([alone])
    assert_allclose(after.weights, alone.weights, rtol=1e-10)
    assert_allclose(after.ranking, alone.ranking, rtol=1e-10)


def test_what_the_others_say_moves_a_label_that_knows_little():
    sure = noise([(0.0, 0.0), (0.1, 0.1)], [0.001, 0.999])
    unsure = noise([(0.0, 0.0), (0.1, 0.1)], [0.5, 0.5])
    found = share_noise([sure, sure, sure, unsure])[0][-1].weights
    clean = share_noise([noise([(0.0, 0.0), (0.1, 0.1)], [0.999, 0.001])] * 3 + [unsure])
    assert found[1] > 0.8
    assert clean[0][-1].weights[1] < 0.2


def test_directions_are_told_apart():
    missing = noise([(0.0, 0.2), (0.2, 0.0)], [0.99, 0.01])
    unsure = noise([(0.0, 0.2), (0.2, 0.0)], [0.5, 0.5])
    assert share_noise([missing, missing, unsure])[0][-1].weights[0] > 0.8


def test_boundary_noise_is_not_believed_but_ranks():
    with_boundary = noise([(0.0, 0.0), (0.1, 0.1)], [0.5, 0.5], boundary=0.3)
    ((after,), _, _) = share_noise([with_boundary])
    assert after.boundary == 0
    assert after.ranking[-1] == pytest.approx(0.3)


def test_beliefs_of_all_points_sum_to_what_is_believed_before():
    assert_allclose(believed(np.array([0.0, 0.01, 0.5])).mean(axis=1), 1, rtol=1e-12)


def test_as_many_are_added_as_taken_away_and_no_label_loses_more_than_half():
    random = np.random.default_rng(0)
    Y = (random.random((300, 4)) < [0.5, 0.3, 0.1, 0.02]).astype(int)
    chosen = cells_to_flip(Y, np.array([0, 1, 3]), random)
    assert not chosen[:, 2].any()
    assert chosen[Y == 1].sum() == chosen[Y == 0].sum() == round(0.05 * 900) // 2
    assert np.all(np.sum(chosen & (Y == 1), axis=0) <= Y.sum(axis=0) // 2)


def test_a_rare_label_loses_half_of_its_rows_at_most():
    Y = np.zeros((200, 2), dtype=int)
    Y[:9, 0] = Y[:7, 1] = 1
    chosen = cells_to_flip(Y, np.array([0, 1]), np.random.default_rng(0))
    assert np.sum(chosen & (Y == 1), axis=0).tolist() == [4, 3]
    assert chosen[Y == 0].sum() == 10
