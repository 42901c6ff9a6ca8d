import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad

from errata.ensemble.boosting._robustboost import Potential, StepProblem
from strategies import seeds

DEFAULT = Potential(error_goal=0.1, theta=0.0, sigma_final=0.1)
TWO_SIDED = Potential(error_goal=0.1, theta=0.0, sigma_final=0.1, two_sided=True)
both = pytest.mark.parametrize("potential", [DEFAULT, TWO_SIDED], ids=["one-sided", "two-sided"])
potentials = st.builds(
    Potential,
    error_goal=st.floats(0.02, 0.45),
    theta=st.sampled_from([0.0, 0.3, 2.0]),
    sigma_final=st.sampled_from([0.1, 0.5, 1.0]),
    two_sided=st.booleans(),
)


def first_step(potential, accuracy, n=10):
    """From the start, along a base estimator that is right on this fraction of the rows."""
    u = np.where(np.arange(n) < round(accuracy * n), 1.0, -1.0)
    return StepProblem(potential, np.zeros(n), u, np.full(n, 1 / n), 0.0)


def random_problem(potential, seed, n=40):
    random = np.random.RandomState(seed)
    m, u = random.normal(scale=0.3, size=n), random.choice([-1.0, 1.0], n, p=[0.3, 0.7])
    return StepProblem(potential, m, u, random.dirichlet(np.ones(n)), random.uniform(0, 0.8))


def test_the_potential_at_the_start():
    # The defaults of MATLAB and JBoost: goal 0.1, margin 0, width 0.1.
    assert pytest.approx(0.8604054, abs=1e-6) == DEFAULT.rho
    assert DEFAULT.mu(0) == pytest.approx(-2.9568381, abs=1e-6)
    assert DEFAULT.sigma(0) == pytest.approx(2.5422326, abs=1e-6)
    assert pytest.approx(0.6703660, abs=1e-6) == TWO_SIDED.rho


@pytest.mark.parametrize(
    ("potential", "accuracy", "step"),
    [
        (DEFAULT, 0.8, (0.6617677, 0.1911462)),
        (DEFAULT, 0.7, (0.4386743, 0.0749896)),
        (DEFAULT, 0.6, (0.2187461, 0.0176306)),
        (TWO_SIDED, 0.8, (0.7813832, 0.3154875)),
    ],
)
def test_first_steps(potential, accuracy, step):
    problem = first_step(potential, accuracy)
    np.testing.assert_allclose(problem.solve(), step, rtol=0, atol=1e-6)
    np.testing.assert_allclose(problem.bisect(), step, rtol=0, atol=1e-6)


@given(potentials)
def test_the_start_has_the_potential_of_the_goal_and_the_end_is_where_it_should(potential):
    start = potential.phi(potential.distance(np.zeros(1), 0.0))
    np.testing.assert_allclose(start, potential.error_goal, rtol=0, atol=1e-9)
    assert potential.mu(1.0) == pytest.approx(potential.theta, abs=1e-9)
    assert potential.sigma(1.0) == pytest.approx(potential.sigma_final, abs=1e-9)


@given(potentials, st.floats(0.05, 0.95))
def test_centre_and_width_obey_their_differential_equations(potential, t):
    h = 1e-6
    slope = (potential.mu(t + h) - potential.mu(t - h)) / (2 * h)
    assert slope == pytest.approx(-(potential.mu(t) - 2 * potential.rho), rel=1e-6, abs=1e-6)
    slope = (potential.sigma(t + h) ** 2 - potential.sigma(t - h) ** 2) / (2 * h)
    assert slope == pytest.approx(-2 * (potential.sigma(t) ** 2 + 1), rel=1e-6)


@both
def test_the_weight_is_the_slope_of_the_potential(potential):
    scale = (1 if potential.two_sided else 2) / np.sqrt(np.pi)
    for low, high in ((0.0, 0.7), (0.2, 2.0), (-1.5, -0.1)):
        area, _ = quad(lambda a: scale * float(potential.weight(np.array(a))), low, high)
        drop = potential.phi(np.array(low)) - potential.phi(np.array(high))
        assert area == pytest.approx(drop, abs=1e-8)


@given(st.floats(0.05, 0.9), st.sampled_from([0.0, 0.5]))
def test_at_the_end_the_one_sided_potential_bounds_the_error(goal, theta):
    potential = Potential(goal, theta, 0.1)
    m = np.linspace(theta - 2, theta + 2, 81)
    assert np.all(potential.phi(potential.distance(m, 1.0)) >= (m <= theta) - 1e-12)


@given(potentials, seeds, st.floats(0.05, 1.0), st.floats(0.01, 0.15))
def test_derivatives_are_those_of_the_equations(potential, seed, ds, dt):
    problem, h = random_problem(potential, seed), 1e-6
    if not potential.two_sided:  # where the weight jumps there is no derivative
        moved = problem.m * np.exp(-dt) + ds * problem.u
        assume(np.abs(potential.distance(moved, problem.t + dt)).min() > 1e-4)
    _, jacobian = problem.equations(ds, dt)
    by_ds = (problem.equations(ds + h, dt)[0] - problem.equations(ds - h, dt)[0]) / (2 * h)
    by_dt = (problem.equations(ds, dt + h)[0] - problem.equations(ds, dt - h)[0]) / (2 * h)
    expected = np.stack([by_ds, by_dt], axis=1)
    np.testing.assert_allclose(jacobian, expected, rtol=1e-4, atol=1e-6)


@given(potentials, seeds)
def test_a_step_uses_up_the_rule_and_keeps_the_potential(potential, seed):
    problem = random_problem(potential, seed)
    w = problem.c * potential.weight(potential.distance(problem.m, problem.t))
    assume(w @ problem.u > 1e-3)
    ds, dt = problem.solve()
    (correlation, change), _ = problem.equations(ds, dt)
    if problem.t + dt < 1:
        assert abs(correlation) < 1e-6 * w.sum()
        assert abs(change) < 1e-6
    else:
        assert change > -1e-6  # the potential may fall when time runs out


@pytest.mark.parametrize("accuracy", [0.55, 0.6, 0.7, 0.8, 0.85])
@pytest.mark.parametrize("goal", [0.05, 0.1])
@pytest.mark.parametrize("two_sided", [False, True])
def test_newton_and_bisection_agree(accuracy, goal, two_sided):
    problem = first_step(Potential(goal, 0.0, 0.1, two_sided), accuracy, n=20)
    step = problem.solve()
    assert step[1] < 1
    np.testing.assert_allclose(problem.bisect(), step, rtol=0, atol=1e-6)


def test_a_rule_good_enough_for_the_goal_ends_it_all():
    ds, dt = first_step(DEFAULT, 0.95, n=100).solve()
    assert dt == 1
    assert ds > 0


def test_weights_of_rows_are_repetitions():
    random = np.random.RandomState(0)
    m, u = random.normal(scale=0.3, size=12), np.repeat([1.0, -1.0], [9, 3])
    counts = random.randint(1, 4, 12)
    weighted = StepProblem(DEFAULT, m, u, counts / counts.sum(), 0.2).solve()
    n = counts.sum()
    repeated = StepProblem(
        DEFAULT, np.repeat(m, counts), np.repeat(u, counts), np.full(n, 1 / n), 0.2
    ).solve()
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=1e-9)
