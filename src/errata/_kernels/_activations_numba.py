"""Activate hidden units, in place: add the bias, bend, take a shift off. The compiled twin.

A function is looked up at the nearest multiple of 1/1024 and continued from there by four terms of
its Taylor series, which is as good as double precision. Looking up cannot use wide registers but
the rest can, so a row is worked off in pieces, each in three loops: prepare, look up, continue.
"""

from math import copysign

import numpy as np
from numba import njit
from scipy.special import erf

from ._activations import rbf_rows as rbf_rows  # NumPy's exp is as fast as a loop of ours

STEPS = 1024.0
THIRD = 1 / 3  # multiplying is faster than dividing
PIECE = 256
compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})

# Beyond its end, either function is one in double precision.
ERF_END = 6.0
TANH_END = 19.5


def _make_table(end, function):
    return function(np.arange(end * STEPS + 1) / STEPS)


ERF = _make_table(ERF_END, erf)
ERF_SLOPE = _make_table(ERF_END, lambda x: 2 / np.sqrt(np.pi) * np.exp(-(x**2)))
TANH = _make_table(TANH_END, np.tanh)


def erf_rows(Z, bias, shift):
    """As the plain twin."""
    _erf_rows(Z, bias, shift, ERF, ERF_SLOPE)


def tanh_rows(Z, bias, shift):
    """As the plain twin."""
    _tanh_rows(Z, bias, shift, TANH, 1.0, 0.0)


def logistic_rows(Z, bias, shift):
    """As the plain twin: 1 / (1 + exp(-x)) = 1/2 + tanh(x / 2) / 2."""
    _tanh_rows(Z, bias, shift, TANH, 0.5, 0.5)


@compiled
def _erf_rows(Z, bias, shift, table, slope_table):
    place = np.empty(PIECE, np.int32)
    x = np.empty(PIECE)
    c = np.empty(PIECE)
    h = np.empty(PIECE)
    value = np.empty(PIECE)
    slope = np.empty(PIECE)
    for r in range(Z.shape[0]):
        for start in range(0, Z.shape[1], PIECE):
            size = min(PIECE, Z.shape[1] - start)
            for i in range(size):
                x[i] = Z[r, start + i] + bias[start + i]
                a = abs(x[i])
                a = a if a < ERF_END else ERF_END  # so written, NaN too stays inside the table
                place[i] = np.int32(a * STEPS + 0.5)
                c[i] = place[i] * (1 / STEPS)
                h[i] = a - c[i]
            for i in range(size):
                value[i] = table[np.uint32(place[i])]
                slope[i] = slope_table[np.uint32(place[i])]
            for i in range(size):
                t = c[i] * h[i]
                series = 1 - t + THIRD * (2 * t * t - h[i] * h[i])
                series += h[i] * h[i] * t * (0.5 - THIRD * c[i] * c[i])
                bent = copysign(value[i] + slope[i] * h[i] * series, x[i])
                Z[r, start + i] = bent - shift[start + i]


@compiled
def _tanh_rows(Z, bias, shift, table, scale, offset):
    place = np.empty(PIECE, np.int32)
    x = np.empty(PIECE)
    h = np.empty(PIECE)
    value = np.empty(PIECE)
    for r in range(Z.shape[0]):
        for start in range(0, Z.shape[1], PIECE):
            size = min(PIECE, Z.shape[1] - start)
            for i in range(size):
                x[i] = scale * (Z[r, start + i] + bias[start + i])
                a = abs(x[i])
                a = a if a < TANH_END else TANH_END  # so written, NaN too stays inside the table
                place[i] = np.int32(a * STEPS + 0.5)
                h[i] = a - place[i] * (1 / STEPS)
            for i in range(size):
                value[i] = table[np.uint32(place[i])]
            for i in range(size):
                t = value[i]
                series = 1 - t * h[i] + (t * t - THIRD) * h[i] * h[i]
                series += t * (2 * THIRD - t * t) * h[i] * h[i] * h[i]
                bent = copysign(t + (1 - t * t) * h[i] * series, x[i])
                Z[r, start + i] = scale * bent + offset - shift[start + i]
