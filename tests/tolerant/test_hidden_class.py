from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from errata.noise import NoiseModel
from errata.tolerant import (
    RobustDiscriminantAnalysis,
    RobustLogisticRegression,
    RobustMixtureClassifier,
)
from errata.tolerant.hidden_class._base import (
    NOISES,
    EmptyClass,
    NoiseStep,
    check_known_transition,
    compute_expectation,
    count_softly,
    is_objective_settled,
    maximise_likelihood,
    warn_if_classes_are_confused,
)
from errata.tolerant.hidden_class._discriminant import label_components
from errata.tolerant.hidden_class._noise_model_classifier import SoftFits, predict_aligned
from strategies import SEEDS, seeds
from tolerant.gaussian_classes import EM8, two_classes

P = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])

CODES = np.array([0, 1, 1])

T = np.array([[0.8, 0.2], [0.3, 0.7]])


def test_an_expectation_by_hand():
    responsibilities, log_likelihood = compute_expectation(np.log(P), T, CODES)
    np.testing.assert_allclose(np.exp(log_likelihood), [0.75, 0.4, 0.6], rtol=1e-12)
    np.testing.assert_allclose(responsibilities[:, 0], [0.96, 0.3, 1 / 15], rtol=1e-12)
    assert log_likelihood.sum() == pytest.approx(-1.714798, abs=1e-6)


def test_a_transition_of_zero_rules_a_class_out():
    responsibilities, _ = compute_expectation(np.log(P), np.eye(2), CODES)
    np.testing.assert_array_equal(responsibilities, np.eye(2)[CODES])


@given(seeds, st.integers(2, 5))
def test_with_classes_that_do_not_change_the_likelihood_never_falls(seed, n_classes):
    random = np.random.default_rng(seed)
    proba = random.dirichlet(np.ones(n_classes), 40)
    codes = random.integers(0, n_classes, 40)
    weights = random.uniform(0, 3, 40)
    start = random.dirichlet(np.ones(n_classes), n_classes)
    with pytest.warns(ConvergenceWarning, match="had not settled after max_iter=15 rounds; raise"):
        _, found, _, log_likelihood, _ = maximise_likelihood(
            lambda *_: (None, np.log(proba), 0.0),
            NoiseStep(start, np.zeros_like(start)),
            codes,
            weights,
            start=proba,
            settled=lambda objectives, moved: False,
            max_iter=15,
        )
    assert (np.diff(log_likelihood) >= -1e-9 * abs(log_likelihood[0])).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert found.min() >= 0


def test_the_loop_stops_where_the_objective_does():
    *_, objective = run(lambda *_: (None, np.log(P), 0.0), tol=1e-6)
    steps = np.abs(np.diff(objective)) / np.abs(objective[1:])
    assert (steps[:-1] > 1e-6).all()
    assert steps[-1] <= 1e-6


def test_the_penalty_of_a_class_model_is_no_part_of_the_likelihood():
    *_, log_likelihood, objective = run(lambda *_: (None, np.log(P), 2.5))
    np.testing.assert_allclose(log_likelihood - objective, 2.5, rtol=1e-12)


def test_the_last_fit_is_kept_when_a_class_runs_empty():
    calls = []

    def step(*_):
        if len(calls) == 2:
            raise EmptyClass("less than one row is left of the class 'a'")
        calls.append(_)
        return len(calls), np.log(P), 0.0

    with pytest.warns(ConvergenceWarning, match="class 'a'; the fit of round 2 is kept"):
        params, *_, objective = run(step, tol=0)
    assert params == 2
    assert len(objective) == 2


def run(step, tol=1e-6):
    return maximise_likelihood(
        step,
        NoiseStep(T, np.zeros((2, 2))),
        CODES,
        np.ones(3),
        start=np.eye(2)[CODES],
        settled=partial(is_objective_settled, tol),
        max_iter=500,
    )


R = np.array([[0.96, 0.04], [0.3, 0.7], [1 / 15, 14 / 15]])

CLASSES = np.array(["a", "b"])


def update(noise="full", prior=0.0):
    return NoiseStep(T, prior * np.eye(2), NOISES[noise]).update(R, CODES, np.ones(3), T)


def test_a_maximisation_by_hand():
    expected = [[0.723618, 0.276382], [0.023904, 0.976096]]
    np.testing.assert_allclose(update(), expected, atol=1e-6)


def test_a_maximisation_with_a_prior_by_hand():
    expected = [[0.842407, 0.157593], [0.014963, 0.985037]]
    np.testing.assert_allclose(update(prior=1.0), expected, atol=1e-6)


