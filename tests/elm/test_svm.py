import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from errata.elm import ELMSVC, ELMSVR
from errata.elm import _svm as module


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
    monkeypatch.setattr(module, "GRAM_ROWS", 50)
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
    monkeypatch.setattr(module, "GRAM_ITERATIONS", 20)
    with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=20\)"):
        model.fit(X, y)
    assert model.n_iter_ == 20
