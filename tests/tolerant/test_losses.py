import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.datasets import make_blobs

from errata.noise import flip_labels
from errata.tolerant import (
    GeneralizedCrossEntropy,
    RampLoss,
    SavageLoss,
    SigmoidLoss,
    SymmetricCrossEntropy,
    TangentLoss,
)
from errata.tolerant.losses import (
    CrossEntropy,
    LogisticLoss,
    SquaredHinge,
    WeightedRows,
    descend,
    find_sides,
    fit_scores,
)
from strategies import seeds

SMOOTH = [LogisticLoss(), SquaredHinge(), SigmoidLoss(), SavageLoss(), TangentLoss()]


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: type(loss).__name__)
@given(seeds, st.sampled_from([1, 3, 5]))
def test_slopes_are_those_of_finite_differences(loss, seed, n_scores):
    random = np.random.RandomState(seed)
    scores, codes = 2 * random.normal(size=(6, n_scores)), random.randint(max(2, n_scores), size=6)

    def total(flat):
        return loss.value(flat.reshape(scores.shape), codes).sum()

    differences = approx_fprime(scores.ravel(), total, 1e-7)
    found = loss.slope(scores, codes).ravel()
    np.testing.assert_allclose(found, differences, rtol=1e-4, atol=1e-5)


def test_two_classes_have_one_side_and_more_have_one_each():
    codes = np.array([0, 1, 2])
    assert find_sides(np.zeros((2, 1)), codes[:2]).tolist() == [[-1], [1]]
    assert find_sides(np.zeros((3, 3)), codes).tolist() == (2 * np.eye(3) - 1).tolist()


def test_worked_values():
    v = np.array([3.0, 0.0, -1.0, -3.0])
    np.testing.assert_array_equal(SquaredHinge().phi(v), [0, 1, 4, 16])
    np.testing.assert_array_equal(RampLoss().phi(v), [0, 1, 4, 4])
    np.testing.assert_array_equal(RampLoss(np.inf).phi(v), SquaredHinge().phi(v))
    p = 1 / (1 + np.exp(v))
    np.testing.assert_allclose(SigmoidLoss().phi(v), p, rtol=1e-12, atol=0)
    np.testing.assert_allclose(SavageLoss().phi(v / 2), p**2, rtol=1e-12, atol=0)
    far = TangentLoss().phi(np.array([-1e9, 1e9]))
    np.testing.assert_allclose(far, [(np.pi + 1) ** 2, (np.pi - 1) ** 2], rtol=1e-6, atol=0)


@pytest.mark.parametrize("loss", [RampLoss(), SigmoidLoss(), SavageLoss(), TangentLoss()])
def test_they_are_bounded(loss):
    assert loss.phi(np.array([-1e12]))[0] <= 17.2


@pytest.mark.parametrize("loss", [SavageLoss(), TangentLoss()])
@pytest.mark.parametrize("p", [0.2, 0.6, 0.9])
def test_their_link_gives_the_probability_that_minimises_them(loss, p):
    # Proper losses: with probability p of the class, the best score is the one that stands for p.
    grid = np.linspace(-4, 4, 80_001)
    best = grid[np.argmin(p * loss.phi(grid) + (1 - p) * loss.phi(-grid))]
    assert loss.link(np.array([best]))[0] == pytest.approx(p, abs=1e-3)


def test_the_sigmoid_of_both_labels_sums_to_one():
    v = np.linspace(-5, 5, 11)
    np.testing.assert_allclose(SigmoidLoss().phi(v) + SigmoidLoss().phi(-v), 1, rtol=0, atol=1e-15)


@pytest.mark.parametrize("loss", [SigmoidLoss(), TangentLoss()])
def test_probabilities_sum_to_one_even_if_no_class_is_probable(loss):
    proba = loss.proba(np.array([[-1e4, -1e4, -1e4], [2.0, 0.0, -2.0]]))
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(proba[0], 1 / 3, rtol=0, atol=1e-12)
    assert (np.diff(proba[1]) < 0).all()
    np.testing.assert_allclose(loss.proba(np.zeros((1, 1))), [[0.5, 0.5]], rtol=0, atol=1e-15)


