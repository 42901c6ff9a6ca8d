import pickle

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import errata
from auditing_cases import QUICK, blobs, draw_truth, known_noise, nearly_clean, symmetric
from errata._kernels import _probabilities
from errata._kernels._probabilities import score_between
from errata.auditing.classes import _posterior
from errata.auditing.classes._noise_model import (
    BOUNDARY,
    CLASS_TO_CLASS,
    RATES,
    UNIFORM,
    Hypothesis,
    LabelEvidence,
    ambiguity,
    boundary_noise,
)
from errata.auditing.classes._posterior import (
    UNEVEN,
    NoisePosterior,
    RowRule,
    _beside_boundary,
    _boundary_weight,
    _weigh,
    doubtful_are_like_all,
    gathered_posterior,
    noise_posterior,
    noise_rows,
    posterior_given_noise,
    posterior_of,
    set_aside,
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
    rows = learnt.rule.judge(truth.logs, truth.labels)
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
    rows = learnt.rule.judge(truth.logs, truth.labels, known=np.arange(500) % 2 == 0)
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
    heavy, weights, _ = weightiest(posterior.noise)
    np.testing.assert_allclose(weights @ posterior.rates[heavy], posterior.rate, rtol=0, atol=1e-6)
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


def boundary_weight(boundary, evidence, other):
    given = other.classes_given_labels(evidence.logs, evidence.codes)
    right = given[evidence.codes, np.arange(len(evidence.codes))]
    return _boundary_weight(boundary, evidence, other.rate, right)


def known(rate, kind=UNIFORM, variance=0.0):
    return Hypothesis(
        kind, rate, symmetric(2, rate), 1.0, np.zeros(2), variance=variance, grid_rate=rate
    )


def posterior(weights, rates):
    hypotheses = [known(rate) for rate in rates[:-1]] + [known(rates[-1], BOUNDARY)]
    return NoisePosterior(hypotheses, np.array(weights), np.array(weights), Calibration(), 0.0)


def rates_of(found):
    return np.array([h.rate for h in found.hypotheses])


def test_the_interval_holds_nine_tenths_of_the_weight():
    low, high = posterior([0.45, 0.45, 0.1], [0.1, 0.2, 0.4]).interval(10**9)
    np.testing.assert_allclose([low, high], [0.1, 0.4], rtol=0, atol=0.001)


def test_counting_rows_and_estimating_matrices_widen_the_interval():
    many, few = (posterior([1.0, 0.0], [0.2, 0.4]).interval(n) for n in (100_000, 100))
    assert few[0] < many[0] < 0.2 < many[1] < few[1]
    read = NoisePosterior(
        [known(0.2, variance=0.01), known(0.4, BOUNDARY)], *[np.array([1.0, 0.0])] * 2,
        Calibration(), 0.0,
    )  # fmt: skip
    assert read.interval(100_000)[1] > 0.3


def test_the_interval_reaches_boundary_noise_unless_it_is_unlikely():
    likely = posterior([0.75, 0.25], [0.1, 0.3])
    unlikely = posterior([0.96, 0.04], [0.1, 0.3])
    assert likely.interval(10**9)[1] == pytest.approx(0.3, abs=1e-3)
    assert unlikely.interval(10**9)[1] == pytest.approx(0.1, abs=1e-3)
    assert likely.interval(100)[1] > 0.37
    assert posterior([0.85, 0.15], [0.1, 0.3]).interval(100)[1] < 0.33


def test_the_interval_begins_at_none_where_overlap_is_left_open():
    sure = posterior([0.0, 0.8, 0.2], [0.0, 0.2, 0.4])
    np.testing.assert_allclose(sure.interval(10**9), [0.2, 0.4], rtol=0, atol=1e-3)
    doubted = sure._replace(left_open=0.06)
    np.testing.assert_allclose(doubted.interval(10**9), [0.0, 0.4], rtol=0, atol=1e-3)
    assert doubted.rate == sure.rate


def test_overlap_is_left_open_where_classes_stay_ambiguous_and_noise_is_no_likelier():
    overlap = draw_truth(symmetric(3, 0.0), 1500, overlap=1.0, error=0.2)
    found = noise_posterior(overlap.logs, overlap.labels)
    assert found.ambiguity > 0.2
    assert found.left_open == pytest.approx(found.ambiguity - 0.1, rel=0.3)
    noisy = draw_truth(symmetric(3, 0.3), 1500)
    assert noise_posterior(noisy.logs, noisy.labels).left_open < 1e-3


def test_the_interval_begins_where_a_matrix_does_that_knows_labels_by_heart():
    learnt = posterior([1.0, 0.0], [0.1, 0.2])
    among_labels = learnt.hypotheses[0]._replace(among_labels=0.14)
    found = learnt._replace(hypotheses=[among_labels, learnt.hypotheses[1]])
    np.testing.assert_allclose(found.interval(10**9), [0.1, 0.14], rtol=0, atol=1e-3)


def test_the_interval_holds_what_the_other_view_says():
    other = posterior([1.0, 0.0], [0.3, 0.5])
    both = posterior([1.0, 0.0], [0.1, 0.2])._replace(other_view=other)
    np.testing.assert_allclose(both.interval(10**9), [0.1, 0.3], rtol=0, atol=1e-3)


def test_clear_classes_leave_no_weight_for_noise():
    logs, labels = nearly_clean(3, 800, 0, 0.98)
    found = noise_posterior(logs, labels)
    assert found.rate < 0.005
    assert found.interval(800)[0] == 0


def test_uniform_noise_in_clear_classes_is_believed():
    truth = draw_truth(symmetric(3, 0.15), 2000, overlap=0.02, error=0.3)
    found = noise_posterior(truth.logs, truth.labels)
    kinds = {told["kind"]: told["weight"] for told in found.by_kind(rates_of(found))}
    assert kinds.get("none", 0) < 0.01
    assert abs(found.rate - truth.wrong.mean()) < 0.03


def two(likelihoods, ambiguities, kind=UNIFORM):
    """No noise and 20 % of it, made up."""
    return [
        known(rate, kind if rate else UNIFORM)._replace(log_likelihood=likelihood, ambiguity=a)
        for rate, likelihood, a in zip((0.0, 0.2), likelihoods, ambiguities, strict=True)
    ]


def test_the_prior_of_no_noise_moves_the_weights():
    alike = two((0.0, 0.0), (0.3, 0.3))
    believed, doubted = (_weigh(alike, np.zeros(2), 2, prior_none=p) for p in (0.0, 1.0))
    assert believed[1] > 0.9 > 0.1 > doubted[1]
    # In closed form: the mass of the grid at 0.2 over that at 0, under exp(-rate / 0.02).
    step = np.gradient(RATES[:-1])
    odds = np.exp(-10) * step[np.searchsorted(RATES, 0.2)] / step[0]
    np.testing.assert_allclose(doubted[1] / doubted[0], odds)


def test_matrices_of_class_to_class_noise_share_one_prior():
    alike = [known(0.2), known(0.2, CLASS_TO_CLASS), known(0.2, CLASS_TO_CLASS)]
    np.testing.assert_allclose(_weigh(alike, np.zeros(3), 2, prior_none=0.0), [0.5, 0.25, 0.25])


def test_the_weight_of_boundary_noise_is_the_product_of_five_facts():
    codes = np.array([0, 0, 0, 1, 0, 1])  # four contradicted, two surely; three of label 0
    sure = np.array([0.1, 0.4, 0.45, 0.2, 0.9, 0.95])
    q = np.where(np.arange(2)[:, None] == codes, sure, 1 - sure)
    evidence = LabelEvidence(np.log(q), codes)
    before = ambiguity(q)
    boundary = known(0.2, BOUNDARY)._replace(ambiguity=before / 2)
    nothing = known(0.0)
    both_ways = (2 + 1) / (4 + 1)  # one of label 0, one of label 1
    weight = boundary_weight(boundary, evidence, nothing)
    np.testing.assert_allclose(weight, both_ways * (2 + 1) / (4 + 3) * (1 - 0.5**2))
    # Half of the noise is explained, and labels that it explains no longer speak for the border.
    noise = known(0.1)
    right = noise.classes_given_labels(evidence.logs, codes)[codes, np.arange(6)]
    surely = (right[[0, 3]].sum() + 1) / (right[:4].sum() + 3)
    explained = boundary_weight(boundary, evidence, noise)
    np.testing.assert_allclose(explained, 0.5 * both_ways * surely * (1 - 0.5**2))
    assert boundary_weight(boundary, evidence, known(0.3)) == 0
    dull = boundary._replace(ambiguity=before)
    assert boundary_weight(dull, evidence, nothing) == 0
    rare = boundary._replace(rate=0.05)  # a good model errs as often
    np.testing.assert_allclose(boundary_weight(rare, evidence, nothing), weight / 2)


def test_a_rare_class_that_is_hard_to_see_is_no_boundary_noise():
    def weight(contradicted_for_it):
        codes = np.repeat([0, 1], [180, 20])
        sure = np.full(200, 0.95)  # probability of the label
        sure[180:190] = 0.2  # half of the rare class looks like the other
        sure[:contradicted_for_it] = 0.2
        q = np.where(np.arange(2)[:, None] == codes, sure, 1 - sure)
        evidence = LabelEvidence(np.log(q), codes)
        boundary = known(0.2, BOUNDARY)
        return boundary_weight(boundary, evidence, known(0.0))

    assert weight(0) < 0.1 < 0.5 < weight(10)


def test_overlap_that_was_counted_is_believed():
    before = posterior([0.0, 0.8, 0.2], [0.0, 0.2, 0.4])
    after = before.with_overlap(0.4)
    np.testing.assert_allclose(after.weights, [0.4, 0.48, 0.12])
    assert after.with_overlap(0.3) is after


def test_with_many_classes_overlap_is_no_sure_contradiction():
    # Each label has a tenth, as all ten classes have: no other class is probable.
    codes = np.arange(200) % 10
    evidence = LabelEvidence(np.full((10, 200), np.log(0.1)), codes)
    boundary = known(0.9, BOUNDARY)._replace(transition=np.eye(10), offsets=np.zeros(10))
    nothing = boundary._replace(kind=UNIFORM, rate=0.0)
    assert boundary_weight(boundary, evidence, nothing) == pytest.approx(1 / 3)


def test_overlap_lowers_the_rate_where_noise_does_not_make_classes_recognisable(monkeypatch):
    truth = draw_truth(symmetric(3, 0.0), 1500, overlap=1.0, error=0.2)
    with_doubt = noise_posterior(truth.logs, truth.labels)
    monkeypatch.setattr(_posterior, "AMBIGUITY_POWER", 1e9)
    without = noise_posterior(truth.logs, truth.labels)
    rates = [p.weights[:-1] @ [h.rate for h in p.hypotheses[:-1]] for p in (with_doubt, without)]
    assert rates[0] < 0.5 * rates[1]


def test_overlap_without_noise_is_not_taken_for_much_noise():
    truth = draw_truth(symmetric(3, 0.0), 2000, overlap=1.0)
    found = noise_posterior(truth.logs, truth.labels)
    assert found.interval(2000)[0] < 0.02
    assert found.weights[:-1] @ [h.rate for h in found.hypotheses[:-1]] < 0.08


def test_boundary_noise_weighs_little_where_classes_stay_unrecognisable():
    def weight(overlap):
        truth = draw_truth(symmetric(2, 0.0), 600, overlap=overlap)
        return noise_posterior(truth.logs, truth.labels).boundary

    assert weight(2.0) < 0.7 * weight(0.3)


def test_boundary_noise_weighs_the_same_however_few_others_are_kept():
    weights = _beside_boundary(np.array([0.2, 0.3]), 0.1)
    np.testing.assert_allclose(weights, [0.36, 0.54, 0.1])
    truth = draw_truth(symmetric(2, 0.1), 600, overlap=0.3)
    found = noise_posterior(truth.logs, truth.labels)
    np.testing.assert_allclose([found.weights.sum(), found.ranking.sum()], 1)
    np.testing.assert_allclose(found.ranking[-1], 0.15)
    evidence = LabelEvidence(found.calibration.apply(truth.logs), truth.labels)
    boundary = boundary_noise(evidence.logs, truth.labels)
    assert found.hypotheses[-1].rate == boundary.rate
    others = found.weights[:-1] / found.weights[:-1].sum()
    given = [h.classes_given_labels(evidence.logs, truth.labels) for h in found.hypotheses[:-1]]
    right = others @ [p[truth.labels, np.arange(p.shape[1])] for p in given]
    rate = others @ [h.rate for h in found.hypotheses[:-1]]
    weight = _boundary_weight(boundary, evidence, rate, right)
    assert weight > 0.05
    np.testing.assert_allclose(found.boundary, weight, rtol=0.02)


def test_what_is_learnt_later_multiplies_the_weights():
    before = posterior([0.5, 0.25, 0.25], [0.1, 0.2, 0.4])
    after = before.times(np.log([0.2, 0.2, 0.8]))
    np.testing.assert_allclose(after.weights, [2 / 7, 1 / 7, 4 / 7])
    assert after.rate > before.rate
    assert after.hypotheses is before.hypotheses


CODES = np.repeat([0, 1, 2], [50, 30, 20])


def test_known_rows_are_left_out_where_the_others_are_a_sample():
    known = np.zeros(100, dtype=bool)
    known[[0, 1, 50, 80]] = True
    rows = noise_rows(CODES, 3, np.random.default_rng(0), None, known)
    np.testing.assert_array_equal(rows, np.flatnonzero(~known))
    assert set_aside(CODES, known) == 0.04


@pytest.mark.parametrize("known", [CODES == 2, np.ones(100, dtype=bool)])
def test_all_rows_teach_where_the_others_are_none(known):
    assert not doubtful_are_like_all(CODES, known)
    rows = noise_rows(CODES, 3, np.random.default_rng(0), None, known)
    np.testing.assert_array_equal(rows, np.arange(100))
    assert set_aside(CODES, known) == 0


def test_wrong_labels_are_found_also_where_all_others_of_their_class_are_known():
    X, y = blobs(150)
    wrong = np.flatnonzero(y == 0)[:6]
    labels = y.copy()
    labels[wrong] = 1
    found = errata.audit(X, labels, known=labels == 0, estimators=QUICK, self_check=False)
    assert found.flagged[wrong].all()
    assert set(found.suggested[wrong]) == {0}
    assert found.noise_rate.low <= 6 / 150 <= found.noise_rate.high


@pytest.fixture(scope="module")
def found():
    truth = draw_truth(symmetric(3, 0.15), 700, overlap=0.1, error=0.3)
    return truth, posterior_of(truth.logs, truth.labels, np.random.default_rng(0))


def test_the_rule_of_a_posterior_judges_rows_as_the_posterior_does(found):
    truth, posterior = found
    rows = posterior.rule.judge(truth.logs, truth.labels)
    for name in ("p_wrong", "suspicion", "other", "p_other", "p_elsewhere"):
        np.testing.assert_allclose(
            getattr(rows, name), getattr(posterior, name), rtol=0, atol=1e-12
        )
    np.testing.assert_allclose(rows.joint / 700, posterior.joint, rtol=0, atol=1e-12)
    heavy = posterior.rule.places
    np.testing.assert_allclose(1 - rows.right[heavy] / 700, posterior.rates[heavy], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 13, 400])
