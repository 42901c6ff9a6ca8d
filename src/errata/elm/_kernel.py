"""Kernels of extreme learning: of a drawn hidden layer, and of infinitely many units."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.utils import check_array, check_consistent_length

from .._blocks import blocks
from .._validation import check_alpha, check_positive

BLOCK = 1024


def elm_kernel(X: Any, Z: Any = None, *, features: Any) -> np.ndarray:
    """Average product of the activations of drawn hidden units, k(x, z) = h(x)'h(z) / m.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (p, d), optional
        ``X`` itself when not given.
    features : ELMFeatures
        The hidden layer, fitted.

    Returns
    -------
    array of shape (n, p)

    References
    ----------
    .. [1] Frénay and Verleysen. Using SVMs with randomised feature spaces: an extreme learning
       approach. ESANN 2010. Equations 4 and 5.

    Examples
    --------
    >>> from errata.elm import ELMFeatures, elm_kernel
    >>> X = [[1.0, 0.0], [0.0, 1.0]]
    >>> elm_kernel(X, features=ELMFeatures(random_state=0).fit(X)).round(2)
    array([[0.56, 0.26],
           [0.26, 0.6 ]])
    """
    phi = features.transform(X)
    if Z is None or Z is X:
        return phi @ phi.T  # NumPy sees the transpose and computes one half
    return phi @ features.transform(Z).T


def asymptotic_elm_kernel(
    X: Any, Z: Any = None, *, weight_scale: float = 1.0, normalize: bool = True
) -> np.ndarray:
    """The ELM kernel of infinitely many erf units with weights and biases from N(0, s²).

    Nothing is drawn, so results repeat; and from s = 1 on, the scale s of the weights hardly
    matters on scaled data: a support vector machine has no parameter of this kernel to tune. Pass
    it as ``kernel`` to :class:`sklearn.svm.SVC` or SVR, or its result with
    ``kernel="precomputed"``. It costs O(n p d) time and the memory of its result.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Scale it to zero mean and unit variance first.
    Z : array-like of shape (p, d), optional
        ``X`` itself when not given.
    weight_scale : float, default=1.0
        Scale s of the hidden weights (sigma_w in [1]_). Towards zero the kernel turns into the
        cosine of (1, x) and (1, z); infinity is allowed and leaves one minus twice their angle
        divided by pi.
    normalize : bool, default=True
        Divide by the kernel of each row with itself, so that these become one.

    Returns
    -------
    array of shape (n, p)

    Notes
    -----
    k(x, z) = 2/pi arcsin((1 + x·z) / sqrt((c + 1 + x·x)(c + 1 + z·z))), c = 1 / (2 s²),
    equation 15 of [1]_; normalised in its equation 16. The diagonal is taken from the closed form:
    near one, arcsin turns rounding of 1e-16 into 1e-8.

    References
    ----------
    .. [1] Frénay and Verleysen. Parameter-insensitive kernel in extreme learning for non-linear
       support vector regression. Neurocomputing 74, 2011.

    Examples
    --------
    >>> from errata.elm import asymptotic_elm_kernel
    >>> X = [[1.0, 0.0], [0.0, 1.0]]
    >>> asymptotic_elm_kernel(X, normalize=False).round(3)
    array([[0.59 , 0.262],
           [0.262, 0.59 ]])
    """
    if weight_scale != np.inf:
        check_positive("weight_scale", weight_scale, otherwise=", or infinity")
    c = 0.5 / max(float(weight_scale), 1e-100) ** 2  # the limit is reached long before
    same = Z is None or Z is X
    X = check_array(X, dtype=float)
    Z = X if same else check_array(Z, dtype=float, input_name="Z")
    if X.shape[1] != Z.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features but Z has {Z.shape[1]}.")
    product = partial(_compute_arcsine_kernel, c=c, normalize=normalize)
    if not same:
        return product(X, Z)
    K = _compute_symmetric(product, X)
    np.fill_diagonal(K, 1 if normalize else _compute_self_similarity(X, c))
    return K


def _compute_arcsine_kernel(
    X: np.ndarray, Z: np.ndarray, *, c: float, normalize: bool
) -> np.ndarray:
    K = X @ Z.T  # in place from here on: K is all the memory that is used
    K += 1
    K /= np.sqrt(c + 1 + np.einsum("ij,ij->i", X, X))[:, None]
    K /= np.sqrt(c + 1 + np.einsum("ij,ij->i", Z, Z))
    np.clip(K, -1, 1, out=K)
    np.arcsin(K, out=K)
    K *= 2 / np.pi
    if normalize:
        K /= np.sqrt(_compute_self_similarity(X, c))[:, None]
        K /= np.sqrt(_compute_self_similarity(Z, c))
    return K


def _compute_self_similarity(X: np.ndarray, c: float) -> np.ndarray:
    """k(x, x), which is never close enough to one for arcsin to lose digits unless c is zero."""
    squares = 1 + np.einsum("ij,ij->i", X, X)
    return 2 / np.pi * np.arcsin(squares / (c + squares))


def _compute_symmetric(
    product: Callable[[np.ndarray, np.ndarray], np.ndarray], X: np.ndarray
) -> np.ndarray:
    """``product(X, X)`` computed for its lower half, in blocks, and mirrored."""
    n = len(X)
    K = np.empty((n, n))
    for block in blocks(n, BLOCK):
        part = product(X[block], X[: block.stop])
        corner = part[:, block.start :]
        corner[...] = np.tril(corner) + np.tril(corner, -1).T
        K[block, : block.stop] = part
        K[: block.stop, block] = part.T
    return K


def kernel_leave_one_out(K: Any, y: Any, *, alpha: float) -> np.ndarray:
    """Each target as kernel ridge regression predicts it from all other rows, without refitting.

    What :class:`ELMRegressor` does for drawn units, for a kernel: with the asymptotic one, the
    out-of-sample predictions of infinitely many units. Takes O(n³) time and O(n²) memory.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Gram matrix of the rows.
    y : array-like of shape (n,) or (n, q)
        Targets; for classes, one column per class with one for the row's label and zero elsewhere.
    alpha : float
        L2 strength, positive. The intercept is not penalised.

    Returns
    -------
    array of the shape of ``y``

    Notes
    -----
    With M the matrix [[0, 1'], [1, K + alpha I]] and a the solution of its system, the residual of
    row i without it is a_i / (M⁻¹)_ii.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.elm import asymptotic_elm_kernel, kernel_leave_one_out
    >>> x = np.linspace(-2, 2, 9)[:, None]
    >>> kernel_leave_one_out(asymptotic_elm_kernel(x), x[:, 0] ** 2, alpha=1e-3).round(1)
    array([3.1, 2.6, 0.9, 0.2, 0.1, 0.2, 0.9, 2.6, 3.1])
    """
    if check_alpha(alpha) == 0:
        raise ValueError(f"alpha={alpha!r} must be positive.")
    K = check_array(K, dtype=float, ensure_min_samples=2, input_name="K")
    y = check_array(y, dtype=float, ensure_2d=False, input_name="y")
    check_consistent_length(K, K.T, y)
    ones = np.ones(len(K))
    try:
        factor = cho_factor(K + alpha * np.eye(len(K)), lower=True)
    except LinAlgError as error:
        raise ValueError(
            f"K has an eigenvalue below minus alpha={alpha!r}, so it is not the Gram matrix of a "
            "kernel, or rounding made it so; raise alpha or check K."
        ) from error
    # The bordered matrix need not be inverted: its block is A⁻¹ less what the intercept takes.
    A_inverse = cho_solve(factor, np.eye(len(K)))
    e = A_inverse @ ones
    M_inverse = A_inverse - np.outer(e, e) / (ones @ e)
    scale = np.diag(M_inverse)
    return y - M_inverse @ y / (scale if y.ndim == 1 else scale[:, None])