def test_rows_at_the_cap_do_not_count():
    scores = np.array([[-2.0], [-1.0], [0.0], [2.0]])
    assert RampLoss().counts(scores, np.ones(4, int))[:, 0].tolist() == [False, False, True, True]
    assert RampLoss(np.inf).counts(scores, np.ones(4, int)).all()


@pytest.mark.parametrize("cap", [0.5, "4", None])
def test_a_cap_spares_the_right_side(cap):
    with pytest.raises(ValueError, match=r"cap=.* must be a number between 1 and inf"):
        RampLoss(cap).check()


LOSSES = [
    CrossEntropy(),
    GeneralizedCrossEntropy(),
    GeneralizedCrossEntropy(1.0),
    SymmetricCrossEntropy(),
]


def check_slope(loss, scores, codes, **tolerance):
    """The slope of a loss is that of its value, by finite differences."""

    def total(flat):
        return loss.value(flat.reshape(scores.shape), codes).sum()

    found = loss.slope(scores, codes).ravel()
    np.testing.assert_allclose(found, approx_fprime(scores.ravel(), total, 1e-7), **tolerance)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
@given(seeds, st.sampled_from([1, 3, 5]))
def test_slopes_are_those_of_finite_differences_in_softmax_losses(loss, seed, n_scores):
    random = np.random.RandomState(seed)
    scores, codes = 3 * random.normal(size=(6, n_scores)), random.randint(max(2, n_scores), size=6)
    check_slope(loss, scores, codes, rtol=1e-4, atol=1e-5)


def test_worked_values_in_softmax_losses():
    log_p = np.log([0.9, 0.25])
    np.testing.assert_allclose(CrossEntropy().of(log_p), -log_p, rtol=1e-15, atol=0)
    half = GeneralizedCrossEntropy(0.5)
    np.testing.assert_allclose(half.of(log_p), [2 * (1 - np.sqrt(0.9)), 1.0], rtol=1e-12, atol=0)
    np.testing.assert_allclose(half.weight(log_p), [np.sqrt(0.9), 0.5], rtol=1e-12, atol=0)
    symmetric = SymmetricCrossEntropy(0.5, 2.0)
    expected = [-0.5 * log_p[0] + 0.8, -0.5 * log_p[1] + 6]
    np.testing.assert_allclose(symmetric.of(log_p), expected, rtol=1e-12, atol=0)
    np.testing.assert_allclose(symmetric.weight(log_p), [7.7, 2.5], rtol=1e-12, atol=0)


def test_the_generalised_loss_lies_between_cross_entropy_and_absolute_error():
    log_p = np.log(np.linspace(0.01, 1, 50))
    np.testing.assert_allclose(GeneralizedCrossEntropy(1e-8).of(log_p), -log_p, rtol=0, atol=1e-6)
    absolute = 1 - np.exp(log_p)
    np.testing.assert_allclose(GeneralizedCrossEntropy(1.0).of(log_p), absolute, rtol=0, atol=1e-15)
    assert GeneralizedCrossEntropy(0.5).of(np.array([-1e6])) == 2  # at most 1 / q


def test_the_losses_of_all_labels_sum_to_a_constant_at_q_one():
    # Symmetric, in the words of Ghosh et al.: what makes it indifferent to uniform noise.
    scores = np.random.RandomState(0).normal(size=(20, 4))
    total = sum(GeneralizedCrossEntropy(1.0).value(scores, np.full(20, k)) for k in range(4))
    np.testing.assert_allclose(total, 3, rtol=0, atol=1e-12)


def test_probabilities_are_the_softmax():
    np.testing.assert_allclose(
        CrossEntropy().proba(np.log([[3.0]])), [[0.25, 0.75]], rtol=0, atol=1e-15
    )
    np.testing.assert_allclose(
        CrossEntropy().proba(np.log([[1.0, 3.0, 4.0]])), [[1 / 8, 3 / 8, 0.5]], rtol=0, atol=1e-15
    )


