import numpy as np
import pytest
from scipy.stats import binomtest, norm

from errata.audit_folder._components import of_mixture
from errata.review.inference._intervals import (
    at_least,
    at_most,
    clopper_pearson,
    wilson,
)


@pytest.mark.parametrize(("found", "n"), [(0, 5), (3, 7), (37, 41), (41, 41)])
def test_intervals_are_those_of_scipy(found, n):
    test = binomtest(found, n)
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        peer = test.proportion_ci(method=method)
        np.testing.assert_allclose(ours(found, n), (peer.low, peer.high), rtol=0, atol=1e-12)
    above = binomtest(found, n, alternative="less").proportion_ci(method="exact").high
    below = binomtest(found, n, alternative="greater").proportion_ci(method="exact").low
    assert at_most(found, n) == pytest.approx(above, abs=1e-12)
    assert at_least(found, n) == pytest.approx(below, abs=1e-12)


def test_nothing_counted_leaves_everything_open():
    assert wilson(0, 0) == (0.0, 1.0)
    assert clopper_pearson(0, 0) == (0.0, 1.0)


def test_quantiles_of_a_mixture_are_those_of_its_parts():
    one = of_mixture(np.ones(1), np.array([50.0]), np.array([25.0]), 1000, 0.9)
    np.testing.assert_allclose(one, norm(50, 5).interval(0.9), rtol=0, atol=1e-6)
    two = of_mixture(np.array([0.5, 0.5]), np.array([10.0, 90.0]), np.zeros(2), 1000, 0.9)
    np.testing.assert_allclose(two, (10, 90), rtol=0, atol=1e-4)
    near_zero = of_mixture(np.ones(1), np.array([1.0]), np.array([4.0]), 3, 0.9)
    np.testing.assert_allclose(near_zero, (0, 3), rtol=0, atol=1e-6)  # never beyond what there is
