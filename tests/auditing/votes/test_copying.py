"""Workers who copy each other count once."""

import numpy as np
import pytest

from auditing.crowd_cases import draw_votes, make_crowd, workers_right
from errata.auditing.votes import judge_votes, read_votes
from errata.auditing.votes._noise_model import copying_workers


def wide_votes(seed, accuracies, n=400, k=3):
    random = np.random.default_rng(seed)
    classes = random.integers(k, size=n)
    matrices = workers_right(accuracies, k)
    item, worker, label = draw_votes(random, classes, matrices, len(accuracies))
    wide = np.empty((n, len(accuracies)))
    wide[item, worker] = label
    return wide, classes


def accuracy(wide, classes):
    return np.mean(judge_votes(read_votes(wide)).proba.argmax(axis=1) == classes)


@pytest.mark.parametrize("copies", [1, 4])
def test_copies_of_a_bad_worker_change_nothing(copies):
    wide = wide_votes(0, [0.75] * 6 + [0.5])[0]
    votes = read_votes(np.column_stack([wide, *[wide[:, 6]] * copies]))
    first = copying_workers(votes)
    assert first.tolist() == [*range(7), *[6] * copies]
    findings = judge_votes(votes)
    alone = judge_votes(read_votes(wide))
    np.testing.assert_allclose(findings.proba, alone.proba, rtol=0, atol=1e-9)
    assert f"{copies + 1} workers give the same votes" in findings.notes[-1]
    assert len(findings.workers) == 7 + copies
    assert findings.workers[-1]["worker"] == 6 + copies
    np.testing.assert_allclose(
        findings.workers[-1]["accuracy"], findings.workers[6]["accuracy"], rtol=1e-9, atol=0
    )


def test_copies_that_make_a_slip_now_and_then_are_found():
    wide, classes = wide_votes(1, [0.75] * 6 + [0.5], n=600)
    copy = wide[:, 6].copy()
    copy[::200] = (copy[::200] + 1) % 3
    assert copying_workers(read_votes(np.column_stack([wide, copy])))[7] == 6
    assert accuracy(np.column_stack([wide, copy, copy]), classes) > 0.9


def test_good_workers_are_no_copies():
    for votes in (
        read_votes(wide_votes(2, [0.95] * 5 + [0.6])[0]),
        make_crowd(0, n_votes=10).votes,
        read_votes(wide_votes(3, [0.9] * 4, n=30, k=2)[0]),
    ):
        assert (copying_workers(votes) == np.arange(len(votes.workers))).all()


def test_full_agreement_is_no_copying():
    item, worker = np.divmod(np.arange(300), 3)
    assert copying_workers(read_votes((item, worker, item % 2))).tolist() == [0, 1, 2]
