import numpy as np
import pytest
from scipy.stats import multivariate_normal

from errata.tolerant.hidden_class._discriminant import compute_log_density, fit_gaussians


def some_rows(seed=0, n=60, d=3):
    random = np.random.default_rng(seed)
    return random.normal(size=(n, d)) + np.array([5, -3, 100]), random.dirichlet(np.ones(2), n)


@pytest.mark.parametrize("covariance", ["shared", "full", "diag"])
def test_gaussians_are_those_of_the_definition(covariance):
    X, counts = some_rows()
    found = fit_gaussians(X, counts, covariance=covariance, shrinkage=0.0)
    each = [np.cov(X.T, aweights=w, ddof=0) for w in counts.T]
    shared = sum(S * w.sum() for S, w in zip(each, counts.T, strict=True)) / counts.sum()
    wanted = {"full": each, "shared": [shared], "diag": [np.diag(np.diag(shared))]}[covariance]
    np.testing.assert_allclose(
        found.roots @ found.roots.swapaxes(1, 2), wanted, rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(found.prior, counts.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.means[0], np.average(X, axis=0, weights=counts[:, 0]))


@pytest.mark.parametrize("covariance", ["shared", "full", "diag"])
def test_densities_are_those_of_scipy(covariance):
    X, counts = some_rows()
    found = fit_gaussians(X, counts, covariance=covariance, shrinkage=0.1)
    density = compute_log_density(X, found)
    for c in range(2):
        root = found.roots[c % len(found.roots)]
        peer = multivariate_normal(found.means[c], root @ root.T).logpdf(X)
        np.testing.assert_allclose(density[:, c], np.log(found.prior[c]) + peer, rtol=1e-9)


def test_shrinkage_keeps_the_total_variance_and_ends_at_a_ball():
    X, counts = some_rows()
    roots = [
        fit_gaussians(X, counts, covariance="shared", shrinkage=s).roots[0] for s in (0, 0.5, 1)
    ]
    total = [np.trace(root @ root.T) for root in roots]
    np.testing.assert_allclose(total, total[0], rtol=1e-9)
    np.testing.assert_allclose(roots[2], roots[2][0, 0] * np.eye(3), atol=1e-12)


@pytest.mark.parametrize("column", [0.0, 7.0])
def test_a_constant_column_needs_shrinkage(column):
    X, counts = some_rows()
    X[:, 1] = column
    with pytest.raises(ValueError, match=r"covariance within classes is singular.*raise shrinkage"):
        fit_gaussians(X, counts, covariance="shared", shrinkage=0.0)
    assert np.isfinite(fit_gaussians(X, counts, covariance="shared", shrinkage=0.01).roots).all()


def test_columns_that_do_not_vary_at_all_are_refused():
    X, counts = np.ones((60, 3)), some_rows()[1]
    with pytest.raises(ValueError, match="covariance within classes is singular"):
        fit_gaussians(X, counts, covariance="shared", shrinkage=0.1)