def test_one_rate_for_all_classes_by_hand():
    np.testing.assert_allclose(1 - np.diag(update("uniform")), 0.135556, atol=1e-6)


def test_each_class_may_err_at_its_own_rate_towards_all_others_alike():
    counts = np.array([[6.0, 1, 3], [0, 5, 0], [1, 1, 2]])
    expected = [[0.6, 0.2, 0.2], [0, 1, 0], [0.25, 0.25, 0.5]]
    np.testing.assert_allclose(NOISES["per_class"](counts), expected, rtol=1e-12, atol=1e-15)


def test_a_row_stands_for_as_many_as_its_weight():
    expected = [[1.92, 1 / 15], [0.08, 14 / 15]]
    np.testing.assert_allclose(
        count_softly(R, CODES, np.array([2.0, 0, 1]), 2), expected, rtol=1e-12
    )


@given(seeds, st.sampled_from(sorted(NOISES)), st.integers(2, 6))
def test_rows_always_sum_to_one(seed, noise, n_classes):
    counts = np.random.default_rng(seed).gamma(0.3, size=(n_classes, n_classes)) + 1e-9
    found = NOISES[noise](counts)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert found.min() >= 0


def test_a_class_without_rows_keeps_its_row_of_the_matrix():
    nobody = np.column_stack([np.ones(3), np.zeros(3)])
    found = NoiseStep(T, np.zeros((2, 2))).update(nobody, CODES, np.ones(3), T)
    np.testing.assert_allclose(found, [[1 / 3, 2 / 3], [0.3, 0.7]], rtol=1e-12)


def test_a_known_matrix_does_not_move():
    known = NoiseStep(T, np.eye(2), learn=False)
    assert known.log_prior(T) == 0
    _, found, *_ = maximise_likelihood(
        lambda *_: (None, np.log(P), 0.0),
        known,
        CODES,
        np.ones(3),
        start=P,
        settled=lambda objectives, moved: len(objectives) == 3,
        max_iter=9,
    )
    assert found is T


def test_the_prior_counts_logarithms():
    assert NoiseStep(T, 2 * np.eye(2)).log_prior(T) == pytest.approx(2 * np.log(0.8 * 0.7))


@pytest.mark.parametrize("given_as", [T, T.tolist(), NoiseModel(T)])
def test_a_known_matrix_may_be_a_list_or_a_noise_model(given_as):
    np.testing.assert_array_equal(check_known_transition(given_as, CLASSES), T)


def test_a_noise_model_may_name_the_classes_in_any_order():
    named = NoiseModel(T[::-1, ::-1], classes=["b", "a"])
    np.testing.assert_array_equal(check_known_transition(named, CLASSES), T)
    with pytest.raises(ValueError, match="for the classes 'b', 'c', but the labels are 'a', 'b'"):
        check_known_transition(NoiseModel(T, classes=["b", "c"]), CLASSES)


def test_a_noise_model_may_name_three_classes_in_any_order():
    X, codes, T = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3, np.eye(3) * 0.6
    X[:, 0] += 3 * codes
    T[[0, 1, 2], [1, 2, 0]] = 0.1, 0.2, 0.3
    T[[0, 1, 2], [2, 0, 1]] = 0.3, 0.2, 0.1
    turned = [2, 0, 1]  # not its own inverse, as an exchange of two would be
    named = NoiseModel(T[np.ix_(turned, turned)], classes=np.array(["a", "b", "c"])[turned])
    model = RobustDiscriminantAnalysis(transition=named, learn_transition=False)
    model.fit(X, np.array(["a", "b", "c"])[codes])
    np.testing.assert_array_equal(model.noise_transition_, T)


def test_a_known_matrix_may_be_one_rate():
    np.testing.assert_allclose(check_known_transition(0.1, CLASSES), [[0.9, 0.1], [0.1, 0.9]])


