import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from auditing_cases import draw_truth, symmetric
from errata.auditing._judge import judge
from errata.auditing._self_check import rows_to_plant, self_check, wrong_labels


def checked(n=600, n_classes=3):
    """Evidence that stays what it is: only the judgement is done again."""
    truth = draw_truth(symmetric(n_classes, 0.1), n, error=0.3)
    planted = []

    def audit_again(codes, seed):
        planted.append(np.flatnonzero(codes != truth.labels))
        return judge(truth.logs, codes, np.random.default_rng(seed))

    first = judge(truth.logs, truth.labels, np.random.default_rng(0))
    return self_check(truth.labels, first, audit_again, np.random.default_rng(1)), planted, first


@given(st.integers(2, 6), st.integers(0, 1000), st.floats(0, 0.5))
def test_planted_labels_are_wrong_and_known(n_classes, seed, rate):
    random = np.random.default_rng(seed)
    codes = random.integers(n_classes, size=50)
    planted = wrong_labels(codes, symmetric(n_classes, rate), random)
    assert (planted != codes).all()
    assert planted.min() >= 0
    assert planted.max() < n_classes


def test_planted_labels_follow_the_noise_model():
    T = np.array([[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    planted = wrong_labels(np.zeros(1000, dtype=int), T, np.random.default_rng(0))
    assert (planted == 1).mean() > 0.85


@given(st.integers(2, 60), st.integers(0, 100), st.integers(1, 40))
def test_at_least_half_of_every_class_keeps_its_label(n, seed, count):
    random = np.random.default_rng(seed)
    codes = random.integers(3, size=n)
    trusted = np.flatnonzero(random.random(n) < 0.8)
    rows = rows_to_plant(codes, trusted, count, random)
    assert len(np.unique(rows)) == len(rows) <= count
    assert set(rows) <= set(trusted)
    assert (np.bincount(codes[rows], minlength=3) <= np.bincount(codes, minlength=3) / 2).all()


def test_errors_are_planted_in_trusted_rows_and_counted():
    check, (planted,), first = checked()
    assert check.planted == len(planted)
    assert (first.p_wrong[planted] < 0.5).all()
    assert check.found <= min(check.planted, check.top)
    assert check.repeats == 1
    assert (np.diff(check.rank) > 0).all()
    np.testing.assert_allclose(
        check.precision * check.rank, check.recall * check.planted, rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(check.recall[-1], 1, rtol=0, atol=1e-9)


def test_good_evidence_finds_what_was_planted():
    check, _, _ = checked()
    assert check.average_precision > 0.9
    assert check.suggested_right > 0.9


def test_few_rows_are_checked_twice():
    check, planted, _ = checked(n=100)
    assert check.repeats == len(planted) == 2


def test_calibration_keeps_the_order():
    check, _, _ = checked()
    p = np.linspace(0, 1, 101)
    calibrated = check.calibrated(p)
    assert (np.diff(calibrated) >= 0).all()
    assert calibrated.min() >= 0
    assert calibrated.max() <= 1


def test_rows_that_are_all_suspect_are_not_checked():
    truth = draw_truth(symmetric(3, 0.1), 60)
    first = judge(truth.logs, truth.labels, np.random.default_rng(0))
    first = first._replace(p_wrong=np.ones(60))
    assert self_check(truth.labels, first, judge, np.random.default_rng(0)) is None


@pytest.mark.parametrize(("off", "way"), [(-3, 1), (3, -1), (0, 0)], ids=["low", "high", "right"])
def test_probabilities_far_off_are_put_right_and_good_ones_stay(off, way):
    truth = draw_truth(symmetric(3, 0.1), 2000, error=0.3)

    def shifted(codes, seed):
        judgement = judge(truth.logs, codes, np.random.default_rng(seed))
        odds = logit(judgement.p_wrong.clip(1e-9, 1 - 1e-9))
        return judgement._replace(p_wrong=expit(odds + off))

    first = shifted(truth.labels, 0)
    check = self_check(truth.labels, first, shifted, np.random.default_rng(1))
    before = abs(first.p_wrong.mean() - truth.wrong.mean())
    after = abs(check.calibrated(first.p_wrong).mean() - truth.wrong.mean())
    assert np.sign(round(check.shift, 6)) == way
    assert after <= before
