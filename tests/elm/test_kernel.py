import numpy as np
import pytest
from scipy.special import erf
from scipy.stats import ortho_group
from sklearn.svm import SVC

from errata.elm import ELMFeatures, asymptotic_elm_kernel, elm_kernel, kernel_leave_one_out
from errata.elm import _kernel as module

X = np.random.RandomState(0).normal(size=(25, 3))


def k(x, z, weight_scale, *, normalize=False):
    return asymptotic_elm_kernel([x], [z], weight_scale=weight_scale, normalize=normalize)[0, 0]


# C1. The formula (equation 15 of the 2011 paper, 16 where normalised), worked out in the
# specification of this room to fifteen digits and checked there by quadrature.
@pytest.mark.parametrize(
    ("x", "z", "weight_scale", "expected", "normalised"),
    [
        ((1, 2), (0.5, -1), 0.1, -0.0058846298582196, -0.135933008078613),
        ((1, 2), (0.5, -1), 1, -0.0754648434426857, -0.111666376102833),
        ((1, 2), (0.5, -1), 10, -0.0867692446995814, -0.089844289150744),
        ((1, 0), (0, 1), 1, 0.261979760868909, None),  # 2/pi arcsin 0.4
        ((0, 0), (0, 0), 1, 0.464559054397540, None),  # 2/pi arcsin 2/3
        ((1, 0), (1, 0), 1, 0.590334470601733, None),  # 2/pi arcsin 0.8
    ],
)
def test_golden_values(x, z, weight_scale, expected, normalised):
    assert k(x, z, weight_scale) == pytest.approx(expected, rel=0, abs=1e-14)
    if normalised is not None:
        assert k(x, z, weight_scale, normalize=True) == pytest.approx(normalised, rel=0, abs=1e-14)


def average_products(A, B, m, random):
    """Mean and spread over drawn erf units of the products of their activations at A and B."""
    V, c = random.normal(size=(A.shape[1], m)), random.normal(size=m)
    products = erf(A @ V + c) * erf(B @ V + c)
    return products.mean(axis=1), products.std(axis=1)


def test_many_drawn_units_approach_the_asymptotic_kernel():  # C2
    random = np.random.default_rng(0)
    A, B = random.normal(size=(2, 20, 3))
    exact = np.array([k(a, b, 1.0) for a, b in zip(A, B, strict=True)])
    means, spreads = zip(
        *(average_products(A, B, 100_000, random) for _ in range(10)), strict=True
    )  # ten times 1e5 units, to hold less at once
    error = np.abs(np.mean(means, axis=0) - exact)
    assert np.all(error <= 5 * np.mean(spreads, axis=0) / np.sqrt(1e6))


def test_the_error_of_drawn_units_falls_as_one_over_the_root_of_their_number():  # C2
    random = np.random.default_rng(1)
    A, B = random.normal(size=(2, 20, 3))
    exact = np.array([k(a, b, 1.0) for a, b in zip(A, B, strict=True)])
    sizes = np.array([1000, 10_000, 100_000])
    errors = [
        np.sqrt(np.mean([(average_products(A, B, m, random)[0] - exact) ** 2 for _ in range(8)]))
        for m in sizes
    ]
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.15)


def extended(X):
    return np.column_stack([np.ones(len(X)), X])


def cosine(X):
    unit = extended(X) / np.linalg.norm(extended(X), axis=1, keepdims=True)
    return np.clip(unit @ unit.T, -1, 1)


@pytest.mark.parametrize("weight_scale", [1e-4, 1e-160, 1e-300])
def test_small_weights_give_the_cosine(weight_scale):  # C3
    np.testing.assert_allclose(
        asymptotic_elm_kernel(X, weight_scale=weight_scale), cosine(X), rtol=0, atol=1e-10
    )


def test_infinite_weights_leave_the_angle():  # C3
    found = asymptotic_elm_kernel(X, weight_scale=np.inf, normalize=False)
    expected = 1 - 2 * np.arccos(cosine(X)) / np.pi
    off_diagonal = ~np.eye(25, dtype=bool)
    np.testing.assert_allclose(found[off_diagonal], expected[off_diagonal], rtol=0, atol=1e-7)
    np.testing.assert_array_equal(np.diag(found), 1)


@pytest.mark.parametrize("weight_scale", [1e-3, 0.1, 1, 10, 1e3, np.inf])
def test_a_gram_matrix_is_symmetric_positive_and_one_on_the_diagonal(weight_scale):  # C3
    K = asymptotic_elm_kernel(X, weight_scale=weight_scale)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diag(K), 1)
    assert np.linalg.eigvalsh(K)[0] >= -1e-10 * 25


