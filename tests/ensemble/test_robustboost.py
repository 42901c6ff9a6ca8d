import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.dummy import DummyClassifier

from ensemble.long_servedio import clean_error, long_servedio
from errata.datasets import make_twonorm
from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RobustBoostClassifier,
)
from errata.ensemble.boosting._base import predict_codes
from errata.ensemble.boosting._robustboost import Potential, StepProblem
from errata.noise import flip_labels
from strategies import seeds

both = pytest.mark.parametrize("potential", ["one_sided", "two_sided"])


def noisy_twonorm(seed, n=200, noise=0.1):
    X, y = make_twonorm(n, random_state=seed)
    return X, flip_labels(y, noise, random_state=seed)[0]


def history(model, X, y):
    """Times, margins and agreement with each term, gone through again from the final model."""
    times = model._times[0]
    agreement = [
        np.where(predict_codes(term.estimator, X) == y, 1.0, -1.0) for term in model._terms
    ]
    shrunk = [term.values[1, 0] for term in model._terms]
    lengths = np.array(shrunk) * np.exp(times[-1] - times[1:])
    margins = [np.zeros(len(y))]
    for dt, ds, u in zip(np.diff(times), lengths, agreement, strict=True):
        margins.append(margins[-1] * np.exp(-dt) + ds * u)
    return times, margins, agreement