def test_a_row_is_judged_alike_in_any_block(found, size, dtype):
    truth, posterior = found
    logs, codes = truth.logs.astype(dtype), truth.labels
    whole = posterior.rule.judge(logs, codes)
    cuts = [slice(start, start + size) for start in range(0, 700, size)]
    judged = [posterior.rule.judge(logs[:, c], codes[c]) for c in cuts]
    *per_row, joint, right = zip(*judged, strict=True)
    parts = whole._make([*map(np.concatenate, per_row), sum(joint), sum(right)])
    for name, atol in (("p_wrong", 1e-6), ("suspicion", 1e-6), ("joint", 1e-3), ("right", 1e-3)):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=0, atol=atol)
    np.testing.assert_array_equal(parts.other, whole.other)


def test_a_label_that_is_certain_is_right(found):
    truth, posterior = found
    known = np.arange(700) < 50
    rows = posterior.rule.judge(truth.logs, truth.labels, known=known)
    for values in (rows.p_wrong, rows.suspicion, rows.p_elsewhere):
        assert not values[known].any()
        assert values[~known].all()


def test_a_rule_travels_as_a_small_file(found):
    truth, posterior = found
    travelled = pickle.dumps(posterior.rule)
    assert len(travelled) < 50_000
    there = pickle.loads(travelled).judge(truth.logs, truth.labels)
    np.testing.assert_array_equal(there.p_wrong, posterior.p_wrong)


