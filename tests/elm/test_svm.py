import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC

from errata.elm import ELMSVC, ELMSVR, ELMFeatures, elm_kernel
from errata.elm import _svm as module


def moons(n=120):
    X, y = make_moons(n, noise=0.25, random_state=0)
    return scale(X), y


def test_gram_matrix_and_features_are_one_machine():  # C9
    X, y = moons()
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


@pytest.mark.parametrize("C", [1, 100])
def test_both_solvers_agree_on_drawn_units(C):
    X, y = moons()
    gram = ELMSVC(kernel="finite", n_hidden=60, C=C, solver="gram", tol=1e-6, random_state=0)
    linear = clone(gram).set_params(solver="linear", tol=1e-4, max_iter=1_000_000)
    found = linear.fit(X, y).decision_function(X)
    expected = gram.fit(X, y).decision_function(X)
    assert np.all(np.sign(found) == np.sign(expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.02)


def test_both_solvers_agree_on_targets_far_from_zero():
    X, _ = moons()
    y = 1000 + np.sin(2 * X[:, 0])
    gram = ELMSVR(kernel="finite", n_hidden=60, C=10, solver="gram", tol=1e-6, random_state=0)
    linear = clone(gram).set_params(solver="linear", tol=1e-4, max_iter=1_000_000)
    np.testing.assert_allclose(
        linear.fit(X, y).predict(X), gram.fit(X, y).predict(X), rtol=0, atol=0.01
    )


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
    monkeypatch.setattr(module, "GRAM_ROWS", 50)
    X, y = moons(n)
    assert ELMSVC(kernel=kernel, random_state=0).fit(X, y).solver_ == expected
    assert ELMSVR(kernel=kernel, random_state=0).fit(X, X[:, 0]).solver_ == expected


def test_the_published_sizes_decide():
    machine = ELMSVC(kernel="finite")
    assert [machine._choose_solver(n) for n in (1000, 1001)] == ["gram", "linear"]
    machine = ELMSVC()
    assert [machine._choose_solver(n) for n in (1000, 4096)] == ["gram", "gram"]
    with pytest.warns(UserWarning, match=r"4097 rows are too many .* 1000 drawn units stand in"):
        assert machine._choose_solver(4097) == "linear"


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
    for machine, target in ((ELMSVC(tol=1e-10), y), (ELMSVR(tol=1e-10), X[:, 0] * X[:, 1])):
        weighted = clone(machine).fit(X, target, sample_weight=copies)
        repeated = clone(machine).fit(np.repeat(X, copies, axis=0), np.repeat(target, copies))
        method = "decision_function" if machine.__class__ is ELMSVC else "predict"
        np.testing.assert_allclose(
            getattr(weighted, method)(X), getattr(repeated, method)(X), rtol=0, atol=1e-7
        )


def test_three_named_classes():
    X, y = make_blobs(90, centers=3, random_state=0)
    names = np.array(["cat", "ant", "bee"])[y]
    for solver in ("gram", "linear"):
        machine = ELMSVC(solver=solver, random_state=0).fit(scale(X), names)
        assert machine.score(scale(X), names) > 0.9
        assert machine.decision_function(scale(X)).shape == (90, 3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rbf"}, "kernel='rbf' is not known; choose from asymptotic, finite"),
        ({"solver": "newton"}, "solver='newton' is not known; choose from auto, gram, linear"),
        ({"sigma_w": 0}, "sigma_w=0 must be a positive number"),
        ({"C": -1}, "The 'C' parameter of SVC must be a float in the range"),
        ({"max_gram_bytes": 0}, "max_gram_bytes=0 must be a whole number at least 1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = moons()
    with pytest.raises(ValueError, match=message):
        ELMSVC(**parameters).fit(X, y)


@pytest.mark.parametrize("machine", [ELMSVC(tol=1e-14), ELMSVR(tol=1e-14)])
def test_the_solver_of_the_gram_matrix_does_not_go_on_for_ever(monkeypatch, machine):
    # This tolerance is met after some hundred iterations; 1e-17 is below rounding and never is.
    X, y = moons()
    assert clone(machine).fit(X, y).n_iter_ > 20
    monkeypatch.setattr(module, "GRAM_ITERATIONS", 20)
    with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=20\)"):
        machine.fit(X, y)
    assert machine.n_iter_ == 20


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="holds one class only"):
        ELMSVC().fit([[0.0], [1.0]], ["a", "a"])


def sinc_error(sigma_w):
    """Best error over C on the sinc function, the protocol of check U1."""
    random = np.random.default_rng(0)
    x = random.uniform(-10, 10, size=(300, 1))
    y = np.sinc(x[:, 0] / np.pi) + random.normal(scale=0.1, size=300)
    grid = np.linspace(-10, 10, 500)[:, None]
    scaler = StandardScaler().fit(x)

    def error(C):
        machine = ELMSVR(sigma_w=sigma_w, C=C, epsilon=0.1).fit(scaler.transform(x), y)
        truth = np.sinc(grid[:, 0] / np.pi)
        return np.sqrt(np.mean((machine.predict(scaler.transform(grid)) - truth) ** 2))

    return min(error(C) for C in (1, 10, 100, 1000))


@pytest.mark.parametrize("sigma_w", [1, 10, 100])
def test_the_spread_does_not_matter_on_sinc_once_large_enough(sigma_w):  # U1
    assert sinc_error(sigma_w) <= 0.03


def test_too_small_a_spread_cannot_follow_sinc():  # U1
    assert sinc_error(0.1) > 0.15


def test_a_class_without_weight_is_refused():
    X, y = make_blobs(30, centers=3, random_state=0)
    with pytest.raises(ValueError, match="every row of the class 1 has a sample_weight of zero"):
        ELMSVC().fit(X, y, sample_weight=y != 1)
