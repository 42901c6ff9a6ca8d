import numpy as np
import pytest
from scipy.special import erf
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC

from errata.elm import (
    ELMSVC,
    ELMSVR,
    ELMFeatures,
    asymptotic_elm_kernel,
    elm_kernel,
    kernel_leave_one_out,
)


def moons(n=120):
    X, y = make_moons(n, noise=0.25, random_state=0)
    return scale(X), y


@pytest.mark.parametrize("C", [1, 100])
def test_both_solvers_agree_on_drawn_units(C):
    X, y = moons()
    gram = ELMSVC(kernel="finite", n_hidden=60, C=C, solver="gram", tol=1e-6, random_state=0)
    linear = clone(gram).set_params(solver="linear", tol=1e-4, max_iter=1_000_000)
    found = linear.fit(X, y).decision_function(X)
    expected = gram.fit(X, y).decision_function(X)
    assert np.all(np.sign(found) == np.sign(expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.02)


def test_drawn_units_stand_in_for_the_asymptotic_kernel():
    X, y = moons()
    exact = ELMSVC().fit(X, y)
    drawn = ELMSVC(solver="linear", n_hidden=3000, random_state=0).fit(X, y)
    assert (exact.solver_, drawn.solver_) == ("gram", "linear")
    assert np.mean(exact.predict(X) == drawn.predict(X)) >= 0.97
    difference = exact.decision_function(X) - drawn.decision_function(X)
    assert np.abs(difference).mean() < 0.1


@pytest.mark.parametrize(
    ("kernel", "n", "expected"),
    [
        ("asymptotic", 40, "gram"),
        ("asymptotic", 60, "gram"),
        ("finite", 40, "gram"),
        ("finite", 60, "linear"),
    ],
)
def test_the_solver_suits_the_number_of_rows(monkeypatch, kernel, n, expected):
    monkeypatch.setattr("errata.elm._svm.GRAM_ROWS", 50)
    X, y = moons(n)
    assert ELMSVC(kernel=kernel, random_state=0).fit(X, y).solver_ == expected
    assert ELMSVR(kernel=kernel, random_state=0).fit(X, X[:, 0]).solver_ == expected


@pytest.mark.parametrize(("C", "most"), [(0.1, 1000), (1, 1000), (2.5, 2500), (100, 4096)])
def test_drawn_units_are_solved_by_a_gram_matrix_up_to_a_size_that_grows_with_C(C, most):
    model = ELMSVC(kernel="finite", C=C)  # 4096 rows are what max_gram_bytes holds
    assert [model._choose_solver(n) for n in (most, most + 1)] == ["gram", "linear"]


def test_the_asymptotic_kernel_is_left_only_for_want_of_memory():
    model = ELMSVC()
    assert [model._choose_solver(n) for n in (1000, 4096)] == ["gram", "gram"]
    with pytest.warns(UserWarning, match=r"4097 rows are too many .* 1000 drawn units stand in"):
        assert model._choose_solver(4097) == "linear"


def test_a_gram_matrix_beyond_the_limit_is_refused():
    X, y = moons()
    with pytest.raises(
        ValueError, match="120 rows takes 115200 bytes, more than max_gram_bytes=99"
    ):
        ELMSVC(solver="gram", max_gram_bytes=99).fit(X, y)


def test_predictions_come_in_blocks():
    X, y = moons()
    whole = ELMSVC(C=10).fit(X, y)
    blocks = ELMSVC(C=10, max_gram_bytes=8 * 120 * 120).fit(X, y)
    many = np.tile(X, (3, 1))  # more rows than one Gram matrix may have
    np.testing.assert_allclose(
        blocks.decision_function(many), whole.decision_function(many), rtol=0, atol=1e-12
    )


def test_weights_are_numbers_of_copies_up_to_the_tolerance_of_the_solver():
    X, y = moons()
    copies = np.random.RandomState(0).randint(0, 4, size=120)
    for model, target in ((ELMSVC(tol=1e-10), y), (ELMSVR(tol=1e-10), X[:, 0] * X[:, 1])):
        weighted = clone(model).fit(X, target, sample_weight=copies)
        repeated = clone(model).fit(np.repeat(X, copies, axis=0), np.repeat(target, copies))
        method = "decision_function" if model.__class__ is ELMSVC else "predict"
        np.testing.assert_allclose(
            getattr(weighted, method)(X), getattr(repeated, method)(X), rtol=0, atol=1e-7
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rbf"}, "kernel='rbf' is not known; choose from asymptotic, finite"),
        ({"solver": "newton"}, "solver='newton' is not known; choose from auto, gram, linear"),
        ({"weight_scale": 0}, "weight_scale=0 must be a finite number above 0"),
        ({"C": -1}, "C=-1 must be a finite number above 0"),
        ({"C": "large"}, "C='large' must be a finite number above 0"),
        ({"max_gram_bytes": 0}, "max_gram_bytes=0 must be a whole number at least 1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = moons()
    with pytest.raises(ValueError, match=message):
        ELMSVC(**parameters).fit(X, y)


@pytest.mark.parametrize("model", [ELMSVC(tol=1e-14), ELMSVR(tol=1e-14)])
def test_the_solver_of_the_gram_matrix_has_a_limit_of_iterations(monkeypatch, model):
    # This tolerance is met after some hundred iterations; 1e-17 is below rounding and never is.
    X, y = moons()
    assert clone(model).fit(X, y).n_iter_ > 20
    monkeypatch.setattr("errata.elm._svm.GRAM_ITERATIONS", 20)
    with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=20\)"):
        model.fit(X, y)
    assert model.n_iter_ == 20


def test_gram_matrix_and_features_are_one_model():  # C9
    X, y = make_moons(120, noise=0.25, random_state=0)
    X = scale(X)
    features = ELMFeatures(n_hidden=40, random_state=0).fit(X)
    by_gram = SVC(kernel="precomputed", tol=1e-10).fit(elm_kernel(X, features=features), y)
    by_features = SVC(kernel="linear", tol=1e-10).fit(features.transform(X), y)
    X_new = X + 0.05
    np.testing.assert_allclose(
        by_gram.decision_function(elm_kernel(X_new, X, features=features)),
        by_features.decision_function(features.transform(X_new)),
        rtol=0,
        atol=1e-8,
    )
    ours = ELMSVC(kernel="finite", n_hidden=40, tol=1e-10, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X_new) * np.where(ours.classes_[1] == 1, 1, -1),
        by_features.decision_function(features.transform(X_new)),
        rtol=0,
        atol=1e-8,
    )


def test_three_named_classes():
    X, y = make_blobs(90, centers=3, random_state=0)
    names = np.array(["cat", "ant", "bee"])[y]
    for solver in ("gram", "linear"):
        model = ELMSVC(solver=solver, random_state=0).fit(scale(X), names)
        assert model.score(scale(X), names) > 0.9
        assert model.decision_function(scale(X)).shape == (90, 3)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="holds one class only"):
        ELMSVC().fit([[0.0], [1.0]], ["a", "a"])