@pytest.mark.parametrize(
    ("transition", "sentence"),
    [
        (np.eye(3), "has 3 rows, but there are 2 classes"),
        ([[0.5, 0.5], [0.5, 0.5]], r"is singular \(condition number .*merge these classes"),
        ([[0.5, 0.4], [0.5, 0.5]], "row 0 of the transition matrix sums to 0.9"),
        ([[1.0, 0.0], [1.0, 0.0]], "no class is ever labelled 'b', but some rows are"),
        (1.2, "rate=1.2 must be a number between 0 and 1"),
    ],
)
def test_what_cannot_be_a_transition_matrix_gets_a_sentence(transition, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_known_transition(transition, CLASSES)


@pytest.mark.parametrize("model", [RobustDiscriminantAnalysis, RobustLogisticRegression])
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"init_error": 0.5}, "init_error=0.5 must be above 0 and below 0.5"),
        ({"init_error": 0}, "init_error=0 must be above 0"),
        ({"prior_strength": -1}, "prior_strength=-1 must be a number between 0 and inf"),
        ({"noise": "some"}, "noise='some' is not known; choose from full, per_class, uniform"),
        ({"learn_transition": False}, "learn_transition=False needs a transition matrix"),
        ({"transition": [[0.5, 0.5], [0.5, 0.5]]}, "the transition matrix is singular"),
        ({"max_iter": 0}, "max_iter=0 must be a whole number at least 1"),
        ({"tol": -1}, "tol=-1 must be a number between 0 and inf"),
    ],
)
def test_wrong_parameters_get_a_sentence(model, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        model(**parameters).fit(*EM8)


def test_classes_that_may_have_been_exchanged_are_reported():
    with pytest.warns(ConvergenceWarning, match="rows of the class 'b' mostly have another label"):
        warn_if_classes_are_confused(np.array([[0.8, 0.2], [0.6, 0.4]]), CLASSES)
    warn_if_classes_are_confused(T, CLASSES)


Q = np.array([[0.9, 0.1], [0.8, 0.2], [0.95, 0.05], [0.1, 0.9], [0.2, 0.8], [0.05, 0.95]])

CODES_OF_SIX = np.array([0, 0, 1, 1, 1, 0])


def test_the_labels_of_components_by_hand():
    with pytest.warns(ConvergenceWarning, match="had not settled"):
        first = label_components(Q, CODES_OF_SIX, np.ones(6), 2, tol=0, max_iter=1)[0]
    np.testing.assert_allclose(first, [[7 / 12, 5 / 12], [5 / 12, 7 / 12]], rtol=1e-12)
    limit, log_likelihood = label_components(
        Q, CODES_OF_SIX, np.ones(6), 2, tol=1e-10, max_iter=500
    )
    expected = [[0.631517, 0.368483], [0.368483, 0.631517]]
    np.testing.assert_allclose(limit, expected, atol=1e-6)
    assert log_likelihood[-1] == pytest.approx(-4.024146, abs=1e-6)


def test_every_start_ends_at_the_same_labels(monkeypatch):
    def from_random_start(seed):
        start = np.random.default_rng(seed).dirichlet(np.ones(2), 2)
        monkeypatch.setattr(
            "errata.tolerant.hidden_class._base.NoiseStep",
            lambda _, prior: NoiseStep(start, prior),
        )
        return label_components(Q, CODES_OF_SIX, np.ones(6), 2, tol=1e-9, max_iter=500)[0]

    np.testing.assert_allclose(from_random_start(0), from_random_start(1), rtol=0, atol=1e-6)


def test_a_component_without_rows_has_the_label_frequencies():
    empty = np.column_stack([Q, np.zeros(6)])
    weights = np.array([3.0, 1, 1, 1, 1, 1])
    found, _ = label_components(empty, CODES_OF_SIX, weights, 2, tol=1e-9, max_iter=500)
    np.testing.assert_allclose(found[2], [5 / 8, 3 / 8], rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_gaussian_classes_are_learnt_in_spite_of_noise(seed):
    X, y, _, X_test, y_test = two_classes(seed)
    model = RobustMixtureClassifier(2, random_state=0).fit(X, y)
    assert model.score(X_test, y_test) >= 0.91
    right = np.sort(model.label_given_component_.max(axis=0))
    np.testing.assert_allclose(right, [0.7, 0.9], rtol=0, atol=0.05)


def test_the_number_of_components_is_chosen():
    X, y, *_ = two_classes(0, n=400, n_test=10)
    model = RobustMixtureClassifier(random_state=0).fit(X, y)
    assert model.mixture_.n_components == 2
    np.testing.assert_allclose(model.label_given_component_.sum(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-9)


def test_rows_without_weight_have_no_say():
    X, y, *_ = two_classes(0, n=200, n_test=10)
    weights = (np.arange(200) < 150).astype(float)
    weighted = RobustMixtureClassifier(2, random_state=0).fit(X, y, weights)
    without = RobustMixtureClassifier(2, random_state=0).fit(X[:150], y[:150])
    np.testing.assert_allclose(weighted.predict_proba(X), without.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 0}, "n_components=0 must be a whole number at least 1"),
        ({"covariance_type": "round"}, "covariance_type='round' is not known; choose from full"),
        ({"reg_covar": -1}, "reg_covar=-1 must be a number between 0 and inf"),
        ({"contamination": "estimate"}, 'contamination="estimate" needs suspicions that are prob'),
    ],
)
def test_wrong_parameters_of_a_mixture_get_a_sentence(parameters, sentence):
    X, y, *_ = two_classes(0, n=50, n_test=10)
    with pytest.raises(ValueError, match=sentence):
        RobustMixtureClassifier(**{"n_components": 2, **parameters}).fit(X, y)


