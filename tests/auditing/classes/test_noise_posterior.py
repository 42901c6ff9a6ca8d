import numpy as np
import pytest

from auditing_cases import draw_truth, nearly_clean, symmetric
from errata.auditing._settings import RATES
from errata.auditing.classes import _posterior
from errata.auditing.classes._noise_model import (
    BOUNDARY,
    CLASS_TO_CLASS,
    PATTERN,
    UNIFORM,
    Hypothesis,
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


def known(rate, kind=UNIFORM, variance=0.0):
    return Hypothesis(kind, rate, symmetric(2, rate), 1.0, np.zeros(2), 0.0, 0.0, variance, rate)


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


def test_the_interval_reaches_boundary_noise_unless_it_is_out_of_the_question():
    unlikely, ruled_out = posterior([0.99, 0.01], [0.1, 0.3]), posterior([1.0, 0.0], [0.1, 0.3])
    assert unlikely.interval(10**9)[1] == pytest.approx(0.3, abs=1e-3)
    assert ruled_out.interval(10**9)[1] == pytest.approx(0.1, abs=1e-3)
    assert unlikely.interval(100)[1] > 0.35


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
    believed, doubted = (_weigh(alike, 2, prior_none=p) for p in (0.0, 1.0))
    assert believed[1] > 0.9 > 0.1 > doubted[1]
    # In closed form: the mass of the grid at 0.2 over that at 0, under exp(-rate / 0.02).
    step = np.gradient(RATES[:-1])
    odds = np.exp(-10) * step[np.searchsorted(RATES, 0.2)] / step[0]
    np.testing.assert_allclose(doubted[1] / doubted[0], odds)


@pytest.mark.parametrize(("kind", "penalty"), [(PATTERN, 0.5), (CLASS_TO_CLASS, 1.5)])
def test_what_the_rows_estimated_is_penalised(kind, penalty):
    plain, read = (_weigh(two((0.0, 0.0), (0, 0), k), 2, prior_none=0.0) for k in (UNIFORM, kind))
    odds = np.log(plain[1] / plain[0]) - np.log(read[1] / read[0])
    np.testing.assert_allclose(odds, penalty)
    free = _weigh(two((0.0, 0.0), (0, 0), kind), 2, prior_none=0.0, penalise_pattern=False)
    same = np.isclose(free, plain).all()
    assert same == (kind == PATTERN)


def test_the_weight_of_boundary_noise_is_the_product_of_three_facts():
    boundary = known(0.2, BOUNDARY)._replace(ambiguity=0.1)
    own = np.log([0.1, 0.15, 0.3, 0.4, 0.9, 0.95])  # four contradicted, two of them surely
    weight = _boundary_weight(0.05, boundary, own, 0.2)
    np.testing.assert_allclose(weight, (1 - 0.05 / 0.2) * (2 + 1) / (4 + 3) * (1 - 0.5**2))
    assert _boundary_weight(0.3, boundary, own, 0.2) == 0
    assert _boundary_weight(0.05, boundary, own, 0.1) == 0


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

    assert weight(2.0) < 0.15 < weight(0.3)


def test_boundary_noise_weighs_the_same_however_few_others_are_kept():
    weights = _beside_boundary(np.array([0.2, 0.3]), 0.1)
    np.testing.assert_allclose(weights, [0.36, 0.54, 0.1])
    truth = draw_truth(symmetric(2, 0.1), 600, overlap=0.3)
    found = noise_posterior(truth.logs, truth.labels)
    np.testing.assert_allclose([found.weights.sum(), found.ranking.sum()], 1)
    np.testing.assert_allclose(found.ranking[-1], 0.15)
    logs = found.calibration.apply(truth.logs)
    boundary = boundary_noise(logs, truth.labels)
    assert found.hypotheses[-1].rate == boundary.rate
    own = logs[truth.labels, np.arange(600)]
    rate = found.weights[:-1] @ rates_of(found)[:-1] / found.weights[:-1].sum()
    weight = _boundary_weight(rate, boundary, own, ambiguity(np.exp(logs)))
    assert weight > 0.05
    np.testing.assert_allclose(found.boundary, weight, rtol=0.01)


def test_what_is_learnt_later_multiplies_the_weights():
    before = posterior([0.5, 0.25, 0.25], [0.1, 0.2, 0.4])
    after = before.times(np.log([0.2, 0.2, 0.8]))
    np.testing.assert_allclose(after.weights, [2 / 7, 1 / 7, 4 / 7])
    assert after.rate > before.rate
    assert after.hypotheses is before.hypotheses