def test_rows_are_ranked_by_calibrated_probabilities(found):
    truth, posterior = found
    assert posterior.noise.calibration.matrix is None  # what was given explains more
    calibrated = posterior.noise.other_view
    rule = RowRule(calibrated._replace(weights=calibrated.ranking), posterior.skill)
    alone = rule.judge(truth.logs, truth.labels)
    np.testing.assert_allclose(posterior.suspicion, alone.suspicion, rtol=0, atol=1e-12)
    assert np.abs(posterior.p_wrong - alone.p_wrong).max() > 0.01


def test_errors_that_flow_from_class_to_class_are_ranked_by_the_view_that_shows_them(found):
    _, posterior = found
    noise = posterior.noise
    assert RowRule(noise, posterior.skill).ranked_by is not None
    flow = noise.hypotheses[0]._replace(kind=CLASS_TO_CLASS)
    weights = np.r_[0.2, np.full(len(noise.hypotheses) - 1, 0.8 / (len(noise.hypotheses) - 1))]
    flowing = noise._replace(hypotheses=[flow, *noise.hypotheses[1:]], ranking=weights)
    assert RowRule(flowing, posterior.skill).ranked_by is None


def test_plain_surprise_does_not_count_where_errors_flow_from_class_to_class(found):
    _, posterior = found
    T = np.array([[0.8, 0.2], [0.2, 0.8]])
    noise = known_noise(T)
    flow = noise.hypotheses[0]._replace(kind=CLASS_TO_CLASS)
    flowing = noise._replace(hypotheses=[flow, *noise.hypotheses[1:]])
    assert RowRule(noise, posterior.skill).surprise == pytest.approx(0.5)
    assert RowRule(flowing, posterior.skill).surprise == 0


