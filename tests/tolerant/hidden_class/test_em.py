import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from errata.tolerant.hidden_class._base import (
    ClassFit,
    EmptyClass,
    Labels,
    NoiseStep,
    compute_expectation,
    is_objective_settled,
    maximise_likelihood,
)
from strategies import seeds

P = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
LABELS = Labels(np.array([0, 1, 1]), np.ones(3))
T = np.array([[0.8, 0.2], [0.3, 0.7]])


def test_an_expectation_by_hand():
    responsibilities, log_likelihood = compute_expectation(np.log(P), T, LABELS.codes)
    np.testing.assert_allclose(np.exp(log_likelihood), [0.75, 0.4, 0.6], rtol=1e-12)
    np.testing.assert_allclose(responsibilities[:, 0], [0.96, 0.3, 1 / 15], rtol=1e-12)
    assert log_likelihood.sum() == pytest.approx(-1.714798, abs=1e-6)


def test_a_transition_of_zero_rules_a_class_out():
    responsibilities, _ = compute_expectation(np.log(P), np.eye(2), LABELS.codes)
    np.testing.assert_array_equal(responsibilities, np.eye(2)[LABELS.codes])


@given(seeds, st.integers(2, 5))
def test_with_classes_that_do_not_change_the_likelihood_never_falls(seed, n_classes):
    random = np.random.default_rng(seed)
    proba = random.dirichlet(np.ones(n_classes), 40)
    labels = Labels(random.integers(0, n_classes, 40), random.uniform(0, 3, 40))
    start = random.dirichlet(np.ones(n_classes), n_classes)
    with pytest.warns(ConvergenceWarning, match="had not settled after max_iter=15 rounds; raise"):
        solution = maximise_likelihood(
            lambda *_: ClassFit(None, np.log(proba)),
            NoiseStep(start, np.zeros_like(start)),
            labels,
            start=proba,
            settled=lambda before, now: False,
            max_iter=15,
        )
    assert (np.diff(solution.log_likelihood) >= -1e-9 * abs(solution.log_likelihood[0])).all()
    found = solution.last.next_transition
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert found.min() >= 0


def test_the_loop_stops_where_the_objective_does():
    solution = run(lambda *_: ClassFit(None, np.log(P)), tol=1e-6)
    steps = np.abs(np.diff(solution.objective)) / np.abs(solution.objective[1:])
    assert (steps[:-1] > 1e-6).all()
    assert steps[-1] <= 1e-6


def test_the_penalty_of_a_class_model_is_no_part_of_the_likelihood():
    solution = run(lambda *_: ClassFit(None, np.log(P), 2.5))
    np.testing.assert_allclose(solution.log_likelihood - solution.objective, 2.5, rtol=1e-12)


def test_the_last_fit_is_kept_when_a_class_runs_empty():
    calls = []

    def step(*_):
        if len(calls) == 2:
            raise EmptyClass("less than one row is left of the class 'a'")
        calls.append(_)
        return ClassFit(len(calls), np.log(P))

    with pytest.warns(ConvergenceWarning, match="class 'a'; the fit of round 2 is kept"):
        solution = run(step, tol=0)
    assert solution.last.fit.params == 2
    assert len(solution.objective) == 2


def run(step, tol=1e-6):
    return maximise_likelihood(
        step,
        NoiseStep(T, np.zeros((2, 2))),
        LABELS,
        start=np.eye(2)[LABELS.codes],
        settled=lambda before, now: is_objective_settled(tol, before, now),
        max_iter=500,
    )
