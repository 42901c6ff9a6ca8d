import numpy as np
import pytest

numba = pytest.importorskip("numba")

from errata._kernels._elementary_numba import empty_lines, exp_of, log_of  # noqa: E402


@numba.njit
def exps(x, out):
    for i in range(len(x)):
        out[i] = exp_of(x[i])


@numba.njit
def logs(x, out):
    for i in range(len(x)):
        out[i] = log_of(x[i])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loop", [exps, logs], ids=["exp", "log"])
def test_numbers_are_exact_but_for_the_last_digit(loop, dtype):
    random = np.random.default_rng(0)
    x = np.r_[0, random.uniform(-80, 80, 5000), random.uniform(-1, 1, 5000)]
    function = np.exp if loop is exps else np.log
    x = (x if loop is exps else np.exp(x)).astype(dtype)
    found = np.empty_like(x)
    loop(x, found)
    expected = function(x.astype(np.longdouble)).astype(float)
    np.testing.assert_allclose(found, expected, rtol=np.finfo(dtype).eps, atol=0)
    assert found[0] == (1 if loop is exps else 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_begin_with_a_line_of_the_cache(dtype):
    arrays = [empty_lines(2, 3, size, dtype=dtype) for size in range(1, 40)]
    for size, array in enumerate(arrays, 1):
        array[:] = size  # of one's own, in which all can be written
        assert array.shape == (2, 3, size)
        assert array.dtype == dtype
        assert array.ctypes.data % 64 == 0
    assert all((array == size).all() for size, array in enumerate(arrays, 1))
