"""Exponentials and logarithms that loops compute several at a time, in either precision.

A call of the C library inside a loop keeps the compiler from using wide registers. These functions
are sums, products and shifts alone. They take what the audit has to offer, which is neither
infinite nor NaN: ``exp_of`` an exponent from -80 to 80, ``log_of`` a positive number that is not
denormal. Both are as exact as their precision allows but for the last digit.
"""

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload, register_jitable

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "nsz"},
}
compiled = njit(cache=True, **OPTIONS)
# For functions that only compiled ones call: without an entry for Python they compile sooner.
WITHOUT_ENTRY = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner = njit(**OPTIONS | WITHOUT_ENTRY)
# Sums that are added up several at a time: their last bits depend on the processor.
in_any_order = njit(**OPTIONS | WITHOUT_ENTRY | {"fastmath": {"contract", "nsz", "reassoc"}})

CACHE_LINE = 64  # bytes
LOG2_E = 1.4426950408889634
ONE_32 = 0x3F800000  # the bits of one
ONE_64 = 0x3FF0000000000000
HALF_32 = 0x3F3504F3  # the bits of sqrt(1/2)
HALF_64 = 0x3FE6A09E667F3BCD
# Added to a number, these round it to an integer.
ROUND_32 = np.float32(3 * 2**22)
ROUND_64 = float(3 * 2**51)
MANTISSA_32 = 0x007FFFFF
MANTISSA_64 = 0x000FFFFFFFFFFFFF


def empty_lines(*shape, dtype):
    """An array that begins where a line of the cache does: wide registers are filled at once."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.empty(size + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size].view(dtype).reshape(shape)


def exp_of(x):
    """The exponential of a number."""
    return np.exp(x)


def log_of(x):
    """The natural logarithm of a number."""
    return np.log(x)


@overload(exp_of, inline="never")
def _exp_of(x):
    return (lambda x: _exp_32(x)) if x == types.float32 else (lambda x: _exp_64(x))


@overload(log_of, inline="never")
def _log_of(x):
    return (lambda x: _log_32(x)) if x == types.float32 else (lambda x: _log_64(x))


# exp(x) = 2^k exp(r) where |r| <= log(2) / 2: exp(r) is a polynomial, and 2^k goes to the exponent.


@register_jitable
def _exp_32(x):
    f = np.float32
    shifted = x * f(LOG2_E) + ROUND_32
    k = shifted - ROUND_32
    r = x - k * f(0.693359375) - k * f(-2.12194440e-4)
    p = f(1.9875691500e-4) * r + f(1.3981999507e-3)
    p = ((p * r + f(8.3334519073e-3)) * r + f(4.1665795894e-2)) * r + f(1.6666665459e-1)
    p = (p * r + f(5.0000001201e-1)) * r * r + r + f(1)
    bits = np.int32(f(p).view(np.int32)) + (np.int32(f(shifted).view(np.int32)) << np.int32(23))
    return np.int32(bits).view(np.float32)


@register_jitable
def _exp_64(x):
    shifted = x * LOG2_E + ROUND_64
    k = shifted - ROUND_64
    r = x - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10
    p = (1 / 6227020800 * r + 1 / 479001600) * r + 1 / 39916800  # of the factorials of 13 to 2
    p = ((p * r + 1 / 3628800) * r + 1 / 362880) * r + 1 / 40320
    p = ((p * r + 1 / 5040) * r + 1 / 720) * r + 1 / 120
    p = (((p * r + 1 / 24) * r + 1 / 6) * r + 0.5) * r * r + r + 1
    bits = np.float64(p).view(np.int64) + (np.float64(shifted).view(np.int64) << np.int64(52))
    return np.int64(bits).view(np.float64)


# log(2^k m) = k log(2) + log(m) where m is between sqrt(1/2) and sqrt(2).


@register_jitable
def _log_32(x):
    f = np.float32
    bits = np.uint32(np.uint32(f(x).view(np.uint32)) + np.uint32(ONE_32 - HALF_32))
    k = f(np.int32(bits >> np.uint32(23)) - np.int32(127))
    m = np.uint32((bits & np.uint32(MANTISSA_32)) + np.uint32(HALF_32)).view(np.float32)
    r = m - f(1)
    p = (f(7.0376836292e-2) * r - f(1.1514610310e-1)) * r + f(1.1676998740e-1)
    p = ((p * r - f(1.2420140846e-1)) * r + f(1.4249322787e-1)) * r - f(1.6668057665e-1)
    p = ((p * r + f(2.0000714765e-1)) * r - f(2.4999993993e-1)) * r + f(3.3333331174e-1)
    square = r * r
    low = p * r * square + k * f(-2.12194440e-4) - f(0.5) * square
    return low + r + k * f(0.693359375)


@register_jitable
def _log_64(x):
    bits = np.uint64(np.uint64(np.float64(x).view(np.uint64)) + np.uint64(ONE_64 - HALF_64))
    # An integer becomes a float by way of its bits: there is no wide instruction for it.
    exponent = np.uint64((bits >> np.uint64(52)) + np.uint64(0x4330000000000000))
    k = exponent.view(np.float64) - (2.0**52 + 1023)
    m = np.uint64((bits & np.uint64(MANTISSA_64)) + np.uint64(HALF_64)).view(np.float64)
    r = m - 1
    s = r / (2 + r)
    z = s * s
    p = (0.1479819860511658591 * z + 0.1531383769920937332) * z + 0.1818357216161805012
    p = ((p * z + 0.2222219843214978396) * z + 0.2857142874366239149) * z + 0.3999999999940941908
    p = (p * z + 0.6666666666666735130) * z
    half = 0.5 * r * r
    low = s * (half + p) + k * 1.90821492927058770002e-10 - half
    return low + r + k * 6.93147180369123816490e-01
