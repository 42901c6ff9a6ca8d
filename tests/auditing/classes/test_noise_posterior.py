import numpy as np
import pytest

from auditing_cases import draw_truth, nearly_clean, symmetric
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
    NoisePosterior,
    _beside_boundary,
    _boundary_weight,
    _weigh,
    noise_posterior,
)
from errata.auditing.models._pooling import Calibration


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
    likely = posterior([0.88, 0.12], [0.1, 0.3])
    unlikely = posterior([0.96, 0.04], [0.1, 0.3])
    assert likely.interval(10**9)[1] == pytest.approx(0.3, abs=1e-3)
    assert unlikely.interval(10**9)[1] == pytest.approx(0.1, abs=1e-3)
    assert likely.interval(100)[1] > 0.35


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


def test_the_weight_of_boundary_noise_is_the_product_of_four_facts():
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
