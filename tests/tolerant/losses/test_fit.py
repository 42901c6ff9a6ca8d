import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.datasets import make_blobs

from errata.noise import flip_labels
from errata.tolerant import RampLoss
from errata.tolerant.losses._classifiers import (
    LOSSES,
    WeightedRows,
    compute_gradient,
    compute_objective,
    descend,
    fit_scores,
)
from errata.tolerant.losses._losses import SquaredHinge

SETTINGS = {"max_iter": 500, "tol": 1e-8}
each = pytest.mark.parametrize("name", LOSSES)


def noisy(n_classes=3, rate=0.2, n=150):
    X, y = make_blobs(n, centers=n_classes, cluster_std=2, random_state=1)
    labels, _ = flip_labels(y, rate, random_state=0)
    weights = np.random.RandomState(0).uniform(0.5, 2, (n, 1))
    return WeightedRows((X - X.mean(axis=0)) / X.std(), labels, weights, np.array([0.5, 2.0]))


# The ramp has no gradient at its cap, and is fitted as the squared hinge.
@pytest.mark.parametrize("name", sorted({*LOSSES} - {"ramp"}))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_is_that_of_finite_differences(name, n_classes):
    rows, loss = noisy(n_classes), LOSSES[name]()
    beta = np.random.RandomState(1).normal(size=(1 if n_classes == 2 else n_classes, 3))
    expected = approx_fprime(
        beta.ravel(), lambda theta: compute_objective(loss, rows, theta.reshape(beta.shape)), 1e-7
    )
    found = compute_gradient(loss, rows, beta).ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


@each
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_objective_never_rises(name, n_classes):
    rows, loss = noisy(n_classes), LOSSES[name]()
    found = fit_scores(loss, rows, 1 if n_classes == 2 else n_classes, **SETTINGS)
    assert found.converged
    assert (np.diff(found.objective) <= 1e-9 * np.abs(found.objective[:-1])).all()
    assert found.objective[-1] < found.objective[0]  # the convex fit was not its minimum
    assert compute_objective(loss, rows, found.beta) == pytest.approx(found.objective[-1], rel=1e-9)


def test_a_ramp_without_a_cap_is_the_squared_hinge():
    rows = noisy()
    ramp = fit_scores(RampLoss(np.inf), rows, 3, **SETTINGS).beta
    hinge = descend(SquaredHinge(), rows, np.zeros((3, 3)), **SETTINGS).beta
    np.testing.assert_allclose(ramp, hinge, rtol=0, atol=1e-5)


def test_a_ramp_ends_as_the_squared_hinge_of_the_rows_below_the_cap():
    rows = noisy(2)
    found = fit_scores(RampLoss(), rows, 1, **SETTINGS).beta
    counted = RampLoss().counts(rows.Z @ found[:, 1:].T + found[:, 0], rows.codes)
    assert 0 < counted.mean() < 1
    alone = rows._replace(weights=rows.weights * counted)
    np.testing.assert_allclose(
        descend(SquaredHinge(), alone, np.zeros((1, 3)), **SETTINGS).beta, found, rtol=0, atol=1e-5
    )


def test_too_few_steps_are_told():
    for name in ("ramp", "savage"):
        assert not fit_scores(LOSSES[name](), noisy(), 3, max_iter=1, tol=1e-8).converged


@each
def test_the_descent_starts_from_the_convex_relative(name):
    rows, loss = noisy(), LOSSES[name]()
    convex = descend(loss.convex, rows, np.zeros((3, 3)), **SETTINGS).beta
    found = fit_scores(loss, rows, 3, **SETTINGS)
    assert found.objective[0] == pytest.approx(compute_objective(loss, rows, convex), rel=1e-9)
