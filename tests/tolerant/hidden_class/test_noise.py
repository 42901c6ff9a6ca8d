import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from errata.noise import NoiseModel
from errata.tolerant import RobustDiscriminantAnalysis, RobustLogisticRegression
from errata.tolerant.hidden_class._base import (
    NOISES,
    Labels,
    NoiseStep,
    check_known_transition,
    count_softly,
    warn_if_classes_are_confused,
)
from strategies import seeds
from tolerant.gaussian_classes import EM8

R = np.array([[0.96, 0.04], [0.3, 0.7], [1 / 15, 14 / 15]])
LABELS = Labels(np.array([0, 1, 1]), np.ones(3))
T = np.array([[0.8, 0.2], [0.3, 0.7]])
CLASSES = np.array(["a", "b"])


def update(noise="full", prior=0.0, labels=LABELS):
    return NoiseStep(T, prior * np.eye(2), NOISES[noise]).update(R, labels, T)


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
    labels = Labels(LABELS.codes, np.array([2.0, 0, 1]))
    expected = [[1.92, 1 / 15], [0.08, 14 / 15]]
    np.testing.assert_allclose(count_softly(R, labels, 2), expected, rtol=1e-12)


@given(seeds, st.sampled_from(sorted(NOISES)), st.integers(2, 6))
def test_rows_always_sum_to_one(seed, noise, n_classes):
    counts = np.random.default_rng(seed).gamma(0.3, size=(n_classes, n_classes)) + 1e-9
    found = NOISES[noise](counts)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert found.min() >= 0


def test_a_class_without_rows_keeps_its_row_of_the_matrix():
    nobody = np.column_stack([np.ones(3), np.zeros(3)])
    found = NoiseStep(T, np.zeros((2, 2))).update(nobody, LABELS, T)
    np.testing.assert_allclose(found, [[1 / 3, 2 / 3], [0.3, 0.7]], rtol=1e-12)


def test_a_known_matrix_does_not_move():
    assert NoiseStep(T, np.eye(2), learn=False).update(R, LABELS, T) is T
    assert NoiseStep(T, np.eye(2), learn=False).log_prior(T) == 0


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
