import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from errata.tolerant import RampLoss, SavageLoss, SigmoidLoss, TangentLoss
from errata.tolerant.losses._losses import LogisticLoss, SquaredHinge, find_sides
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
