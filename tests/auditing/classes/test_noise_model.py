import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditing_cases import draw_truth, symmetric
from errata.auditing.classes._noise_model import (
    CLASS_TO_CLASS,
    PATTERN,
    RATES,
    REACH,
    SUREST,
    UNIFORM,
    Hypothesis,
    LabelEvidence,
    ambiguity,
    anchor_pattern,
    boundary_noise,
    class_to_class,
    confident_joint,
    expected_pattern,
    fit_hypotheses,
    fit_rates,
    log_prior,
    transition_of,
    uniform_pattern,
    unmixed,
)
from errata.auditing.classes._posterior import noise_posterior, posterior_of
from errata.metrics import expected_calibration_error

ASYMMETRIC = np.array([[0.7, 0.3], [0.05, 0.95]])


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


def test_noise_that_forecasts_know_perfectly_shows_at_the_surest_rows():
    # q = p T forecasts the labels as well without any noise: the likelihood cannot choose.
    truth = draw_truth(symmetric(3, 0.2), 4000)
    found = noise_posterior(truth.logs, truth.labels)
    low, high = found.interval(4000)
    assert low < truth.wrong.mean() < high
    assert abs(found.rate - truth.wrong.mean()) < 0.04


@pytest.mark.parametrize("start", [0, 10, 19])
@pytest.mark.parametrize("n", [100, 3000])
def test_the_way_to_the_best_rate_misses_no_hypothesis_of_weight(n, start):
    truth = draw_truth(symmetric(3, 0.2), n, error=0.3)
    evidence = LabelEvidence(truth.logs, truth.labels)
    pattern = uniform_pattern(3)
    tried = fit_rates(evidence, UNIFORM, pattern, RATES, start, reach=REACH)
    every = fit_rates(evidence, UNIFORM, pattern, RATES, 0, reach=np.inf)
    assert list(every) == list(range(len(RATES)))
    weight = np.array([every[i].log_likelihood for i in range(len(RATES))]) + log_prior(RATES)
    for place in np.flatnonzero(weight > weight.max() - 4.6):
        near, exact = tried[place].log_likelihood, every[place].log_likelihood
        np.testing.assert_allclose(near, exact, rtol=0, atol=0.05)


def test_no_noise_is_always_among_the_hypotheses():
    truth = draw_truth(symmetric(3, 0.3), 2000, error=0.3)
    found = fit_hypotheses(LabelEvidence(truth.logs, truth.labels))
    for kind in (UNIFORM, PATTERN):
        assert sum(h.grid_rate == 0 for h in found if h.kind == kind) == 1


def by_kind(hypotheses, kind):
    return [h for h in hypotheses if h.kind == kind]


def test_rows_count_by_half_in_the_likelihood():
    truth = draw_truth(symmetric(3, 0.1), 500, error=0.3)
    found = by_kind(fit_hypotheses(LabelEvidence(truth.logs, truth.labels)), UNIFORM)
    nothing = next(h for h in found if h.grid_rate == 0)
    likelihood = np.log(nothing.classes(truth.logs)[truth.labels, np.arange(500)]).sum()
    prior = 0.3 * np.log(nothing.slope) ** 2 / 2 + 0.5 * (nothing.offsets**2).sum() / 2
    np.testing.assert_allclose(nothing.log_likelihood, (likelihood - prior) / 2, rtol=1e-6)


def test_hypotheses_far_below_the_best_are_not_looked_for():
    truth = draw_truth(symmetric(3, 0.2), 3000, error=0.3)
    found = by_kind(fit_hypotheses(LabelEvidence(truth.logs, truth.labels)), UNIFORM)
    found = sorted((h for h in found if h.grid_rate > 0), key=lambda h: h.grid_rate)
    prior = dict(zip(RATES, log_prior(RATES), strict=True))
    weights = np.array([h.log_likelihood + prior[h.grid_rate] for h in found])
    assert len(found) < len(RATES) - 5
    assert (weights[1:-1] >= weights.max() - 9.6).all()  # one beyond on either side ends the search
    assert weights.min() < weights.max() - 9.6


def test_the_variance_of_class_to_class_noise_is_that_of_counting_the_surest_rows():
    T = np.array([[0.7, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]])
    truth = draw_truth(T, 800, overlap=0.01)
    evidence = LabelEvidence(truth.logs, truth.labels)
    flows = by_kind(fit_hypotheses(evidence), CLASS_TO_CLASS)
    counted = [class_to_class(evidence, fraction) for fraction in SUREST]
    counted += [confident_joint(np.exp(truth.logs), truth.labels)] * 2
    for flow, (_, used, _) in zip(flows, counted, strict=True):
        wrong, prior = 1 - np.diag(flow.transition), flow.classes(truth.logs).mean(axis=1)
        np.testing.assert_allclose(flow.variance, np.sum(prior**2 * wrong * (1 - wrong) / used))
        assert 0.005**2 < flow.variance < 0.1**2