def test_the_more_the_classes_differ_in_noise_the_less_surprise_counts(found):
    _, posterior = found
    even = np.array([[0.8, 0.2], [0.2, 0.8]])
    uneven = np.array([[0.88, 0.12], [0.28, 0.72]])  # the spread is 0.08
    parts = [RowRule(known_noise(T), posterior.skill).surprise for T in (even, uneven)]
    np.testing.assert_allclose(parts, [0.5, np.exp(-1) / 2], rtol=1e-12)


def test_of_many_rows_a_few_are_worth_compiling_for(found, monkeypatch):
    truth, posterior = found
    asked = []
    monkeypatch.setattr(
        _posterior, "kernels", lambda name, compiled: asked.append(compiled) or _probabilities
    )
    monkeypatch.setattr(_posterior, "WORTH_COMPILING_OF_MANY", 2100)  # 700 rows of 3 classes
    for of_many in (False, True):
        asked.clear()
        posterior.rule.judge(truth.logs, truth.labels, of_many=of_many)
        assert set(asked) == {of_many}


@pytest.mark.parametrize("logs_dtype", [np.float32, np.float64])
def test_tables_worth_compiling_for_are_judged_alike(found, monkeypatch, logs_dtype):
    truth, posterior = found
    logs = truth.logs.astype(logs_dtype)
    plain = posterior.rule.judge(logs, truth.labels)
    monkeypatch.setattr(_posterior, "WORTH_JUDGING", 0)
    fast = posterior.rule.judge(logs.T.copy().T, truth.labels.astype(np.int16))
    for name in ("p_wrong", "suspicion", "p_other", "p_elsewhere"):
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(fast.other, plain.other)
    np.testing.assert_allclose(fast.right, plain.right, rtol=1e-6)
