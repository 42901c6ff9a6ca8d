import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditing_cases import draw_truth, symmetric
from errata.auditing._settings import RATES, REACH, SUREST
from errata.auditing.classes._hypotheses import (
    CLASS_TO_CLASS,
    PATTERN,
    UNIFORM,
    Hypothesis,
    unmixed,
)
from errata.auditing.classes._noise_model import fit_hypotheses, fit_rates, log_prior
from errata.auditing.classes._noise_posterior import noise_posterior
from errata.auditing.classes._patterns import (
    anchor_pattern,
    class_to_class,
    expected_pattern,
    transition_of,
    uniform_pattern,
)
from errata.auditing.classes._posterior import posterior_of
from errata.metrics import expected_calibration_error

ASYMMETRIC = np.array([[0.7, 0.3], [0.05, 0.95]])


def hypothesis(transition, slope=1.0):
    return Hypothesis(UNIFORM, 0.2, transition, slope, np.zeros(2), 0.0, 0.0, 0.0, 0.2)


@pytest.mark.parametrize(
    "transition", [symmetric(2, 0.2), symmetric(3, 0.2), ASYMMETRIC], ids=["two", "three", "skew"]
)
def test_probabilities_with_errors_of_their_own_show_the_noise(transition):
    draws = [draw_truth(transition, 4000, error=0.3, random_state=seed) for seed in range(1, 4)]
    learnt = [noise_posterior(truth.logs, truth.labels).transition for truth in draws]
    np.testing.assert_allclose(np.mean(learnt, axis=0), transition, rtol=0, atol=0.04)
    truth = draws[0]
    p_wrong = posterior_of(truth.logs, truth.labels, np.random.default_rng(0)).p_wrong
    assert abs(p_wrong.mean() - truth.wrong.mean()) < 0.02
    assert expected_calibration_error(truth.wrong, p_wrong) < 0.03


def test_perfect_probabilities_are_as_well_explained_by_overlap_and_the_interval_says_so():
    # q = p T forecasts the labels perfectly without any noise: only the interval can be right.
    truth = draw_truth(symmetric(3, 0.2), 4000)
    low, high = noise_posterior(truth.logs, truth.labels).interval(4000)
    assert low < truth.wrong.mean() < high
    assert high - low > 0.1


