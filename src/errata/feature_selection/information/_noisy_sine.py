"""A sine with errors whose entropy is known, to look at."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..._validation import check_count
from ._regression import regression_scale


def make_noisy_sine(
    n_samples: int = 200,
    *,
    family: str = "gaussian",
    entropy: float = 0.1,
    df: float | None = None,
    ratio: float | None = None,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """One period of a sine with errors of a given distribution and entropy: y = sin(x) + error.

    Samples of different families and equal ``entropy`` have the same mutual information, and may
    have very different errors.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows.
    family : {"uniform", "laplace", "gaussian", "student", "two_gaussians"}, default="gaussian"
        Distribution of the errors. Those of "two_gaussians" have the one standard deviation left of
        0 and the other right of it.
    entropy : float, default=0.1
        H(Y|X) in nats.
    df, ratio : float, optional
        As for :func:`regression_entropy`.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 1)
        Uniform between -pi and pi.
    y : array of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from errata.feature_selection.information import make_noisy_sine
    >>> X, y = make_noisy_sine(100_000, family="uniform", random_state=0)
    >>> error = y - np.sin(X[:, 0])
    >>> round(float(error.max() - error.min()), 3)      # exp(0.1)
    1.105
    """
    check_count("n_samples", n_samples)
    scale = regression_scale(entropy, family, df=df, ratio=ratio)
    random = check_random_state(random_state)
    x = random.uniform(-np.pi, np.pi, n_samples)
    error = _errors_of_scale_one(random, x, family, df, ratio)
    return x[:, None], np.sin(x) + scale * error


def _errors_of_scale_one(random: Any, x: np.ndarray, family: str, df: Any, ratio: Any) -> Any:
    if family == "uniform":
        return random.uniform(-0.5, 0.5, len(x))
    if family == "laplace":
        return random.laplace(size=len(x))
    if family == "student" and np.isfinite(df):
        return random.standard_t(df, len(x))
    normal = random.standard_normal(len(x))
    return normal * np.where(x < 0, 1, ratio) if family == "two_gaussians" else normal
