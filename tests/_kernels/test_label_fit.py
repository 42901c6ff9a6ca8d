import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize

from errata._kernels import _label_fit, kernels
from strategies import seeds

FASTEST = kernels("label_fit")
twins = pytest.mark.parametrize("twin", [_label_fit, FASTEST], ids=["plain", "fastest"])


def case(seed, n_classes, n, sharp=0.5):
    random = np.random.default_rng(seed)
    logs = np.log(random.dirichlet(np.full(n_classes, sharp), n) + 1e-4).T.copy()
    flips = 0.3 * random.dirichlet(np.ones(n_classes), n_classes) + 0.7 * np.eye(n_classes)
    codes = [random.choice(n_classes, p=p / p.sum()) for p in np.exp(logs.T)]
    return logs, flips.take(codes, axis=1)


def prior(n_classes, farthest=8.0):
    precision = np.r_[0.3, np.full(n_classes, 0.5)]
    return precision, np.array([[-1.0], [1.0]]) * np.r_[4.0, np.full(n_classes, farthest)]


def test_derivatives_of_one_row_by_hand():
    logs = np.log([[0.8], [0.2]])
    to_label = np.array([[0.1], [0.7]])
    p = np.array([0.8**2 * np.e, 0.2**2])
    p /= p.sum()
    given = p * to_label[:, 0] / (p @ to_label[:, 0])
    x = np.array([np.log(2.0), 1.0, 0.0])
    found = _label_fit.differentiate(logs, to_label, x, np.zeros(3), True)
    np.testing.assert_allclose(found[0], -np.log(p @ to_label[:, 0]), rtol=1e-12)
    pull = [2 * (given - p) @ logs[:, 0], *(given - p)]
    np.testing.assert_allclose(found[1], np.negative(pull), rtol=1e-12)


@pytest.mark.parametrize("free", [True, False])
def test_derivatives_are_those_of_the_loss(free):
    logs, to_label = case(0, 4, 200)
    precision, _ = prior(4)
    x = np.r_[0.3, np.random.default_rng(0).normal(size=4) if free else np.zeros(4)]

    def differentiate(moved):
        return _label_fit.differentiate(
            logs, to_label, np.r_[moved, x[len(moved) :]], precision, free
        )

    moved = x if free else x[:1]
    _, gradient, curvature = differentiate(moved)
    m = len(moved)
    numbers = approx_fprime(moved, lambda y: differentiate(y)[0], 1e-7)
    np.testing.assert_allclose(gradient[:m], numbers, rtol=1e-3, atol=1e-3)
    numbers = approx_fprime(moved, lambda y: differentiate(y)[1][:m], 1e-7)
    np.testing.assert_allclose(curvature[:m, :m], numbers.reshape(m, m), rtol=1e-3, atol=1e-3)


