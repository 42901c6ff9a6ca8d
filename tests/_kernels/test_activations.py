import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import erf, expit

from errata._kernels import _activations as plain
from errata._kernels import kernels

FUNCTIONS = {"erf": erf, "tanh": np.tanh, "logistic": expit}


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def twin(request):
    if request.param:
        pytest.importorskip("numba", reason="the fast extra is not installed")
        return kernels("activations")
    return plain


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_are_shifted_activations_of_biased_rows(twin, name):
    random = np.random.RandomState(0)
    Z, bias, shift = random.normal(size=(7, 600)), random.normal(size=600), random.normal(size=600)
    expected = FUNCTIONS[name](Z + bias) - shift
    getattr(twin, f"{name}_rows")(Z, bias, shift)
    np.testing.assert_allclose(Z, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy_is_that_of_double_precision_everywhere(twin, name):
    x = np.concatenate([np.linspace(-25, 25, 200_001), [0.0, 1e-300, 1e300, np.inf, -np.inf]])
    Z = x[None].copy()
    getattr(twin, f"{name}_rows")(Z, np.zeros(len(x)), np.zeros(len(x)))
    np.testing.assert_allclose(Z[0], FUNCTIONS[name](x), rtol=0, atol=6e-16)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_not_a_number_does_no_harm(twin, name):
    Z = np.array([[np.nan, 0.5, -0.5]])
    getattr(twin, f"{name}_rows")(Z, np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(Z[0, 1:], FUNCTIONS[name](np.array([0.5, -0.5])), rtol=1e-15)


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        st.tuples(st.integers(0, 3), st.integers(1, 300)),
        elements=st.floats(-30, 30, width=32),
    ),
    st.sampled_from(sorted(FUNCTIONS)),
)
def test_the_twins_agree(Z, name):
    pytest.importorskip("numba", reason="the fast extra is not installed")
    zeros = np.zeros(Z.shape[1], dtype=Z.dtype)
    ours, theirs = Z.copy(), Z.copy()
    getattr(kernels("activations"), f"{name}_rows")(ours, zeros, zeros)
    getattr(plain, f"{name}_rows")(theirs, zeros, zeros)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=4 * np.finfo(Z.dtype).eps)


def test_rbf_rows_are_exponentials_at_most_one(twin):
    Z = np.array([[-2.0, -0.5, 1e-9], [-800.0, 0.0, -np.inf]])
    bias, shift = np.array([-0.1, 0.0, 0.0]), np.array([0.0, 0.25, 0.0])
    twin.rbf_rows(Z, bias, shift)
    expected = [[np.exp(-2.1), np.exp(-0.5) - 0.25, 1.0], [0.0, 0.75, 0.0]]
    np.testing.assert_allclose(Z, expected, rtol=0, atol=1e-15)