@pytest.mark.parametrize("q", [0, 1.5, "0.7", None])
def test_q_is_above_zero_and_at_most_one(q):
    with pytest.raises(ValueError, match=r"q=.* must be a number between 1e-08 and 1"):
        GeneralizedCrossEntropy(q).check()


def test_factors_are_positive():
    with pytest.raises(ValueError, match="alpha=0 must be a finite number above 0"):
        SymmetricCrossEntropy(alpha=0).check()
    with pytest.raises(ValueError, match="beta=-1 must be a finite number above 0"):
        SymmetricCrossEntropy(beta=-1).check()


NAMED = {
    "generalized_cross_entropy": GeneralizedCrossEntropy,
    "symmetric_cross_entropy": SymmetricCrossEntropy,
    "ramp": RampLoss,
    "sigmoid": SigmoidLoss,
    "savage": SavageLoss,
    "tangent": TangentLoss,
}
SETTINGS = {"max_iter": 500, "tol": 1e-8}

each = pytest.mark.parametrize("name", NAMED)


def noisy(n_classes=3, rate=0.2, n=150):
    X, y = make_blobs(n, centers=n_classes, cluster_std=2, random_state=1)
    labels, _ = flip_labels(y, rate, random_state=0)
    weights = np.random.RandomState(0).uniform(0.5, 2, (n, 1))
    return WeightedRows((X - X.mean(axis=0)) / X.std(), labels, weights, np.array([0.5, 2.0]))


# The ramp has no gradient at its cap, and is fitted as the squared hinge.
@pytest.mark.parametrize("name", sorted({*NAMED} - {"ramp"}))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_is_that_of_finite_differences(name, n_classes):
    rows, loss = noisy(n_classes), NAMED[name]()
    beta = np.random.RandomState(1).normal(size=(1 if n_classes == 2 else n_classes, 3))
    expected = approx_fprime(
        beta.ravel(), lambda theta: rows.compute_objective(loss, theta.reshape(beta.shape)), 1e-7
    )
    found = rows.compute_gradient(loss, beta).ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


@each
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_objective_never_rises(name, n_classes):
    rows, loss = noisy(n_classes), NAMED[name]()
    n_scores = 1 if n_classes == 2 else n_classes
    beta, objective, converged = fit_scores(loss, rows, n_scores, **SETTINGS)
    assert converged
    assert (np.diff(objective) <= 1e-9 * np.abs(objective[:-1])).all()
    assert objective[-1] < objective[0]  # the convex fit was not its minimum
    assert rows.compute_objective(loss, beta) == pytest.approx(objective[-1], rel=1e-9)


def test_a_ramp_without_a_cap_is_the_squared_hinge():
    rows = noisy()
    ramp = fit_scores(RampLoss(np.inf), rows, 3, **SETTINGS)[0]
    hinge = descend(SquaredHinge(), rows, np.zeros((3, 3)), **SETTINGS)[0]
    np.testing.assert_allclose(ramp, hinge, rtol=0, atol=1e-5)


def test_a_ramp_ends_as_the_squared_hinge_of_the_rows_below_the_cap():
    rows = noisy(2)
    found = fit_scores(RampLoss(), rows, 1, **SETTINGS)[0]
    counted = RampLoss().counts(rows.Z @ found[:, 1:].T + found[:, 0], rows.codes)
    assert 0 < counted.mean() < 1
    alone = WeightedRows(rows.Z, rows.codes, rows.weights * counted, rows.penalty)
    np.testing.assert_allclose(
        descend(SquaredHinge(), alone, np.zeros((1, 3)), **SETTINGS)[0], found, rtol=0, atol=1e-5
    )


def test_too_few_steps_are_told():
    for name in ("ramp", "savage"):
        assert not fit_scores(NAMED[name](), noisy(), 3, max_iter=1, tol=1e-8)[2]


@each
def test_the_descent_starts_from_the_convex_relative(name):
    rows, loss = noisy(), NAMED[name]()
    convex = descend(loss.convex, rows, np.zeros((3, 3)), **SETTINGS)[0]
    _, objective, _ = fit_scores(loss, rows, 3, **SETTINGS)
    assert objective[0] == pytest.approx(rows.compute_objective(loss, convex), rel=1e-9)
