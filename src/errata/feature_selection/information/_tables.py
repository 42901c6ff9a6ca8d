"""Discrete features whose distribution is known: exact mutual information and least error."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr


class FeatureInformation(NamedTuple):
    """What features say about the class; arrays of the same shape, or numbers.

    Attributes
    ----------
    mutual_information, conditional_entropy
        I(X;Y) and H(Y|X) in bits.
    error
        Probability that the best classifier is wrong.
    """

    mutual_information: Any
    conditional_entropy: Any
    error: Any


def discrete_information(prior: Any, conditional: Any) -> FeatureInformation:
    """Exact mutual information and least error of a discrete feature.

    Parameters
    ----------
    prior : array of shape (..., n_classes)
        Probabilities of the classes.
    conditional : array of shape (..., n_values, n_classes)
        Probability of each value of the feature (row) given the class (column): columns sum to one.
        Leading axes are those of many features.

    Returns
    -------
    FeatureInformation
        ``mutual_information`` and ``conditional_entropy`` in bits, and ``error``, the probability
        that the best classifier is wrong.

    Notes
    -----
    H(Y|X) is the sum of P(x, y) log2(P(x) / P(x, y)), zero terms left out, the mutual information
    H(Y) - H(Y|X), the error 1 - sum over x of max over y of P(x, y).

    Examples
    --------
    Two tests for an illness. The second has more information about it and is wrong more often
    (Frénay and others, 2013):

    >>> from errata.feature_selection.information import discrete_information
    >>> first = discrete_information([0.5, 0.5], [[0.287, 0.758], [0.713, 0.242]])
    >>> second = discrete_information([0.5, 0.5], [[0.627, 0.999], [0.373, 0.001]])
    >>> for test in (first, second):
    ...     print(f"{test.mutual_information:.3f} bits, error {test.error:.4f}")
    0.167 bits, error 0.2645
    0.213 bits, error 0.3140
    """
    prior, conditional = _check_table(prior, conditional)
    joint = conditional * prior[..., None, :]
    of_value = joint.sum(axis=-1)
    # sum j log(p / j) = sum of entr(j) - sum of entr(p), with entr(0) = 0.
    nats = entr(joint).sum(axis=(-2, -1)) - entr(of_value).sum(axis=-1)
    conditional_entropy = np.maximum(0, nats / np.log(2))
    class_entropy = entr(prior).sum(axis=-1) / np.log(2)
    error = np.maximum(0, 1 - joint.max(axis=-1).sum(axis=-1))
    return FeatureInformation(
        (class_entropy - conditional_entropy)[()], conditional_entropy[()], error[()]
    )


def _check_table(prior: Any, conditional: Any) -> tuple[np.ndarray, np.ndarray]:
    prior, conditional = np.asarray(prior, dtype=float), np.asarray(conditional, dtype=float)
    if prior.ndim < 1 or conditional.ndim < 2 or prior.shape[-1] != conditional.shape[-1]:
        raise ValueError(
            f"conditional needs a row per value of the feature and a column per class, but its "
            f"shape is {conditional.shape} and prior has shape {prior.shape}."
        )
    for name, table, axis in (
        ("prior", prior, -1),
        ("each column of conditional", conditional, -2),
    ):
        sums = table.sum(axis=axis)
        # "not <=" and not ">": NaN, for which both are false, is refused.
        if not (np.all(table >= 0) and np.all(np.abs(sums - 1) <= 1e-8)):
            raise ValueError(f"{name} must hold probabilities that sum to 1.")
    return prior, conditional


def _check_sums(name: str, table: np.ndarray, *, axis: int) -> None:
    off = np.abs(table.sum(axis=axis) - 1)
    # "not <=" and not ">": NaN, for which both are false, is refused.
    if not (np.all(table >= 0) and np.all(off <= 1e-8)):
        raise ValueError(f"{name} must hold probabilities that sum to 1.")
