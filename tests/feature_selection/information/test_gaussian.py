import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from errata.feature_selection.information import _tables as module
from errata.feature_selection.information import sample_gaussian_features
from errata.feature_selection.information._bounds import compute_most_entropy


def by_quad(means, widths):
    """Entropy in bits and error by adaptive quadrature, cut at every class."""

    def densities(x):
        return norm.pdf(x, means, widths) / 3

    def entropy(x):
        joint = densities(x)
        kept = joint[joint > 0]
        return -(kept * np.log2(kept / joint.sum())).sum()

    ends = np.sort(np.concatenate([means + z * widths for z in (-9, -3, -1, 0, 1, 3, 9)]))
    parts = list(itertools.pairwise(ends))
    return (
        sum(quad(entropy, a, b)[0] for a, b in parts),
        1 - sum(quad(lambda x: densities(x).max(), a, b)[0] for a, b in parts),
    )


@pytest.mark.parametrize("separation", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("widths", [(1, 1, 1), (0.3, 1.2, 2.5), (2, 0.02, 0.8), (0.05, 3, 0.4)])
def test_entropy_and_error_are_those_of_adaptive_quadrature(separation, widths):
    means, widths = separation * np.array([-1, 0, 1.0]), np.array(widths, dtype=float)
    found = np.ravel(module.compute_gaussian_uncertainty(means, widths[None], 100))
    np.testing.assert_allclose(found, by_quad(means, widths), rtol=0, atol=5e-4)
    finer = np.ravel(module.compute_gaussian_uncertainty(means, widths[None], 1000))
    np.testing.assert_allclose(finer, by_quad(means, widths), rtol=0, atol=2e-5)


def test_one_distribution_for_all_classes_tells_nothing():
    entropy, error = module.compute_gaussian_uncertainty(np.zeros(3), np.ones((1, 3)), 10)
    assert entropy[0] == pytest.approx(np.log2(3), abs=1e-12)
    assert error[0] == pytest.approx(2 / 3, abs=1e-12)


# Means over 240 000 features (computed for this test, with another rule of integration).
@pytest.mark.parametrize(
    ("separation", "information", "error"),
    [(0.5, 0.4231, 0.3874), (2, 1.0429, 0.1587), (4, 1.4179, 0.0440)],
)
def test_features_are_as_hard_as_those_of_the_paper(separation, information, error):
    found = sample_gaussian_features(20_000, separation=separation, n_nodes=40, random_state=0)
    # Four standard errors of the mean of 40 000 features, whose spread is below 0.35 and 0.15.
    assert found.mutual_information.mean() == pytest.approx(information, abs=0.007)
    assert found.error.mean() == pytest.approx(error, abs=0.003)


@pytest.mark.parametrize("n_nodes", [2, 5, 100])
def test_bounds_hold_exactly_however_few_the_points_are(n_nodes):
    found = sample_gaussian_features(1000, n_nodes=n_nodes, random_state=0)
    assert np.all(found.conditional_entropy <= compute_most_entropy(found.error, 3) + 1e-12)
    assert np.all(found.error <= found.conditional_entropy / 2 + 1e-12)


def test_draws_repeat_and_do_not_depend_on_the_blocks(monkeypatch):
    whole = sample_gaussian_features(100, n_nodes=20, random_state=3)
    monkeypatch.setattr(module, "_BLOCK", 700)
    again = sample_gaussian_features(100, n_nodes=20, random_state=3)
    np.testing.assert_allclose(again, whole, rtol=0, atol=1e-12)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="separation=0 must be a finite number above 0"):
        sample_gaussian_features(10, separation=0)
    with pytest.raises(ValueError, match="n_nodes=1 must be a whole number at least 2"):
        sample_gaussian_features(10, n_nodes=1)