def test_a_class_without_weight_is_refused():
    X, y = make_blobs(30, centers=3, random_state=0)
    with pytest.raises(ValueError, match="every row of the class 1 has a sample_weight of zero"):
        ELMSVC().fit(X, y, sample_weight=y != 1)


def test_both_solvers_agree_on_targets_far_from_zero():
    X = np.random.RandomState(0).normal(size=(120, 2))
    y = 1000 + np.sin(2 * X[:, 0])
    gram = ELMSVR(kernel="finite", n_hidden=60, C=10, solver="gram", tol=1e-6, random_state=0)
    linear = clone(gram).set_params(solver="linear", tol=1e-4, max_iter=1_000_000)
    np.testing.assert_allclose(
        linear.fit(X, y).predict(X), gram.fit(X, y).predict(X), rtol=0, atol=0.01
    )


@pytest.mark.parametrize(("C", "expected"), [(1.0, "linear"), (3.0, "gram")])
@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_the_unit_of_the_target_does_not_change_the_solver(monkeypatch, C, expected, unit):
    monkeypatch.setattr("errata.elm._svm.GRAM_ROWS", 40)
    X = np.random.RandomState(0).normal(size=(100, 2))
    y = unit * scale_to_one(np.sin(2 * X[:, 0]))
    model = ELMSVR(kernel="finite", n_hidden=20, C=C * unit, epsilon=0.1 * unit, random_state=0)
    assert model.fit(X, y).solver_ == expected


def test_a_constant_target_is_predicted():
    X = np.random.RandomState(0).normal(size=(20, 2))
    for solver in ("auto", "gram", "linear"):
        model = ELMSVR(kernel="finite", n_hidden=5, solver=solver, random_state=0)
        np.testing.assert_allclose(model.fit(X, np.full(20, 7.0)).predict(X), 7, rtol=0, atol=1e-9)


def scale_to_one(y):
    return y / y.std()


def sinc_error(weight_scale):
    """Best error over C on the sinc function, the protocol of check U1."""
    random = np.random.default_rng(0)
    x = random.uniform(-10, 10, size=(300, 1))
    y = np.sinc(x[:, 0] / np.pi) + random.normal(scale=0.1, size=300)
    grid = np.linspace(-10, 10, 500)[:, None]
    scaler = StandardScaler().fit(x)

    def error(C):
        model = ELMSVR(weight_scale=weight_scale, C=C, epsilon=0.1).fit(scaler.transform(x), y)
        truth = np.sinc(grid[:, 0] / np.pi)
        return np.sqrt(np.mean((model.predict(scaler.transform(grid)) - truth) ** 2))

    return min(error(C) for C in (1, 10, 100, 1000))


@pytest.mark.parametrize("weight_scale", [1, 10, 100])
def test_the_scale_does_not_matter_on_sinc_once_large_enough(weight_scale):  # U1
    assert sinc_error(weight_scale) <= 0.03


def test_too_small_a_scale_cannot_follow_sinc():  # U1
    assert sinc_error(0.1) > 0.15


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
    monkeypatch.setattr("errata.elm._svm.BLOCK", block)
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
