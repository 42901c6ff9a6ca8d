from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning

from errata.tolerant.hidden_class._logistic import (
    LinearTask,
    compute_label_loss,
    compute_unbiased_loss,
    compute_value_and_gradient,
    invert_transition,
    minimise,
)
from strategies import seeds
from tolerant.gaussian_classes import EM8

T = np.array([[0.9, 0.1], [0.2, 0.8]])


def test_value_and_gradient_by_hand():
    X, y = EM8
    task = LinearTask(X, np.ones(8), 2, 1.0, True)
    loss = partial(compute_label_loss, transition=T, codes=y)
    value, gradient = compute_value_and_gradient(task, loss, np.array([[-0.2, 0.5]]))
    assert value == pytest.approx(4.717104, abs=1e-6)
    np.testing.assert_allclose(gradient, [[-0.444706, -0.630599]], atol=1e-6)


@given(seeds, st.integers(2, 4), st.booleans(), st.booleans())
def test_the_gradient_is_that_of_the_value(seed, n_classes, fit_intercept, backward):
    random = np.random.default_rng(seed)
    task = LinearTask(
        random.normal(size=(12, 2)), random.uniform(0, 2, 12), n_classes, 0.7, fit_intercept
    )
    codes = random.integers(0, n_classes, 12)
    transition = 0.7 * np.eye(n_classes) + 0.3 * random.dirichlet(np.ones(n_classes), n_classes)
    loss = partial(compute_label_loss, transition=transition, codes=codes)
    if backward:
        loss = partial(compute_unbiased_loss, targets=invert_transition(transition)[codes])
    beta = random.normal(size=task.start().shape)
    _, gradient = compute_value_and_gradient(task, loss, beta)
    slope = approx_fprime(
        beta.ravel(),
        lambda b: compute_value_and_gradient(task, loss, b.reshape(beta.shape))[0],
        1e-6,
    ).reshape(beta.shape)
    if not fit_intercept:
        slope[:, 0] = 0
    np.testing.assert_allclose(gradient, slope, rtol=1e-3, atol=1e-4)


def test_too_few_steps_are_reported():
    X, y = EM8
    task = LinearTask(X, np.ones(8), 2, 1.0, True)
    loss = partial(compute_label_loss, transition=T, codes=y)
    with pytest.warns(ConvergenceWarning, match="had not settled after 2 steps; scale the feat"):
        minimise(task, loss, task.start(), max_iter=2)