def pair_flips(rate, n=1500, n_classes=4):
    """Models that know the noise of clear classes which flow into one another."""
    T = np.eye(n_classes) * (1 - rate) + np.roll(np.eye(n_classes), 1, axis=1) * rate
    return draw_truth(T, n, overlap=0.02)


def test_the_surest_rows_show_noise_and_not_overlap():
    noisy = pair_flips(0.4)
    noise = LabelEvidence(noisy.logs, noisy.labels)
    assert abs(noise.rate_at_the_surest - 0.4) < 0.08
    assert noise.flatness > 0.7
    overlapping = draw_truth(symmetric(4, 0.0), 1500, overlap=0.5)
    overlap = LabelEvidence(overlapping.logs, overlapping.labels)
    assert overlap.rate_at_the_surest < 0.1
    assert overlap.flatness < 0.2


def test_noise_that_makes_classes_recognisable_is_excused_what_it_lacks_in_likelihood():
    truth = pair_flips(0.4)
    evidence = LabelEvidence(truth.logs, truth.labels)
    found = fit_hypotheses(evidence)
    best = max(h.log_likelihood for h in found if h.kind != CLASS_TO_CLASS)
    flows = by_kind(found, CLASS_TO_CLASS)
    behind = [h for h in flows if h.log_likelihood < best]
    assert behind
    for h in found:
        most = 0.5 * 0.5 * evidence.saved_entropy(h)
        lacks = max(0.0, best - h.log_likelihood) if h.kind == CLASS_TO_CLASS else 0.0
        np.testing.assert_allclose(h.excused, min(most, lacks))
        frequent = min(1.0, h.rate / evidence.rate_at_the_surest)
        saved = max(map(evidence.saved_entropy, found)) / 1500
        np.testing.assert_allclose(h.plausible, 40 * saved * frequent)


def test_flips_of_two_labels_in_five_are_found():
    truth = pair_flips(0.4)
    found = noise_posterior(truth.logs, truth.labels)
    assert abs(found.rate - truth.wrong.mean()) < 0.06


def test_a_matrix_estimated_from_the_labels_gains_nothing_by_it():
    # Noise is uniform: ninety numbers fit what was drawn, but not the rows that are left out.
    truth = draw_truth(symmetric(10, 0.2), 400, overlap=0.05, error=0.3)
    found = fit_hypotheses(LabelEvidence(truth.logs, truth.labels))
    uniform = max(h.log_likelihood for h in by_kind(found, UNIFORM))
    assert uniform > max(h.log_likelihood for h in by_kind(found, CLASS_TO_CLASS)) + 5


def test_rows_that_are_equally_sure_are_counted_together():
    codes = np.repeat([0, 1], [30, 70])  # in the order of the labels, as rows may come
    logs = np.log(np.repeat([[0.2], [0.8]], 100, axis=1))
    evidence = LabelEvidence(logs, codes)
    assert evidence.rate_at_the_surest == pytest.approx(30 / 102)
    _, used, _ = class_to_class(evidence, SUREST[0])
    assert used[1] == 100


def test_certain_rows_beyond_the_surest_tenth_are_saturated():
    truth = draw_truth(symmetric(3, 0.1), 1000)
    logs = np.log(np.full((3, 1000), 1e-4))
    logs[0, :550] = 0
    logs[1, 550:] = np.log(0.5)
    evidence = LabelEvidence(logs, truth.labels)
    assert evidence.saturation(-np.log(1e-4)) == pytest.approx(0.5)
    assert evidence.saturation(np.inf) == 0


def hypothesis(transition, slope=1.0):
    return Hypothesis(UNIFORM, 0.2, transition, slope, np.zeros(2), grid_rate=0.2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_noise_and_without_a_chance_for_the_label_no_number_is_lost(dtype):
    logs = np.array([[0.0, -4000.0], [-4000.0, 0.0]], dtype=dtype)  # exp(-4000) is zero
    given = hypothesis(np.eye(2), slope=3.0).classes_given_labels(logs, np.array([1, 1]))
    np.testing.assert_array_equal(given, [[0, 0], [1, 1]])


def test_undoing_noise_gives_the_classes_back():
    truth = draw_truth(ASYMMETRIC, 500, overlap=0.01)
    p = np.exp(unmixed(truth.logs, np.linalg.inv(ASYMMETRIC)))
    sure = truth.logs.max(axis=0) > np.log(0.69)
    assert (p.max(axis=0)[sure] > 0.95).mean() > 0.9
    assert (p > 0).all()


def test_undoing_noise_leaves_a_twentieth_of_the_probability():
    # q T⁻¹ is negative for the first class where its label is rarer than noise alone makes it.
    logs = np.log([[0.01], [0.99]])
    assert (np.exp(logs).T @ np.linalg.inv(ASYMMETRIC))[0, 0] < 0
    p = np.exp(unmixed(logs, np.linalg.inv(ASYMMETRIC)))
    np.testing.assert_allclose(p[0, 0], 0.05 * 0.01)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (np.eye(3)[:, [0, 1, 2, 2]], 0.0),
        (np.full((2, 10), 0.5), 0.5),  # of equals the first is the largest
        (np.array([[0.9, 0.6], [0.1, 0.4]]), 0.5),  # the second is never the largest
    ],
)
def test_ambiguity_is_what_cannot_be_recognised(p, expected):
    np.testing.assert_allclose(ambiguity(p), expected)