@pytest.mark.parametrize("weight_scale", [0.1, 1, 100])
def test_rotations_do_not_matter(weight_scale):  # C3
    rotation = ortho_group.rvs(3, random_state=0)
    np.testing.assert_allclose(
        asymptotic_elm_kernel(X @ rotation, weight_scale=weight_scale),
        asymptotic_elm_kernel(X, weight_scale=weight_scale),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("block", [1, 4, 24, 25])
def test_blocks_do_not_matter(monkeypatch, block):  # C3
    features = ELMFeatures(n_hidden=50, random_state=0).fit(X)
    expected = asymptotic_elm_kernel(X), elm_kernel(X, features=features)
    monkeypatch.setattr(module, "BLOCK", block)
    found = asymptotic_elm_kernel(X), elm_kernel(X, features=features)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


def test_a_gram_matrix_is_the_kernel_between_its_rows():
    off_diagonal = ~np.eye(25, dtype=bool)
    for normalize in (True, False):
        K = asymptotic_elm_kernel(X, normalize=normalize)
        between = asymptotic_elm_kernel(X, X.copy(), normalize=normalize)
        np.testing.assert_allclose(K[off_diagonal], between[off_diagonal], rtol=0, atol=1e-14)
        np.testing.assert_allclose(K, between, rtol=0, atol=1e-7)


def test_the_finite_kernel_is_the_product_of_features():
    features = ELMFeatures(n_hidden=50, random_state=0).fit(X)
    phi = features.transform(X)
    np.testing.assert_allclose(elm_kernel(X, features=features), phi @ phi.T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        elm_kernel(X[:4], X[4:], features=features), phi[:4] @ phi[4:].T, rtol=0, atol=1e-14
    )


def test_scikit_learn_takes_it_as_a_kernel():
    y = X[:, 0] * X[:, 1] > 0
    called = SVC(kernel=asymptotic_elm_kernel).fit(X, y)
    given = SVC(kernel="precomputed").fit(asymptotic_elm_kernel(X), y)
    np.testing.assert_allclose(
        called.decision_function(X + 0.1),
        given.decision_function(asymptotic_elm_kernel(X + 0.1, X)),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("q", [None, 2])
def test_kernel_leave_one_out_equals_refitting(q):  # C9
    K = asymptotic_elm_kernel(X)
    y = X[:, 0] ** 2 if q is None else np.column_stack([X[:, 0] ** 2, X[:, 1]])
    found = kernel_leave_one_out(K, y, alpha=0.05)
    for i in range(25):
        rest = np.delete(np.arange(25), i)
        bordered = np.ones((25, 25))
        bordered[0, 0] = 0
        bordered[1:, 1:] = K[np.ix_(rest, rest)] + 0.05 * np.eye(24)
        zero = np.zeros((1, *y.shape[1:]))
        solution = np.linalg.solve(bordered, np.concatenate([zero, y[rest]]))
        expected = solution[0] + K[i, rest] @ solution[1:]
        np.testing.assert_allclose(found[i], expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("weight_scale", [0, -1, np.nan, "scale", True])
def test_bad_spreads_are_refused(weight_scale):
    with pytest.raises(ValueError, match="must be a finite number above 0, or infinity"):
        asymptotic_elm_kernel(X, weight_scale=weight_scale)


def test_other_bad_input_is_named():
    with pytest.raises(ValueError, match="X has 3 features but Z has 2"):
        asymptotic_elm_kernel(X, X[:, :2])
    with pytest.raises(ValueError, match="Input Z contains NaN"):
        asymptotic_elm_kernel(X, np.full((2, 3), np.nan))
    with pytest.raises(ValueError, match="alpha=0 must be positive"):
        kernel_leave_one_out(np.eye(3), [1, 2, 3], alpha=0)
    for alpha in (np.inf, np.nan, "press", None, -1):
        with pytest.raises(ValueError, match="must be a number of at least 0"):
            kernel_leave_one_out(np.eye(3), [1, 2, 3], alpha=alpha)
    with pytest.raises(ValueError, match="not the Gram matrix of a kernel"):
        kernel_leave_one_out(-np.eye(3), [1, 2, 3], alpha=0.5)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        kernel_leave_one_out([[1.0]], [1.0], alpha=1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kernel_leave_one_out(np.ones((3, 2)), [1, 2, 3], alpha=1)


def test_the_gram_matrix_of_drawn_units_is_exactly_symmetric():
    X = np.random.RandomState(0).normal(size=(130, 5))
    features = ELMFeatures(n_hidden=77, random_state=0).fit(X)
    K = elm_kernel(X, features=features)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, elm_kernel(X, X.copy(), features=features), rtol=0, atol=1e-14)
