import numpy as np
import pytest

from auditing_cases import draw_truth, nearly_clean, symmetric
from errata.auditing.classes import (
    group_hypotheses,
    posterior_of,
    weigh_groups,
    with_unforeseen,
    with_verdicts,
)


def verdicts_on(rows, truth):
    return rows, truth.labels[rows], truth.classes[rows]


def audited(truth, verdicts=None):
    found = posterior_of(truth.logs, truth.labels, np.random.default_rng(0))
    return found if verdicts is None else after_verdicts(found, truth.logs, truth.labels, *verdicts)


def after_verdicts(found, logs, labels, *verdicts):
    return with_verdicts(found, logs, labels, *verdicts, found.p_wrong >= 0.3)[0]


def weights_by_kind(posterior):
    return {told["kind"]: told["weight"] for told in posterior.noise.by_kind(posterior.rates)}


@pytest.fixture(scope="module")
def overlapping():
    # Classes overlap and no label is wrong: labels alone cannot tell that from noise.
    return draw_truth(np.eye(2), 800, overlap=0.5, error=0.5, random_state=3)


@pytest.fixture(scope="module")
def noisy():
    return draw_truth(symmetric(3, 0.2), 800, overlap=0.1, error=0.3)


def test_no_verdict_changes_nothing(noisy):
    nothing = np.zeros((3, 0), dtype=int)
    before = audited(noisy)
    assert after_verdicts(before, noisy.logs, noisy.labels, *nothing) is before


def test_right_labels_at_a_border_speak_for_overlap(overlapping):
    before = audited(overlapping)
    assert before.rate > 0.02
    worst = np.argsort(-before.suspicion)[:40]
    after = audited(overlapping, verdicts_on(worst, overlapping))
    assert after.rate < 0.01
    assert after.high < before.high
    assert weights_by_kind(after)["none"] > 0.5
    assert after.joint.sum() == pytest.approx(1)
    assert 1 - np.trace(after.joint) == pytest.approx(after.rate)


def test_wrong_labels_speak_for_noise(noisy):
    before = audited(noisy)
    rows = np.random.default_rng(1).permutation(800)[:60]
    after = audited(noisy, verdicts_on(rows, noisy))
    truth = noisy.wrong.mean()
    assert abs(after.rate - truth) < 0.05
    assert after.low <= truth <= after.high
    assert after.high - after.low < before.high - before.low
    np.testing.assert_allclose(after.suspicion, before.suspicion, rtol=0, atol=0)
    np.testing.assert_allclose(after.noise.weights.sum(), 1, rtol=1e-12)
    assert (after.p_other <= after.p_wrong + 1e-6).all()


def test_suspects_and_others_have_rates_of_their_own(noisy):
    before = audited(noisy)
    flagged = before.p_wrong >= 0.3
    rows = np.r_[np.flatnonzero(flagged)[::4], np.flatnonzero(~flagged)[::4]]
    were = noisy.labels[rows]
    said = np.where(flagged[rows], (were + 1) % 3, were)  # all suspects are wrong, all others right
    after = after_verdicts(before, noisy.logs, noisy.labels, rows, were, said)
    assert after.p_wrong[flagged].mean() > before.p_wrong[flagged].mean()
    assert after.p_wrong[~flagged].mean() < before.p_wrong[~flagged].mean()
    missed = np.where(flagged[rows], (were + 1) % 3, np.where(np.arange(len(rows)) % 2, were, 0))
    told = after_verdicts(before, noisy.logs, noisy.labels, rows, were, missed)
    assert told.p_wrong[~flagged].mean() > 3 * before.p_wrong[~flagged].mean()
    assert told.p_wrong[flagged].mean() > before.p_wrong[flagged].mean()
    assert told.low <= told.p_wrong.mean() <= told.high


def test_labels_that_were_corrected_count_as_they_were(noisy):
    rows = np.argsort(-audited(noisy).suspicion)[:40]
    corrected = noisy.labels.copy()
    corrected[rows] = noisy.classes[rows]
    found = posterior_of(noisy.logs, corrected, np.random.default_rng(0))
    after = after_verdicts(found, noisy.logs, corrected, *verdicts_on(rows, noisy))
    nobody_erred = (rows, noisy.classes[rows], noisy.classes[rows])
    assert after.rate > after_verdicts(found, noisy.logs, corrected, *nobody_erred).rate