@twins
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sharp", [0.05, 5.0])
def test_the_fit_is_as_good_as_any_that_is_found_by_other_means(twin, seed, sharp):
    logs, to_label = case(seed, 3, 300, sharp)
    precision, box = prior(3)
    loss, x = twin.fit_labels(logs, to_label, np.zeros(4), precision, box, True)
    other = minimize(
        lambda y: _label_fit.differentiate(logs, to_label, y, precision, True)[:2],
        np.zeros(4),
        jac=True,
        bounds=box.T,
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    np.testing.assert_allclose(loss, other.fun, rtol=0, atol=1e-8)
    np.testing.assert_allclose(x, other.x, rtol=0, atol=1e-5)
    slope = np.abs(_label_fit.differentiate(logs, to_label, x, precision, True)[1])
    assert slope.max() < 1e-5


@twins
def test_a_fit_ends_at_the_border_of_its_box(twin):
    logs, to_label = case(0, 3, 300)
    precision, _ = prior(3)
    box = np.array([[-0.5, -0.2, -0.2, -0.2], [-0.1, 0.2, 0.2, 0.2]])
    loss, x = twin.fit_labels(logs, to_label, np.full(4, 5.0), precision, box, True)
    other = minimize(
        lambda y: _label_fit.differentiate(logs, to_label, y, precision, True)[:2],
        np.zeros(4),
        jac=True,
        bounds=box.T,
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    assert np.any((other.x == box[0]) | (other.x == box[1]))
    np.testing.assert_allclose(x, other.x, rtol=0, atol=1e-5)
    np.testing.assert_allclose(loss, other.fun, rtol=0, atol=1e-8)


@twins
def test_offsets_that_are_not_free_stay_at_zero(twin):
    logs, to_label = case(1, 3, 200)
    precision, box = prior(3)
    loss, x = twin.fit_labels(logs, to_label, np.zeros(4), precision, box, False)
    assert np.all(x[1:] == 0)
    losses = [
        _label_fit.differentiate(logs, to_label, np.r_[x[0] + more, 0, 0, 0], precision, False)[0]
        for more in (-0.01, 0, 0.01)
    ]
    assert losses[1] < losses[0]
    assert losses[1] < losses[2]
    np.testing.assert_allclose(loss, losses[1], rtol=1e-9)


@twins
def test_where_the_loss_is_no_bowl_the_fit_goes_downhill(twin):
    logs, to_label = case(2, 5, 400, sharp=0.1)
    to_label = np.ascontiguousarray(to_label[::-1])  # labels that speak against what models say
    precision, box = prior(5)
    start = np.array([1.0, 2.0, -2.0, 2.0, -2.0, 2.0])
    before, _, curvature = _label_fit.differentiate(logs, to_label, start, precision, True)
    assert np.linalg.eigvalsh(curvature)[0] < 0
    loss, x = twin.fit_labels(logs, to_label, start, precision, box, True)
    assert loss < before
    now, gradient, curvature = _label_fit.differentiate(logs, to_label, x, precision, True)
    np.testing.assert_allclose(loss, now, rtol=1e-9)
    inside = (x > box[0]) & (x < box[1])
    assert np.abs(gradient[inside]).max() < 1e-4
    assert np.linalg.eigvalsh(curvature[np.ix_(inside, inside)])[0] > 0


@twins
def test_a_label_that_no_class_can_have_leaves_all_finite(twin):
    logs, to_label = case(0, 3, 50)
    to_label[:, 7] = 0
    loss, x = twin.fit_labels(logs, to_label, np.zeros(4), *prior(3), True)
    assert np.isfinite(loss)
    assert np.isfinite(x).all()


@settings(max_examples=30)
@given(seeds, st.integers(2, 20), st.integers(1, 600), st.booleans())
def test_the_twins_agree(seed, n_classes, n, free):
    logs, to_label = case(seed, n_classes, n)
    arguments = logs, to_label, np.zeros(1 + n_classes), *prior(n_classes), free
    plain = _label_fit.fit_labels(*arguments)
    fast = FASTEST.fit_labels(*arguments)
    np.testing.assert_allclose(fast[0], plain[0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(fast[1], plain[1], rtol=0, atol=1e-6)
    arguments = logs, np.exp(plain[1][0]), plain[1][1:]
    plain = _label_fit.summarise_classes(*arguments)
    fast = FASTEST.summarise_classes(*arguments)
    for here, there in zip(fast, plain, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-9)


@twins
def test_classes_are_summed_up_by_hand(twin):
    logs = np.log([[0.8, 0.3, 0.5], [0.2, 0.7, 0.5]])
    sums, recognised, entropy = twin.summarise_classes(logs, 1.0, np.zeros(2))
    np.testing.assert_allclose(sums, [1.6, 1.4], rtol=1e-12)
    np.testing.assert_allclose(recognised, [1.3, 0.7], rtol=1e-12)  # the first of equals
    np.testing.assert_allclose(entropy, -np.vdot(np.exp(logs), logs), rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@twins
def test_a_fit_in_single_precision_ends_at_the_same_place(twin, seed):
    logs, to_label = case(seed, 6, 5_000, sharp=0.1)
    start = np.zeros(7)
    loss, x = _label_fit.fit_labels(logs, to_label, start, *prior(6), True)
    single = logs.astype(np.float32), to_label.astype(np.float32)
    single_loss, single_x = twin.fit_labels(*single, start, *prior(6), True)
    np.testing.assert_allclose(single_loss, loss, rtol=0, atol=2e-3)
    np.testing.assert_allclose(single_x, x, rtol=0, atol=1e-5)
    in_double = _label_fit.summarise_classes(logs, np.exp(x[0]), x[1:])
    for here, there in zip(
        twin.summarise_classes(single[0], np.exp(x[0]), x[1:]), in_double, strict=True
    ):
        np.testing.assert_allclose(here, there, rtol=1e-5)