def test_a_row_without_weight_may_have_a_label_that_its_cluster_has_not():
    X = np.r_[np.linspace(-52, -48, 20), np.linspace(48, 52, 20)][:, None]
    y, weights = np.repeat([0, 1], 20), np.ones(40)
    y[0], weights[0] = 1, 0
    model = RobustMixtureClassifier(2, random_state=0).fit(X, y, sample_weight=weights)
    without = RobustMixtureClassifier(2, random_state=0).fit(X[1:], y[1:])
    np.testing.assert_allclose(model.log_likelihood_, without.log_likelihood_, rtol=1e-12)
    np.testing.assert_allclose(
        model.label_given_component_, without.label_given_component_, rtol=0, atol=1e-12
    )
    assert np.flatnonzero(model.flagged_).tolist() == [0]


X = np.array([[0.0], [1.0], [4.0], [5.0]])

SOFT = np.array([[1.0, 0.0], [0.7, 0.3], [0.0005, 0.9995], [0.2, 0.8]])


class Recorder(GaussianNB):
    shown = None

    def fit(self, X, y, sample_weight=None):
        Recorder.shown = X, y, sample_weight
        return super().fit(X, y, sample_weight)


def soft_fits(estimator, weights=None, folds=None):
    weights = np.ones(4) if weights is None else weights
    return SoftFits(estimator, X, np.array([0, 1, 1, 1]), weights, CLASSES, folds, {}, 1e-3, None)


def test_a_row_is_shown_once_for_each_class_that_it_may_be_of():
    soft_fits(Recorder(), weights=np.array([1.0, 2, 1, 0])).fit(SOFT)
    rows, labels, weights = Recorder.shown
    assert rows[:, 0].tolist() == [0, 1, 1, 4]
    assert labels.tolist() == ["a", "a", "b", "b"]
    np.testing.assert_allclose(weights, [1, 1.4, 0.6, 0.9995], rtol=1e-12)


def test_rows_are_judged_by_fits_without_them():
    halves = np.array([0, 2]), np.array([1, 3])
    fits = soft_fits(GaussianNB(), folds=[halves, halves[::-1]])
    _, log_proba, _ = fits.step(SOFT, np.eye(2))
    without = fits.fit(SOFT, halves[0])
    np.testing.assert_allclose(
        np.exp(log_proba[halves[1]]), without.predict_proba(X[halves[1]]), atol=2e-6
    )


def test_no_class_is_ruled_out_for_ever():
    _, log_proba, _ = soft_fits(GaussianNB()).step(np.eye(2)[[0, 0, 1, 1]], np.eye(2))
    assert log_proba.min() >= np.log(0.9e-6)
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1, rtol=1e-12)


def test_one_class_alone_is_not_learnt():
    folds = [(np.array([1, 2, 3]), np.array([0])), (np.array([0]), np.array([1, 2, 3]))]
    fits = soft_fits(LogisticRegression(), folds=folds)
    _, log_proba, _ = fits.step(np.eye(2)[[0, 1, 1, 1]], None)
    assert np.isfinite(log_proba).all()


def test_a_label_that_only_its_own_fold_has_is_believed():
    folds = [(np.array([1, 2, 3]), np.array([0])), (np.array([0]), np.array([1, 2, 3]))]
    as_labelled = np.eye(2)[[0, 1, 1, 1]]
    _, log_proba, _ = soft_fits(GaussianNB(), folds=folds).step(as_labelled, None)
    np.testing.assert_array_equal(log_proba.argmax(axis=1), [0, 1, 1, 1])


def test_a_class_that_a_model_does_not_know_has_probability_zero():
    model = GaussianNB().fit(X, ["a", "a", "c", "c"])
    proba = predict_aligned(model, X, np.array(["a", "b", "c"]))
    np.testing.assert_array_equal(proba[:, 1], 0)
    np.testing.assert_array_equal(proba[:, [0, 2]], model.predict_proba(X))
