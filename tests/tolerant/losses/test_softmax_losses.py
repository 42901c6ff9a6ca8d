import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from errata.tolerant import GeneralizedCrossEntropy, SymmetricCrossEntropy
from errata.tolerant.losses._losses import CrossEntropy
from strategies import seeds

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
def test_slopes_are_those_of_finite_differences(loss, seed, n_scores):
    random = np.random.RandomState(seed)
    scores, codes = 3 * random.normal(size=(6, n_scores)), random.randint(max(2, n_scores), size=6)
    check_slope(loss, scores, codes, rtol=1e-4, atol=1e-5)


def test_worked_values():
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