@given(st.integers(2, 6), st.floats(0, 0.45), st.integers(0, 10))
def test_transitions_are_distributions_that_mostly_keep_the_class(n_classes, rate, seed):
    random = np.random.default_rng(seed)
    q = random.dirichlet(np.full(n_classes, 0.5), 30)
    pattern = anchor_pattern(q.T, random.integers(n_classes, size=30))
    for made in (pattern, uniform_pattern(n_classes)):
        T = transition_of(made, rate)
        assert (T >= 0).all()
        np.testing.assert_allclose(T.sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (np.diag(T) > 0.5).all()


def test_expected_errors_keep_their_direction():
    truth = draw_truth(ASYMMETRIC, 4000)
    known = hypothesis(ASYMMETRIC)
    pattern = expected_pattern(known, truth.logs, truth.labels)
    assert pattern[0, 1] > 2 * pattern[1, 0]
    np.testing.assert_array_equal(np.diag(pattern), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_noise_and_without_a_chance_for_the_label_no_number_is_lost(dtype):
    logs = np.array([[0.0, -4000.0], [-4000.0, 0.0]], dtype=dtype)  # exp(-4000) is zero
    given = hypothesis(np.eye(2), slope=3.0).classes_given_labels(logs, np.array([1, 1]))
    np.testing.assert_array_equal(given, [[0, 0], [1, 1]])


@pytest.mark.parametrize("start", [0, 10, 19])
@pytest.mark.parametrize("n", [100, 3000])
def test_the_way_to_the_best_rate_misses_no_hypothesis_of_weight(n, start):
    truth = draw_truth(symmetric(3, 0.2), n, error=0.3)
    pattern = uniform_pattern(3)
    tried = fit_rates(truth.logs, truth.labels, UNIFORM, pattern, RATES, start, reach=REACH)
    every = fit_rates(truth.logs, truth.labels, UNIFORM, pattern, RATES, 0, reach=np.inf)
    assert list(every) == list(range(len(RATES)))
    weight = np.array([every[i].log_likelihood for i in range(len(RATES))]) + log_prior(RATES)
    for place in np.flatnonzero(weight > weight.max() - 4.6):
        near, exact = tried[place].log_likelihood, every[place].log_likelihood
        np.testing.assert_allclose(near, exact, rtol=0, atol=0.05)


def test_no_noise_is_always_among_the_hypotheses():
    truth = draw_truth(symmetric(3, 0.3), 2000, error=0.3)
    found = fit_hypotheses(truth.logs, truth.labels)
    for kind in (UNIFORM, PATTERN):
        assert sum(h.grid_rate == 0 for h in found if h.kind == kind) == 1


def test_the_surest_rows_show_which_class_flows_where():
    T = np.array([[0.7, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]])
    truth = draw_truth(T, 5000, overlap=0.01)
    found, used = class_to_class(np.exp(truth.logs), truth.labels, 0.2)
    np.testing.assert_allclose(found, T, rtol=0, atol=0.06)
    assert (used > 100).all()


def test_undoing_noise_gives_the_classes_back():
    truth = draw_truth(ASYMMETRIC, 500, overlap=0.01)
    p = np.exp(unmixed(truth.logs, np.linalg.inv(ASYMMETRIC)))
    sure = truth.logs.max(axis=0) > np.log(0.69)
    assert (p.max(axis=0)[sure] > 0.95).mean() > 0.9
    assert (p > 0).all()


def by_kind(hypotheses, kind):
    return [h for h in hypotheses if h.kind == kind]


def test_rows_count_by_half_in_the_likelihood():
    truth = draw_truth(symmetric(3, 0.1), 500, error=0.3)
    found = by_kind(fit_hypotheses(truth.logs, truth.labels), UNIFORM)
    nothing = next(h for h in found if h.grid_rate == 0)
    likelihood = np.log(nothing.classes(truth.logs)[truth.labels, np.arange(500)]).sum()
    prior = 0.3 * np.log(nothing.slope) ** 2 / 2 + 0.5 * (nothing.offsets**2).sum() / 2
    np.testing.assert_allclose(nothing.log_likelihood, (likelihood - prior) / 2, rtol=1e-6)


def test_hypotheses_far_below_the_best_are_not_looked_for():
    truth = draw_truth(symmetric(3, 0.2), 3000, error=0.3)
    found = by_kind(fit_hypotheses(truth.logs, truth.labels), UNIFORM)
    found = sorted((h for h in found if h.grid_rate > 0), key=lambda h: h.grid_rate)
    prior = dict(zip(RATES, log_prior(RATES), strict=True))
    weights = np.array([h.log_likelihood + prior[h.grid_rate] for h in found])
    assert len(found) < len(RATES) - 5
    assert (weights[1:-1] >= weights.max() - 9.6).all()  # one beyond on either side ends the search
    assert weights.min() < weights.max() - 9.6


def test_two_rows_speak_for_the_class_itself():
    q = np.tile([[0.9], [0.1]], (1, 20))
    q[:, 10:] = q[::-1, 10:]
    codes = np.repeat([0, 1], 10)
    codes[:3] = 1  # 3 of the 10 surest rows of class 0
    found, used = class_to_class(q, codes, 0.1)
    np.testing.assert_allclose(found, [[9 / 12, 3 / 12], [0, 1]], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(used, [10, 10])


def test_undoing_noise_leaves_a_twentieth_of_the_probability():
    # q T⁻¹ is negative for the first class where its label is rarer than noise alone makes it.
    logs = np.log([[0.01], [0.99]])
    assert (np.exp(logs).T @ np.linalg.inv(ASYMMETRIC))[0, 0] < 0
    p = np.exp(unmixed(logs, np.linalg.inv(ASYMMETRIC)))
    np.testing.assert_allclose(p[0, 0], 0.05 * 0.01)


def test_the_variance_of_class_to_class_noise_is_that_of_counting_the_surest_rows():
    T = np.array([[0.7, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]])
    truth = draw_truth(T, 800, overlap=0.01)
    flows = by_kind(fit_hypotheses(truth.logs, truth.labels), CLASS_TO_CLASS)
    for flow, fraction in zip(flows, SUREST, strict=True):
        used = class_to_class(np.exp(truth.logs), truth.labels, fraction)[1]
        wrong, prior = 1 - np.diag(flow.transition), flow.classes(truth.logs).mean(axis=1)
        np.testing.assert_allclose(flow.variance, np.sum(prior**2 * wrong * (1 - wrong) / used))
        assert 0.005**2 < flow.variance < 0.1**2
