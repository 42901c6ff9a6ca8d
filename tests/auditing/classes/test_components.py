import numpy as np
import pytest

from auditing_cases import draw_truth, symmetric
from errata.auditing.classes import group_hypotheses, posterior_of
from errata.auditing.classes._noise_model import BOUNDARY
from errata.auditing.classes._posterior import NONE
from errata.auditing.classes._verdicts import ALL, UNRELATED


@pytest.fixture(scope="module")
def found():
    truth = draw_truth(symmetric(3, 0.15), 1500, overlap=0.1, error=0.3)
    posterior = posterior_of(truth.logs, truth.labels, np.random.default_rng(0))
    return truth, posterior, group_hypotheses(posterior, truth.logs, truth.labels)


def test_the_mean_over_groups_is_p_wrong(found):
    _, posterior, groups = found
    assert groups.p.shape == (1500, len(groups.kinds))
    assert groups.p.dtype == np.float32
    np.testing.assert_allclose(groups.p @ groups.weights, posterior.p_wrong, rtol=0, atol=1e-6)
    assert groups.weights.sum() == pytest.approx(1)


def test_no_noise_and_boundary_noise_are_always_there(found):
    _, _, groups = found
    assert len(groups.kinds) <= 10
    assert groups.kinds[0] == NONE
    assert groups.kinds.count(BOUNDARY) == 1
    assert groups.p[:, 0].mean() < 0.01
    assert groups.kinds[-2:] == (ALL, UNRELATED)
    assert groups.weights[-1] == 0
    assert np.ptp(groups.p[:, -1]) == 0


def test_groups_of_one_kind_differ_in_their_rate(found):
    truth, _, groups = found
    rates = groups.p.mean(axis=0)
    for kind in set(groups.kinds):
        of_kind = np.flatnonzero(np.array(groups.kinds) == kind)
        if len(of_kind) == 2:
            above, below = rates[of_kind]
            assert above > below
    assert rates.min() < truth.wrong.mean() < rates.max()


def test_a_vote_of_equal_rows_moves_every_group():
    truth = draw_truth(symmetric(2, 0.05), 400, overlap=0.1, error=0.3)
    codes = truth.labels.copy()
    logs = truth.logs.copy()
    equal = np.arange(400)
    equal[:40] = np.repeat(np.arange(20), 2)
    logs[:, 1:40:2] = logs[:, 0:40:2]
    codes[0:40:2], codes[1:40:2] = 0, 1
    posterior = posterior_of(logs, codes, np.random.default_rng(0), equal=equal)
    groups = group_hypotheses(posterior, logs, codes)
    np.testing.assert_allclose(groups.p @ groups.weights, posterior.p_wrong, rtol=0, atol=1e-6)
    assert groups.p.min() >= 0
    assert groups.p.max() <= 1
