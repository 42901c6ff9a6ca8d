import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from sklearn.metrics.pairwise import rbf_kernel

from errata.datasets import make_xor
from errata.projections import KernelDiscriminantProjection


def textbook(X, y, gamma, alpha):
    """Kernel Fisher discriminants of two classes by the n x n kernel matrix."""
    K = rbf_kernel(X, gamma=gamma)
    n = len(y)
    between, within = np.zeros((2, n, n))
    for c in (0, 1):
        K_c = K[:, y == c]
        fraction = K_c.shape[1] / n
        mean = K_c.mean(axis=1)
        between += fraction * np.outer(mean - K.mean(axis=1), mean - K.mean(axis=1))
        centred = K_c - mean[:, None]
        within += centred @ centred.T / n
    _, vectors = eigh(between, within + alpha * K + 1e-12 * np.eye(n))
    projected = (K - K.mean(axis=1)) @ vectors[:, -1]
    return projected - projected.mean()


def test_with_every_row_a_landmark_it_is_the_textbook_method():
    X, y = make_xor(40, random_state=0)
    model = KernelDiscriminantProjection(gamma=0.5, n_landmarks=40, alpha=1e-2, random_state=0)
    ours = model.fit_transform(X, y)[:, 0]
    expected = textbook(X, y, 0.5, 1e-2)
    assert abs(np.corrcoef(ours, expected)[0, 1]) == pytest.approx(1, abs=1e-6)


def test_one_direction_fewer_than_classes_and_no_more_landmarks_than_asked():
    X = np.random.RandomState(0).normal(size=(60, 3))
    model = KernelDiscriminantProjection(5, n_landmarks=10, random_state=0)
    assert model.fit_transform(X, np.arange(60) % 4).shape == (60, 3)
    assert model.components_.shape == (3, 10)


def test_gamma_follows_from_the_median_distance():
    model = KernelDiscriminantProjection().fit([[0.0], [1.0], [4.0]], [0, 1, 1])
    assert model.gamma_ == 1 / (2 * 3**2)
    assert KernelDiscriminantProjection().fit(np.ones((3, 1)), [0, 1, 1]).gamma_ == 1 / 2


def test_many_rows_are_projected_as_the_few_they_repeat():
    X, y = make_xor(40, random_state=0)
    few = KernelDiscriminantProjection(gamma=0.5, n_landmarks=40, random_state=0).fit(X, y)
    Z = few.transform(np.tile(X, (2, 1)))
    assert_allclose(Z[:40], Z[40:], atol=1e-9)


@pytest.mark.parametrize("parameter", ["gamma", "alpha", "n_landmarks"])
def test_negative_parameters_are_refused(parameter):
    with pytest.raises(ValueError, match=f"{parameter}=-1 must be"):
        KernelDiscriminantProjection(**{parameter: -1}).fit([[0.0], [1.0]], [0, 1])


def test_gamma_zero_is_refused():
    with pytest.raises(ValueError, match="gamma=0 must be a finite number above 0"):
        KernelDiscriminantProjection(gamma=0).fit([[0.0], [1.0]], [0, 1])
