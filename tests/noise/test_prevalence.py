import numpy as np
import pytest
from scipy.stats import beta, binom

from errata.noise import NoiseModel, sample_prevalence


def integrate(n_positive, n_rows, *priors, points=60):
    """Posterior means by a sum over a grid: the label is positive with pi s + (1 - pi)(1 - c)."""
    grid = (np.arange(points) + 0.5) / points
    pi, s, c = np.meshgrid(grid, grid, grid, indexing="ij")
    density = binom.pmf(n_positive, n_rows, pi * s + (1 - pi) * (1 - c))
    for rate, prior in zip((pi, s, c), priors, strict=True):
        density = density * beta.pdf(rate, *prior)
    return [float((rate * density).sum() / density.sum()) for rate in (pi, s, c)]


@pytest.mark.parametrize(
    ("n_positive", "priors"),
    [
        (20, ((1, 1), (9, 3), (12, 2))),
        (45, ((2, 3), (6, 4), (8, 3))),
        (0, ((1, 1), (9, 3), (12, 2))),
    ],
)
def test_means_are_those_of_the_integral(n_positive, priors):
    names = ("prevalence", "sensitivity", "specificity")
    draws = sample_prevalence(
        n_positive, 60, **dict(zip(names, priors, strict=True)), n_draws=20_000, random_state=0
    )
    # Draws depend on each other; over seeds the means scatter by some 0.004.
    expected = integrate(n_positive, 60, *priors)
    np.testing.assert_allclose(draws.mean(axis=0), expected, rtol=0, atol=0.02)


def test_sure_rates_leave_the_corrected_prior():
    draws = sample_prevalence(
        2400, 10_000, sensitivity=(9e6, 1e6), specificity=(8e6, 2e6), random_state=0
    )
    model = NoiseModel([[0.8, 0.2], [0.1, 0.9]])
    corrected = model.correct_prior([0.76, 0.24])[1]
    assert draws[:, 0].mean() == pytest.approx(corrected, abs=0.01)


def test_flat_priors_say_next_to_nothing():
    draws = sample_prevalence(300, 1000, random_state=0)
    low, high = np.quantile(draws[:, 0], [0.05, 0.95])
    assert high - low > 0.5


def test_draws_repeat_and_bad_input_gets_a_sentence():
    first, second = (sample_prevalence(3, 10, n_draws=5, random_state=1) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (5, 3)
    with pytest.raises(ValueError, match="two parameters of a Beta prior"):
        sample_prevalence(3, 10, sensitivity=0.9)
    with pytest.raises(ValueError, match="specificity"):
        sample_prevalence(3, 10, specificity=(0, 1))
    with pytest.raises(ValueError, match="n_positive"):
        sample_prevalence(11, 10)
