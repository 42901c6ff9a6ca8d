import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from errata.sequence import SupervisedHMM
from sequence.hidden_chains import CENTRES, gaussian_chain, staying


def test_one_component_is_mean_and_covariance_of_each_class():
    X, y = gaussian_chain(500)
    model = SupervisedHMM(n_components=1, n_init=1, reg_covar=0, random_state=0).fit(X, y)
    for c in range(3):
        np.testing.assert_allclose(model.means_[c, 0], X[y == c].mean(axis=0), rtol=1e-10)
        expected = np.cov(X[y == c].T, bias=True)
        np.testing.assert_allclose(model.covariances_[c, 0], expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.startprob_, np.bincount(y) / 500, rtol=1e-14)


def test_transitions_are_counted_within_sequences():
    X, _ = gaussian_chain(8)
    y = [0, 0, 1, 1, 0, 1, 1, 0]
    model = SupervisedHMM(n_components=1, n_init=1, random_state=0)
    np.testing.assert_allclose(model.fit(X, y).transmat_, [[1 / 3, 2 / 3], [0.5, 0.5]], rtol=1e-14)
    apart = model.fit(X, y, [4, 4])
    np.testing.assert_allclose(apart.transmat_, [[1 / 3, 2 / 3], [1 / 3, 2 / 3]], rtol=1e-14)
    model.set_params(transmat_prior=1)
    np.testing.assert_allclose(model.fit(X, y).transmat_, [[0.4, 0.6], [0.5, 0.5]], rtol=1e-14)
    model.set_params(transmat_prior=0, startprob="first")
    np.testing.assert_array_equal(model.fit(X, y, [4, 4]).startprob_, [1, 0])
    without_first = model.fit(X, [-1, 0, 1, 1, -1, 1, 1, 0], [4, 4])
    np.testing.assert_allclose(without_first.startprob_, [1 / 3, 2 / 3], rtol=1e-14)


def test_each_mixture_is_that_of_scikit_learn():
    X, y = gaussian_chain(600, centres=np.vstack([CENTRES, CENTRES + 6]))
    y = y % 3  # two clouds for each class
    model = SupervisedHMM(n_components=2, n_init=5, tol=1e-9, reg_covar=0, random_state=0)
    model.fit(X, y)
    for c in range(3):
        theirs = GaussianMixture(2, reg_covar=0, tol=1e-10, n_init=3, random_state=0)
        theirs.fit(X[y == c])
        order, their_order = (np.argsort(m[:, 0]) for m in (model.means_[c], theirs.means_))
        np.testing.assert_allclose(
            model.means_[c, order], theirs.means_[their_order], rtol=0, atol=1e-3
        )


def test_the_log_likelihood_is_that_of_samples_and_labels():
    X, y = gaussian_chain(80)
    model = SupervisedHMM(n_components=1, n_init=1, random_state=0).fit(X, y, [30, 50])
    densities = [
        np.log(model.startprob_[y[[0, 30]]]).sum(),
        sum(np.log(model.transmat_[y[t - 1], y[t]]) for t in range(1, 80) if t != 30),
    ]
    densities += [
        multivariate_normal(model.means_[c, 0], model.covariances_[c, 0]).logpdf(X[y == c]).sum()
        for c in range(3)
    ]
    assert model.log_likelihood_ == pytest.approx(sum(densities), rel=1e-12)


def test_held_out_sequences_are_segmented():
    X, classes = gaussian_chain(2000)
    model = SupervisedHMM(n_components=1, random_state=0).fit(X[:1000], classes[:1000])
    assert np.mean(model.predict(X[1000:]) == classes[1000:]) > 0.95
    np.testing.assert_allclose(model.transmat_, staying(3, 0.9), rtol=0, atol=0.05)
    # Without knowing what comes before and after, a sample is harder to tell.
    alone = model.predict(X[1000:], np.ones(1000, dtype=int))
    assert np.mean(alone == classes[1000:]) < 0.95
