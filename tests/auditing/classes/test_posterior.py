import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from auditing_cases import draw_truth, known_noise, nearly_clean, symmetric
from errata._kernels._probabilities import score_between
from errata.auditing.classes._posterior import (
    UNEVEN,
    NoisePosterior,
    gathered_posterior,
    posterior_given_noise,
    posterior_of,
    rows_posterior,
    weightiest,
)
from errata.auditing.inputs._duplicates import count_overlap
from errata.auditing.models._pooling import Calibration, skill_of

SKEW = np.array([[0.8, 0.2, 0.0], [0.0, 0.9, 0.1], [0.05, 0.05, 0.9]])


def posterior_for(logs, codes, copies=None):
    return posterior_of(logs, codes, np.random.default_rng(0), copies)


def assert_sound(posterior, n):
    for values in (posterior.p_wrong, posterior.suspicion, posterior.p_other):
        assert values.shape == (n,)
        assert np.isfinite(values).all()
        assert values.min() >= 0
        assert values.max() <= 1
    assert 0 <= posterior.low <= posterior.rate <= posterior.high <= 1
    np.testing.assert_allclose(posterior.prior.sum(), 1, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3, 100])
@pytest.mark.parametrize("kind", ["uniform", "at the label", "at another"])
def test_degenerate_input_gives_finite_probabilities(kind, n_classes):
    codes = np.arange(300) % n_classes
    q = np.full((300, n_classes), 1 / n_classes)
    if kind != "uniform":
        q = np.eye(n_classes)[codes if kind == "at the label" else (codes + 1) % n_classes]
    posterior = posterior_for(np.log(np.maximum(q.T, 1e-4)), codes)
    assert_sound(posterior, 300)
    if kind != "at another":
        np.testing.assert_allclose(posterior.p_wrong, posterior.p_wrong[0], rtol=0, atol=0.01)


def test_certainty_about_the_label_leaves_no_doubt():
    codes = np.arange(300) % 3
    assert posterior_for(np.log(np.maximum(np.eye(3)[:, codes], 1e-4)), codes).rate < 0.01


def test_the_ranking_is_nearly_that_of_the_true_noise_model():
    truth = draw_truth(symmetric(3, 0.2), 3000, overlap=0.1)
    ours = average_precision_score(truth.wrong, posterior_for(truth.logs, truth.labels).p_wrong)
    assert ours > average_precision_score(truth.wrong, truth.p_wrong) - 0.01


def test_the_posterior_follows_the_rows():
    truth = draw_truth(SKEW, 500, error=0.3)
    order = np.random.default_rng(1).permutation(500)
    straight = posterior_for(truth.logs, truth.labels)
    shuffled = posterior_for(truth.logs[:, order], truth.labels[order])
    np.testing.assert_allclose(shuffled.p_wrong, straight.p_wrong[order], rtol=0, atol=1e-4)
    np.testing.assert_array_equal(shuffled.other, straight.other[order])