def test_boundary_noise_sharpens_the_classes_and_ignores_the_label():
    truth = draw_truth(symmetric(2, 0.0), 500, overlap=0.5)
    boundary = boundary_noise(truth.logs, truth.labels)
    given = boundary.classes_given_labels(truth.logs, truth.labels)
    np.testing.assert_allclose(given, boundary.classes_given_labels(truth.logs, 1 - truth.labels))
    assert given.max(axis=0).mean() > np.exp(truth.logs).max(axis=0).mean()
    np.testing.assert_allclose(boundary.rate, 1 - given[truth.labels, np.arange(500)].mean())


def test_boundary_noise_is_three_times_as_sharp():
    logs = np.log([[0.7, 0.4], [0.3, 0.6]])
    boundary = boundary_noise(logs, np.array([0, 0]))
    right = 0.7**3 / (0.7**3 + 0.3**3), 0.4**3 / (0.4**3 + 0.6**3)
    np.testing.assert_allclose(boundary.classes(logs)[0], right)
    np.testing.assert_allclose(boundary.rate, 1 - np.mean(right))
    np.testing.assert_allclose(boundary.variance, (0.2 * boundary.rate) ** 2)


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
    known = Hypothesis(UNIFORM, 0.2, ASYMMETRIC, 1.0, np.zeros(2), grid_rate=0.2)
    pattern, left_out = expected_pattern(known, truth.logs, truth.labels)
    assert pattern[0, 1] > 2 * pattern[1, 0]
    np.testing.assert_array_equal(np.diag(pattern), 0)
    own = left_out[truth.labels, np.arange(4000)]
    np.testing.assert_array_equal(own, 1)
    # A row that is probably of class 0 and labelled 1 counts among the errors from 0 to 1.
    given = known.classes_given_labels(truth.logs, truth.labels)
    errors = given[0, truth.labels == 1].sum()
    rate = 1 - (given[truth.labels, np.arange(4000)]).mean()
    row = np.flatnonzero(truth.labels == 1)[np.argmax(given[0, truth.labels == 1])]
    expected = 1 - given[0, row] / (errors + 0.02 * 4000 * rate)
    np.testing.assert_allclose(left_out[0, row], expected, rtol=1e-9)


def test_the_surest_rows_show_which_class_flows_where():
    T = np.array([[0.7, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]])
    truth = draw_truth(T, 5000, overlap=0.01)
    found, used, _ = class_to_class(LabelEvidence(truth.logs, truth.labels), 0.2)
    np.testing.assert_allclose(found, T, rtol=0, atol=0.06)
    assert (used > 100).all()


def test_two_rows_speak_for_the_class_itself():
    q = np.tile([[0.9], [0.1]], (1, 20))
    q[:, 10:] = q[::-1, 10:]
    codes = np.repeat([0, 1], 10)
    codes[:3] = 1  # 3 of the 10 surest rows of class 0
    found, used, left_out = class_to_class(LabelEvidence(np.log(q), codes), 0.1)
    np.testing.assert_allclose(found, [[9 / 12, 3 / 12], [0, 1]], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(used, [10, 10])
    # Without itself, one of three errors among twelve leaves two among eleven.
    np.testing.assert_allclose(left_out[0, :3], (2 / 11) / (3 / 12))
    np.testing.assert_allclose(left_out[0, 3:10], (8 / 11) / (9 / 12))
    np.testing.assert_array_equal(left_out[1, :10], 1)


def test_an_error_that_no_other_row_shows_is_hardly_explained():
    q = np.tile([[0.9], [0.1]], (1, 20))
    q[:, 10:] = q[::-1, 10:]
    codes = np.repeat([0, 1], 10)
    codes[0] = 1
    _, _, left_out = class_to_class(LabelEvidence(np.log(q), codes), 0.1)
    np.testing.assert_allclose(left_out[0, 0], (0.5 / 11) / (1 / 12))


def test_the_confident_joint_may_lose_most_of_a_class():
    # Of class 0, whose rows models find at 0.4, two labels in three are 1.
    q = np.array([[0.4] * 30 + [0.05] * 30, [0.6] * 30 + [0.95] * 30])
    codes = np.r_[np.repeat([0, 1], [10, 20]), np.ones(30, dtype=int)]
    found, used, left_out = confident_joint(q, codes)
    np.testing.assert_array_equal(used, [30, 30])
    np.testing.assert_allclose(found, [[12 / 32, 20 / 32], [0, 1]])
    np.testing.assert_allclose(left_out[0, 10], (19 / 31) / (20 / 32))
