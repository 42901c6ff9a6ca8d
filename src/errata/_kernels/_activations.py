"""Activate hidden units, in place: add the bias, bend, take a shift off. The plain twin."""

import numpy as np
from scipy.special import erf, expit


def erf_rows(Z: np.ndarray, bias: np.ndarray, shift: np.ndarray) -> None:
    """Turn Z, shape (n, m), into erf(Z + bias) - shift."""
    Z += bias
    erf(Z, out=Z)
    Z -= shift


def tanh_rows(Z: np.ndarray, bias: np.ndarray, shift: np.ndarray) -> None:
    """Turn Z, shape (n, m), into tanh(Z + bias) - shift."""
    Z += bias
    np.tanh(Z, out=Z)
    Z -= shift


def logistic_rows(Z: np.ndarray, bias: np.ndarray, shift: np.ndarray) -> None:
    """Turn Z, shape (n, m), into 1 / (1 + exp(-Z - bias)) - shift."""
    Z += bias
    expit(Z, out=Z)
    Z -= shift


def rbf_rows(Z: np.ndarray, bias: np.ndarray, shift: np.ndarray) -> None:
    """Turn Z, shape (n, m), into exp(Z + bias) - shift; the exponent is at most zero."""
    Z += bias
    np.minimum(Z, 0, out=Z)  # rounding may leave it a little above
    np.exp(Z, out=Z)
    Z -= shift
