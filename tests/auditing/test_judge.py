import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from auditing_cases import draw_truth, nearly_clean, symmetric
from errata.auditing import _pool
from errata.auditing._judge import between, draw_flags, judge, judge_by
from errata.metrics import detection_average_precision

SKEW = np.array([[0.8, 0.2, 0.0], [0.0, 0.9, 0.1], [0.05, 0.05, 0.9]])


def judged(logs, codes):
    return judge(logs, codes, np.random.default_rng(0))


def assert_sound(judgement, n):
    for values in (judgement.p_wrong, judgement.suspicion, judgement.p_other):
        assert values.shape == (n,)
        assert np.isfinite(values).all()
        assert values.min() >= 0
        assert values.max() <= 1
    assert 0 <= judgement.low <= judgement.rate <= judgement.high <= 1
    np.testing.assert_allclose(judgement.prior.sum(), 1, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3, 100])
@pytest.mark.parametrize("kind", ["uniform", "at the label", "at another"])
def test_degenerate_evidence_gives_finite_probabilities(kind, n_classes):
    codes = np.arange(300) % n_classes
    q = np.full((300, n_classes), 1 / n_classes)
    if kind != "uniform":
        q = np.eye(n_classes)[codes if kind == "at the label" else (codes + 1) % n_classes]
    judgement = judged(np.log(np.maximum(q.T, 1e-4)), codes)
    assert_sound(judgement, 300)
    if kind != "at another":
        np.testing.assert_allclose(judgement.p_wrong, judgement.p_wrong[0], rtol=0, atol=0.01)


def test_evidence_at_the_label_leaves_no_doubt():
    codes = np.arange(300) % 3
    assert judged(np.log(np.maximum(np.eye(3)[:, codes], 1e-4)), codes).rate < 0.01


def test_the_ranking_is_nearly_that_of_the_true_noise_model():
    truth = draw_truth(symmetric(3, 0.2), 3000, overlap=0.1)
    ours = detection_average_precision(judged(truth.logs, truth.labels).p_wrong, truth.wrong)
    assert ours > detection_average_precision(truth.p_wrong, truth.wrong) - 0.01


def test_the_judgement_follows_the_rows():
    truth = draw_truth(SKEW, 500, error=0.3)
    order = np.random.default_rng(1).permutation(500)
    straight = judged(truth.logs, truth.labels)
    shuffled = judged(truth.logs[:, order], truth.labels[order])
    np.testing.assert_allclose(shuffled.p_wrong, straight.p_wrong[order], rtol=0, atol=1e-4)
    np.testing.assert_array_equal(shuffled.other, straight.other[order])


def test_the_judgement_follows_the_names_of_the_classes():
    truth = draw_truth(SKEW, 500, error=0.3)
    new = np.array([2, 0, 1])
    straight = judged(truth.logs, truth.labels)
    renamed = judged(truth.logs[new.argsort()], new[truth.labels])
    np.testing.assert_allclose(renamed.p_wrong, straight.p_wrong, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(renamed.other, new[straight.other])


def test_doubling_every_row_hardly_changes_the_judgement():
    truth = draw_truth(symmetric(3, 0.2), 1500, error=0.3)
    once = judged(truth.logs, truth.labels).p_wrong
    twice = judged(np.tile(truth.logs, 2), np.tile(truth.labels, 2)).p_wrong
    np.testing.assert_array_equal(twice[:1500], twice[1500:])
    assert np.abs(twice[:1500] - once).mean() < 0.01


def test_blocks_change_nothing(monkeypatch):
    truth = draw_truth(SKEW, 300, error=0.3)
    whole = judged(truth.logs, truth.labels)
    monkeypatch.setattr(_pool, "CACHED", 21)
    parts = judge_by(whole.readings, truth.logs, truth.labels)
    np.testing.assert_allclose(parts.p_wrong, whole.p_wrong, rtol=0, atol=1e-12)
    np.testing.assert_allclose(parts.prior, whole.prior, rtol=0, atol=1e-12)


def test_a_thousand_classes_are_judged():
    truth = draw_truth(symmetric(1000, 0.1), 150, overlap=0.001)
    judgement = judged(truth.logs.astype(np.float32), truth.labels)
    assert_sound(judgement, 150)
    assert detection_average_precision(judgement.suspicion, truth.wrong) > 0.8


@pytest.mark.parametrize(("n_classes", "n_wrong"), [(2, 4), (3, 3), (10, 2)])
def test_a_few_wrong_labels_among_many_are_the_most_suspicious(n_classes, n_wrong):
    logs, labels = nearly_clean(n_classes, 1000, n_wrong, 0.8)
    judgement = judged(logs, labels)
    assert set(np.argsort(-judgement.suspicion)[:n_wrong]) == set(range(n_wrong))
    assert judgement.p_wrong[:n_wrong].min() > 0.3
    assert judgement.p_wrong[n_wrong:].mean() < 0.01
    assert judgement.high > n_wrong / 1000


def test_without_noise_the_pattern_of_noise_is_none_but_readings_differ():
    logs, labels = nearly_clean(3, 300, 0, 0.9)
    rates = [reading.rate for reading in judged(logs, labels).readings.readings]
    assert sum(rate < 1e-6 for rate in rates) <= 2


def test_labels_that_single_precision_calls_impossible_are_ranked():
    logs = np.array([[-25, -30, -1e-9], [-1e-9, -1e-9, -25]], dtype=np.float32)
    ranked = between(np.full(3, 0.5), -np.expm1(logs[0].astype(float)), uneven=0.0)
    assert np.isfinite(ranked).all()
    assert ranked[0] > 0.9 > 0.1 > ranked[2]
    assert np.isfinite(
        judged(np.tile(logs, 40), np.zeros(120, dtype=int) + (np.arange(120) % 2)).suspicion
    ).all()


probabilities = hnp.arrays(float, st.integers(1, 40), elements=st.floats(0, 1))


@given(probabilities)
def test_flags_are_the_most_suspicious_rows(p):
    flags = draw_flags(p, p)
    assert p[flags.flagged].min(initial=1) >= p[~flags.flagged].max(initial=0)


@given(probabilities, st.floats(0, 1))
def test_a_precision_asked_for_is_expected(p, precision):
    flags = draw_flags(p, p, precision)
    if flags.flagged.any():
        assert flags.expected_precision >= precision - 1e-12
        np.testing.assert_allclose(flags.expected_precision, p[flags.flagged].mean())
    else:
        assert np.isnan(flags.expected_precision)
        assert p.max() < precision


def test_where_hardly_any_label_is_wrong_a_small_doubt_is_not_flagged():
    p = np.r_[0.4, np.full(20, 0.14), np.zeros(979)]
    assert np.flatnonzero(draw_flags(p, p).flagged).tolist() == [0]
    many = np.r_[np.full(300, 0.14), np.zeros(700)]
    np.testing.assert_array_equal(draw_flags(many, many).flagged, many > 0)


def test_labels_without_doubt_are_not_flagged():
    flags = draw_flags(np.zeros(5), np.zeros(5))
    assert not flags.flagged.any()
    assert np.isnan(flags.expected_precision)
    assert np.isnan(flags.expected_recall)


@given(probabilities)
def test_the_middle_lies_between(p):
    middle = between(p, p[::-1], uneven=0.02)
    low, high = np.minimum(p, p[::-1]), np.maximum(p, p[::-1])
    assert (middle >= low - 1e-8).all()
    assert (middle <= high + 1e-8).all()