def test_the_posterior_follows_the_names_of_the_classes():
    truth = draw_truth(SKEW, 500, error=0.3)
    new = np.array([2, 0, 1])
    straight = posterior_for(truth.logs, truth.labels)
    renamed = posterior_for(truth.logs[new.argsort()], new[truth.labels])
    np.testing.assert_allclose(renamed.p_wrong, straight.p_wrong, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(renamed.other, new[straight.other])


def test_doubling_every_row_hardly_changes_the_posterior():
    truth = draw_truth(symmetric(3, 0.2), 1500, error=0.3)
    once = posterior_for(truth.logs, truth.labels).p_wrong
    twice = posterior_for(np.tile(truth.logs, 2), np.tile(truth.labels, 2)).p_wrong
    np.testing.assert_array_equal(twice[:1500], twice[1500:])
    assert np.abs(twice[:1500] - once).mean() < 0.01


def test_rows_that_are_judged_later_join_those_learnt_from():
    truth = draw_truth(SKEW, 600, error=0.3)
    learnt = posterior_for(truth.logs[:, :400], truth.labels[:400])
    rows = rows_posterior(learnt.rule, truth.logs, truth.labels)
    gathered = gathered_posterior(rows, learnt.noise, learnt.skill)
    assert_sound(gathered, 600)
    np.testing.assert_allclose(gathered.p_wrong[:400], learnt.p_wrong, rtol=0, atol=1e-12)
    at_once = posterior_given_noise(learnt.noise, truth.logs, truth.labels)
    np.testing.assert_allclose(gathered.joint, at_once.joint, rtol=0, atol=1e-12)
    np.testing.assert_allclose(gathered.rates, at_once.rates, rtol=0, atol=1e-12)
    assert (gathered.low, gathered.high) == (at_once.low, at_once.high)


def test_the_interval_is_that_of_the_labels_that_are_not_certain():
    truth = draw_truth(symmetric(3, 0.2), 500)
    learnt = posterior_for(truth.logs, truth.labels)
    rows = rows_posterior(learnt.rule, truth.logs, truth.labels, known=np.arange(500) % 2 == 0)
    whole = gathered_posterior(rows, learnt.noise, learnt.skill)
    half = gathered_posterior(rows, learnt.noise, learnt.skill, certain=0.5)
    low, high = learnt.noise.interval(500)
    assert half.high == max(high / 2, half.rate) < whole.high
    assert 0 < half.low == low / 2 < half.rate


def test_a_thousand_classes_are_scored():
    truth = draw_truth(symmetric(1000, 0.1), 150, overlap=0.001)
    posterior = posterior_for(truth.logs.astype(np.float32), truth.labels)
    assert_sound(posterior, 150)
    assert average_precision_score(truth.wrong, posterior.suspicion) > 0.8


@pytest.mark.parametrize(("n_classes", "n_wrong"), [(2, 4), (3, 3), (10, 2)])
def test_a_few_wrong_labels_among_many_are_the_most_suspicious(n_classes, n_wrong):
    logs, labels = nearly_clean(n_classes, 1000, n_wrong, 0.8)
    posterior = posterior_for(logs, labels)
    assert set(np.argsort(-posterior.suspicion)[:n_wrong]) == set(range(n_wrong))
    assert posterior.p_wrong[:n_wrong].min() > 0.3
    assert posterior.p_wrong[n_wrong:].mean() < 0.01
    assert posterior.high > n_wrong / 1000


def test_rate_prior_and_transition_are_one_number():
    truth = draw_truth(SKEW, 800, error=0.3)
    posterior = posterior_for(truth.logs, truth.labels)
    implied = posterior.prior @ (1 - np.diag(posterior.transition))
    np.testing.assert_allclose(implied, posterior.rate, rtol=0, atol=1e-9)
    np.testing.assert_allclose(posterior.transition.sum(axis=1), 1, rtol=0, atol=1e-9)
    np.testing.assert_allclose(posterior.joint.sum(axis=0), np.bincount(truth.labels) / 800)


def test_the_rates_of_the_hypotheses_add_up_to_the_rate():
    truth = draw_truth(SKEW, 800, error=0.3)
    posterior = posterior_for(truth.logs, truth.labels)
    used = [(part[0], part[2]) for part in weightiest(posterior.noise)]
    total = sum(weight * posterior.rates[place] for place, weight in used)
    np.testing.assert_allclose(total, posterior.rate, rtol=0, atol=1e-6)
    logs, labels = nearly_clean(3, 800, 0, 0.999)
    clean = posterior_for(logs, labels)
    assert max(told["rate"] for told in clean.noise.by_kind(clean.rates)) < 0.002


def test_without_skill_little_is_claimed_and_anything_is_possible():
    random = np.random.default_rng(0)
    codes = (random.random(500) < 0.2).astype(int)
    q = random.dirichlet([8, 2], 500).T
    posterior = posterior_for(np.log(q), codes)
    assert not posterior.skill.enough
    assert posterior.p_wrong.max() <= 0.05
    assert (posterior.low, posterior.high) == (0, 1 - np.mean(codes == 0))


def test_equal_rows_with_different_labels_vote():
    logs, labels = nearly_clean(3, 600, 0, 0.95)
    logs[:, 1:4] = logs[:, :1]  # four equal rows, one of them labelled differently
    labels[1:3], labels[3] = labels[0], (labels[0] + 1) % 3
    copies = np.r_[np.zeros(4, dtype=int), np.arange(1, 597)]
    alone, voted = posterior_for(logs, labels), posterior_for(logs, labels, copies)
    assert voted.p_wrong[3] > max(0.5, alone.p_wrong[3])
    assert voted.suspicion[3] > alone.suspicion[3]
    assert voted.p_wrong[:3].max() < 0.1
    np.testing.assert_array_equal(voted.p_wrong[4:], alone.p_wrong[4:])


def test_in_coarse_columns_noise_is_not_certain():
    truth = draw_truth(symmetric(3, 0.2), 20, overlap=0.005)
    kinds = np.repeat(np.arange(20), 30)  # twenty different rows, thirty times each
    random = np.random.default_rng(0)
    labels = truth.labels[kinds]
    labels[random.random(600) < 0.2] = 0
    logs = truth.logs[:, kinds]
    unique = posterior_for(logs, labels)
    coarse = posterior_for(logs, labels, kinds)
    assert unique.low > 0.05
    assert coarse.low == 0
    q = np.exp(coarse.noise.calibration.apply(logs))
    none = {told["kind"]: told["weight"] for told in coarse.noise.by_kind(coarse.rates)}["none"]
    assert none == pytest.approx(0.5 * count_overlap(kinds, labels, q), abs=1e-3)
    assert none > 0.25
    assert coarse.p_wrong.mean() < 0.8 * unique.p_wrong.mean()


def test_noise_that_flows_from_class_to_class_is_counted():
    rates = np.array([0.02, 0.14, 0.26, 0.38])
    T = np.diag(1 - rates) + np.roll(np.diag(rates), 1, axis=1)
    truth = draw_truth(T, 6000, overlap=0.005, error=0.2)
    posterior = posterior_for(truth.logs, truth.labels)
    assert abs(posterior.rate - truth.wrong.mean()) < 0.02
    np.testing.assert_allclose(np.diag(posterior.transition), 1 - rates, rtol=0, atol=0.06)
    assert posterior.noise.by_kind(posterior.rates)[0]["kind"] == "class to class"


def test_without_boundary_noise_less_is_wrong_where_classes_meet():
    truth = draw_truth(symmetric(2, 0.0), 2000, overlap=0.5)
    posterior = posterior_for(truth.logs, truth.labels)
    contradicted = np.exp(truth.logs[truth.labels, np.arange(2000)]) < 0.3
    assert posterior.noise.boundary > 0.05
    assert (posterior.p_elsewhere < posterior.p_wrong)[contradicted].all()


def test_labels_that_single_precision_calls_impossible_are_ranked():
    logs = np.array([[-25, -30, -1e-9], [-1e-9, -1e-9, -25]], dtype=np.float32)
    codes = np.arange(120) % 2
    assert np.isfinite(posterior_for(np.tile(logs, 40), codes).suspicion).all()


@pytest.mark.parametrize("rates", [(0.2, 0.2), (0.35, 0.05)], ids=["even", "uneven"])
def test_the_ranking_knows_how_uneven_the_noise_is(rates):
    T = np.diag(1 - np.array(rates)) + np.fliplr(np.diag(rates))
    truth = draw_truth(T, 400, overlap=0.3)
    noise = known_noise(T)
    found = posterior_given_noise(noise, truth.logs, truth.labels)
    own = np.exp(truth.logs[truth.labels, np.arange(400)])
    part = np.exp(-((np.std(rates) / UNEVEN) ** 2)) / 2
    expected = score_between(found.p_wrong, 1 - own, part)
    np.testing.assert_allclose(found.suspicion, expected, rtol=0, atol=1e-9)


def test_skill_is_that_of_probabilities_that_have_not_seen_the_labels():
    truth = draw_truth(symmetric(2, 0.1), 400, overlap=1.0)
    calibration = Calibration(5 * np.eye(2), np.zeros(2))
    found = posterior_given_noise(
        known_noise(symmetric(2, 0.1), calibration), truth.logs, truth.labels
    )
    assert found.skill == skill_of(truth.logs, truth.labels)
    assert found.skill != skill_of(calibration.apply(truth.logs), truth.labels)


@pytest.mark.parametrize(("interval", "ends"), [((0.9, 0.95), "low"), ((0.0, 0.0), "high")])
def test_the_interval_holds_the_rate(monkeypatch, interval, ends):
    truth = draw_truth(symmetric(3, 0.2), 500)
    noise = known_noise(symmetric(3, 0.2))
    monkeypatch.setattr(NoisePosterior, "interval", lambda self, n: interval)
    found = posterior_given_noise(noise, truth.logs, truth.labels)
    assert 0.1 < found.rate < 0.4
    assert getattr(found, ends) == found.rate


def test_rows_of_one_unit_are_evidence_once():
    truth = draw_truth(symmetric(3, 0.1), 60, overlap=0.005)
    units = np.repeat(np.arange(60), 40)
    logs, labels = truth.logs[:, units].copy(), truth.labels[units]
    few = posterior_of(truth.logs, truth.labels, np.random.default_rng(0))
    many = posterior_of(logs, labels, np.random.default_rng(0))
    counted = posterior_of(logs, labels, np.random.default_rng(0), units=units)
    assert_sound(counted, len(labels))
    width = [found.high - found.low for found in (few, many, counted)]
    assert width[1] < 0.6 * width[0]
    assert width[2] > 0.7 * width[0]


def test_models_that_take_all_for_certain_may_be_wrong_themselves():
    truth = draw_truth(symmetric(3, 0.2), 1000, overlap=1e-6)
    logs = np.log(np.maximum(np.eye(3)[truth.classes].T, 1e-4)) * 0.3
    logs -= np.log(np.exp(logs).sum(axis=0))
    random = np.random.default_rng
    believed = posterior_of(logs, truth.labels, random(0))
    doubted = posterior_of(logs, truth.labels, random(0), certain=-0.3 * np.log(1e-4))
    assert believed.low > 0.1
    assert doubted.low == 0
    assert doubted.high > 0.2
    assert doubted.rate == pytest.approx(0.3 * believed.rate, rel=0.02)