def test_rows_that_were_corrected_count_as_the_suspects_they_were(noisy):
    before = audited(noisy).p_wrong
    hardly = np.flatnonzero((before >= 0.3) & (before < 0.5))  # suspects as well as any
    rows = np.union1d(hardly, np.flatnonzero(~noisy.wrong & (before < 0.3))[::8])
    were = noisy.labels[rows]
    said = np.where(before[rows] >= 0.3, (were + 1) % 3, were)  # all suspects are wrong, no other
    corrected = noisy.labels.copy()
    corrected[rows] = said
    found = posterior_of(noisy.logs, corrected, np.random.default_rng(0))
    after = after_verdicts(found, noisy.logs, corrected, rows, were, said)
    others = np.setdiff1d(np.flatnonzero(found.p_wrong < 0.3), rows)
    assert len(hardly) > 20
    assert after.p_wrong[others].mean() < 1.3 * found.p_wrong[others].mean()


def test_labels_that_are_known_stay_so(noisy):
    known = np.arange(800) < 100
    found = posterior_of(noisy.logs, noisy.labels, np.random.default_rng(0), known=known)
    rows = np.arange(200, 240)
    after = after_verdicts(found, noisy.logs, noisy.labels, *verdicts_on(rows, noisy))
    assert (after.p_wrong[known] == 0).all()
    assert (after.p_wrong[~known] > 0).any()


def test_verdicts_revive_noise_that_was_ruled_out():
    logs, labels = nearly_clean(3, 800, 0, 0.98)
    rows = np.argsort(-posterior_of(logs, labels, np.random.default_rng(0)).suspicion)[:20]
    before = posterior_of(logs, labels, np.random.default_rng(0))
    wrong = (rows, labels[rows], (labels[rows] + 1) % 3)
    assert after_verdicts(before, logs, labels, *wrong).rate > 5 * before.rate


@pytest.fixture(scope="module")
def found():
    truth = draw_truth(symmetric(3, 0.15), 1500, overlap=0.1, error=0.3)
    posterior = posterior_of(truth.logs, truth.labels, np.random.default_rng(0))
    p = group_hypotheses(posterior, truth.logs, truth.labels)
    return truth, posterior, (*weigh_groups(posterior.noise), p)


def test_the_mean_over_groups_is_p_wrong(found):
    _, posterior, (kinds, weights, p) = found
    assert p.shape == (1500, len(kinds))
    assert p.dtype == np.float32
    np.testing.assert_allclose(p @ weights, posterior.p_wrong, rtol=0, atol=1e-6)
    assert weights.sum() == pytest.approx(1)


def test_no_noise_and_boundary_noise_are_always_there(found):
    _, _, (kinds, weights, p) = found
    assert len(kinds) <= 11
    assert kinds[0] == "none"
    assert kinds.count("boundary") == 1
    assert p[:, 0].mean() < 0.01
    assert kinds[-3:] == ("all", "blunt", "anywhere")
    assert weights[-2:].tolist() == [0, 0]
    assert np.ptp(p[:, -1]) == 0


def test_a_blunt_audit_has_half_the_log_odds():
    together = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 1 + 1e-6])
    blunt = with_unforeseen(np.empty((6, 0)), together)[:, 1]
    np.testing.assert_allclose(blunt, [0, 0.25, 0.5, 0.75, 1, 1], rtol=0, atol=1e-6)


def test_groups_of_one_kind_differ_in_their_rate(found):
    truth, _, (kinds, _, p) = found
    rates = p.mean(axis=0)
    for kind in set(kinds):
        of_kind = np.flatnonzero(np.array(kinds) == kind)
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
    p = group_hypotheses(posterior, logs, codes)
    weights = weigh_groups(posterior.noise)[1]
    np.testing.assert_allclose(p @ weights, posterior.p_wrong, rtol=0, atol=1e-6)
    assert p.min() >= 0
    assert p.max() <= 1
