import numpy as np
import pytest
from scipy.special import erf

from errata.datasets import make_twonorm
from errata.ensemble import BrownBoostClassifier
from errata.noise import flip_labels


@pytest.mark.parametrize("seed", range(6))
def test_steps_solve_the_two_equations_of_the_paper(seed):
    X, y = make_twonorm(80, random_state=seed)
    labels, _ = flip_labels(y, 0.2, random_state=seed)
    goal = np.random.RandomState(seed).uniform(0.01, 0.2)
    model = BrownBoostClassifier(error_goal=goal, n_estimators=6).fit(X, labels)
    c = model.total_time_
    signs = np.where(labels == model.classes_[1], 1, -1)
    margins = [np.zeros(80), *(signs * each for each in model.staged_decision_function(X))]
    times = model._left[0]
    assert (np.diff(times) < 0).all()
    assert times[-1] > 0  # so that no step was cut short
    for before, after, left, less in zip(margins, margins[1:], times, times[1:], strict=False):
        moved = after + less
        # Tolerances: the length of a step comes from grids, which end at a millionth of √c.
        assert np.mean((after - before) * np.exp(-(moved**2) / c)) == pytest.approx(0, abs=1e-5)
        potential = erf((before + left) / np.sqrt(c)).mean()
        assert erf(moved / np.sqrt(c)).mean() == pytest.approx(potential, abs=1e-9)


def test_the_goal_is_the_potential_that_is_left_when_time_runs_out():
    X, y = make_twonorm(300, random_state=0)
    labels, _ = flip_labels(y, 0.1, random_state=0)
    model = BrownBoostClassifier(error_goal=0.3, n_estimators=200).fit(X, labels)
    assert model.time_left_ == 0
    assert model.total_time_ == pytest.approx(0.5371, abs=1e-4)  # erfinv(0.7) squared
    signs = np.where(labels == model.classes_[1], 1, -1)
    potential = 1 - erf(signs * model.decision_function(X) / np.sqrt(model.total_time_))
    # Kept step by step, and no more than kept by the last, which may have time to spare.
    assert potential.mean() <= 0.3 + 1e-6
    assert (model.predict(X) != labels).mean() <= 0.3


def test_weights_are_those_of_the_margins_and_the_time_left():
    X, y = make_twonorm(120, random_state=1)
    model = BrownBoostClassifier(n_estimators=5).fit(X, y)
    signs = np.where(y == model.classes_[1], 1, -1)
    weights = list(model.staged_data_weights(X, y))
    np.testing.assert_allclose(weights[0], 1 / 120, rtol=1e-12)
    margins = signs * next(model.staged_decision_function(X))
    expected = np.exp(-((margins + model._left[0][1]) ** 2) / model.total_time_)
    np.testing.assert_allclose(weights[1], expected / expected.sum(), rtol=1e-9)


def test_rows_far_on_the_wrong_side_are_given_up_when_little_time_is_left():
    for seed in range(3):
        X, y = make_twonorm(300, random_state=seed)
        labels, _ = flip_labels(y, 0.2, random_state=seed)
        model = BrownBoostClassifier(error_goal=0.3, n_estimators=200).fit(X, labels)
        *_, last = model.staged_data_weights(X, labels)
        *_, before, _ = model.staged_decision_function(X)
        signs = np.where(labels == model.classes_[1], 1, -1)
        behind = signs * before < -model._left[0][-2]
        # As far behind the goal as the other rows are ahead of it, or further: less weight, where
        # AdaBoost's would only grow.
        order = np.argsort(signs[behind] * before[behind])
        assert behind.sum() > 5
        assert np.all(np.diff(last[behind][order]) >= 0)


def test_several_classes_have_times_of_their_own():
    random = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 40)
    X = random.normal(size=(120, 2)) + 4 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    model = BrownBoostClassifier(n_estimators=20).fit(X, y)
    assert model.time_left_.shape == (3,)
    assert model.score(X, y) > 0.9


def test_a_bad_goal_gets_a_sentence():
    with pytest.raises(ValueError, match="error_goal"):
        BrownBoostClassifier(error_goal=0).fit([[0.0], [1.0]], [0, 1])