@both
@pytest.mark.parametrize("seed", range(4))
def test_every_round_uses_up_its_rule_and_keeps_the_mean_potential(potential, seed):
    X, y = noisy_twonorm(seed)
    model = RobustBoostClassifier(potential=potential, error_goal=0.15).fit(X, y)
    phi = Potential(0.15, 0.0, 0.1, potential == "two_sided")
    times, margins, agreement = history(model, X, y)
    assert model.n_estimators_ > 2
    assert np.all(np.diff(times) > 0)
    distances = [phi.distance(m, t) for m, t in zip(margins, times, strict=True)]
    means = [phi.phi(a).mean() for a in distances]
    np.testing.assert_allclose(means[:-1], 0.15, rtol=0, atol=1e-6)
    assert means[-1] <= 0.15 + 1e-6
    for a, u in zip(distances[1:-1], agreement, strict=False):
        w = phi.weight(a)
        assert abs(w @ u) / w.sum() < 1e-6
    np.testing.assert_allclose(
        margins[-1], np.where(y == 1, 1, -1) * model.decision_function(X), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("max_margin", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_when_time_runs_out_the_goal_is_met(max_margin, seed):
    X, y = noisy_twonorm(seed)
    model = RobustBoostClassifier(error_goal=0.15, max_margin=max_margin).fit(X, y)
    assert model.converged_
    assert model.t_ == pytest.approx(1, abs=1e-3)
    behind = np.where(y == 1, 1, -1) * model.decision_function(X) <= max_margin
    assert behind.mean() <= 0.15 + 1e-6


def test_too_few_rounds_do_not_converge():
    X, y = noisy_twonorm(0)
    model = RobustBoostClassifier(n_estimators=2).fit(X, y)
    assert not model.converged_
    assert 0 < model.t_ < 1
    assert model.n_estimators_ == 2
    assert model.rho_ == pytest.approx(0.8604054, abs=1e-6)


def test_clean_rows_are_left_with_the_error_that_was_asked_for():
    # Recorded for this goal: five rounds and a test error of 17 % on clean twonorm, which AdaBoost
    # learns to 6 %.
    rounds, errors = [], []
    for seed in range(6):
        X, y = make_twonorm(1200, random_state=seed)
        model = RobustBoostClassifier().fit(X[:180], y[:180])
        rounds.append(model.n_estimators_)
        errors.append(1 - model.score(X[180:], y[180:]))
    assert np.mean(rounds) < 10
    assert np.mean(errors) == pytest.approx(0.17, abs=0.03)


@both
def test_several_classes_are_boosted_one_against_the_rest(potential):
    random = np.random.RandomState(0)
    y = np.arange(120) % 3
    X = random.normal(size=(120, 3)) + 2 * np.eye(3)[y]
    model = RobustBoostClassifier(error_goal=0.2, potential=potential).fit(X, y)
    assert model.t_.shape == model.converged_.shape == (3,)
    for k in range(3):
        alone = RobustBoostClassifier(error_goal=0.2, potential=potential).fit(X, y == k)
        np.testing.assert_allclose(
            model.decision_function(X)[:, k], alone.decision_function(X), rtol=0, atol=1e-9
        )
        assert model.t_[k] == alone.t_
    weights = np.array(list(model.staged_data_weights(X, y)))
    assert len(weights) == model.n_estimators_
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("max_depth", [1, 2])
def test_a_class_that_no_rule_tells_apart_gets_a_constant(max_depth):
    # Half of the rows belong to the first class, and nothing tells them from the others.
    X, y = np.zeros((8, 1)), np.repeat([0, 1, 2], [4, 2, 2])
    model = RobustBoostClassifier(max_depth=max_depth, n_estimators=3).fit(X, y)
    assert set(model.predict(X)) == {0}
    assert np.isfinite(list(model.staged_data_weights(X, y))).all()


def test_rows_that_cannot_be_told_apart_get_a_constant():
    model = RobustBoostClassifier().fit(np.zeros((4, 1)), [0, 0, 1, 1])
    assert model.n_estimators_ == 1
    assert not model.converged_


def test_where_no_rule_helps_the_heavier_class_is_the_constant():
    # The base estimator insists on the more frequent class, against most of the weight.
    X, y, weights = np.zeros((5, 1)), [0, 0, 0, 1, 1], [1, 1, 1, 5, 5]
    stubborn = DummyClassifier(strategy="constant", constant=0)
    model = RobustBoostClassifier(stubborn).fit(X, y, sample_weight=weights)
    assert set(model.predict(X)) == {1}


def test_the_sum_of_the_features_solves_the_rows_of_long_and_servedio():
    X, y = long_servedio(500, 0)
    assert set(np.unique(X)) == {-1, 1}
    np.testing.assert_array_equal(np.sign(X.sum(axis=1)), y)


@pytest.mark.parametrize(
    "convex",
    [
        DiscreteAdaBoostClassifier(),
        GentleBoostClassifier(),
        LogitBoostClassifier(z_max=1e6),  # uncut: the logistic loss itself
    ],
    ids=lambda model: type(model).__name__,
)
def test_convex_boosters_fail_where_long_and_servedio_say(convex):
    errors = [clean_error(convex, seed) for seed in range(3)]
    assert min(errors) > 0.2


def test_robustboost_learns_what_convex_boosters_cannot():
    assert clean_error(RobustBoostClassifier(error_goal=0.2, margin_sigma=1.0), 0) < 0.02


def test_a_goal_too_near_to_the_noise_gets_stuck():
    # Early on the potential is as convex as any other; with a goal of 0.14 for 10 % of noise, time
    # comes to a halt before a row is let go.
    model = RobustBoostClassifier(error_goal=0.14)
    assert clean_error(model, 0) > 0.2
    assert not model.converged_
    assert model.n_estimators_ < 300


def test_cut_steps_let_logitboost_learn_it_too():
    # Beyond z_max, weight times step vanishes for rows that are far on the wrong side.
    assert max(clean_error(LogitBoostClassifier(), seed) for seed in range(3)) < 0.02


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number at least 1"),
        ({"error_goal": 1.0}, "error_goal=1.0 must be a number between 1e-06 and 0.999"),
        ({"error_goal": 0.6, "potential": "two_sided"}, "error_goal=0.6 must be a number between"),
        ({"max_margin": -1}, "max_margin=-1 must be a number between 0 and 100"),
        ({"margin_sigma": 0}, "margin_sigma=0 must be a number between"),
        ({"potential": "round"}, "potential='round' is not known; choose from one_sided, two_sid"),
        ({"criterion": "entropy"}, "criterion='entropy' is not known"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        RobustBoostClassifier(**parameters).fit([[0], [1], [2]], [0, 1, 0])


DEFAULT = Potential(error_goal=0.1, theta=0.0, sigma_final=0.1)

TWO_SIDED = Potential(error_goal=0.1, theta=0.0, sigma_final=0.1, two_sided=True)

both_sides = pytest.mark.parametrize(
    "potential", [DEFAULT, TWO_SIDED], ids=["one-sided", "two-sided"]
)

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


@both_sides
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
