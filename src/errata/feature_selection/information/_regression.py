"""What the entropy of a regression error says about its mean square and mean size; in nats.

Every family here has a scale: times s, errors have ln s more entropy, s² times the mean square and
s times the mean absolute value. So three numbers at scale one are all there is to know of a family.
"""

from typing import Any

import numpy as np
from scipy.special import betaln, digamma
from sklearn.utils import check_random_state

from ..._validation import check_choice, check_count

FAMILIES = ("uniform", "laplace", "gaussian", "student", "two_gaussians")
_POWER = {"mse": 2, "mae": 1}  # of the scale
_GAUSSIAN_ENTROPY = 0.5 * np.log(2 * np.pi * np.e)
_SERIES_FROM = 1e3  # degrees of freedom: closed forms lose digits, the series in 1/df has them all


def regression_entropy(scale: Any, family: str, *, df: Any = None, ratio: Any = None) -> Any:
    """Conditional entropy of the target, for errors of a known distribution.

    Parameters
    ----------
    scale : float or array
        Width of "uniform", scale of "laplace" and "student", standard deviation of "gaussian", that
        of one half of the rows for "two_gaussians".
    family : {"uniform", "laplace", "gaussian", "student", "two_gaussians"}
        Distribution of the errors.
    df : float or array, optional
        Degrees of freedom, for "student" only; infinitely many are those of "gaussian".
    ratio : float or array, optional
        Standard deviation of the other half of the rows over that of the first, for
        "two_gaussians" only. Which half a row belongs to must follow from its features.

    Returns
    -------
    float or array
        H(Y|X) in nats.

    Notes
    -----
    Given the features, the target is a number plus the error: their entropies are equal. They are
    ln D (uniform), ln(2 e s) (Laplace), ln(2 pi e s²) / 2 (Gauss), and, with n degrees of freedom
    and P = psi((n + 1)/2) - psi(n/2), (n + 1) P / 2 + ln(sqrt(n) B(1/2, n/2)) + ln s (Student).

    Examples
    --------
    >>> from errata.feature_selection.information import regression_entropy
    >>> round(float(regression_entropy(0.267419, "gaussian")), 4)
    0.1
    """
    scale = np.asarray(scale, dtype=float)
    if not np.all(scale > 0):
        raise ValueError("scale must be above 0; errors of scale 0 have no entropy.")
    return (_compute_at_scale_one(family, df, ratio)["entropy"] + np.log(scale))[()]


def regression_scale(entropy: Any, family: str, *, df: Any = None, ratio: Any = None) -> Any:
    """Scale of the errors that gives a target this conditional entropy.

    Parameters
    ----------
    entropy : float or array
        H(Y|X) in nats.
    family, df, ratio
        As for :func:`regression_entropy`, of which this is the inverse.

    Examples
    --------
    >>> from errata.feature_selection.information import regression_scale
    >>> regression_scale(0.1, "student", df=[2.3, 5, 30]).round(4)
    array([0.1675, 0.2171, 0.2586])
    """
    unit = _compute_at_scale_one(family, df, ratio)
    return np.exp(np.asarray(entropy, dtype=float) - unit["entropy"])[()]


def regression_error(
    entropy: Any, family: str, criterion: str = "mse", *, df: Any = None, ratio: Any = None
) -> Any:
    """Mean squared or absolute error of the best regression, given the entropy of the target.

    Within a family without further parameters it grows with the entropy, so that the features with
    the largest mutual information have the smallest error. Across families, degrees of freedom or
    ratios this need not be so: see :func:`information_gap_needed`.

    Parameters
    ----------
    entropy : float or array
        H(Y|X) in nats.
    family : {"uniform", "laplace", "gaussian", "student", "two_gaussians"}
        Distribution of the errors.
    criterion : {"mse", "mae"}, default="mse"
        Mean squared or mean absolute error.
    df : float or array, optional
        Degrees of freedom, for "student" only: above 2 for "mse", above 1 for "mae".
    ratio : float or array, optional
        As for :func:`regression_entropy`, for "two_gaussians" only.

    Returns
    -------
    float or array

    Notes
    -----
    No error distribution has a smaller mean square than exp(2 H) / (2 pi e), that of Gauss, nor a
    smaller mean absolute value than exp(H) / (2 e), that of Laplace: these two have the largest
    entropy of all.

    References
    ----------
    .. [1] B. Frénay, G. Doquire and M. Verleysen, "Is mutual information adequate for feature
       selection in regression?", Neural Networks 48, 2013.

    Examples
    --------
    >>> from errata.feature_selection.information import regression_error
    >>> for family in ("uniform", "laplace", "gaussian"):
    ...     mse, mae = (regression_error(0, family, criterion) for criterion in ("mse", "mae"))
    ...     print(f"{family:9}{mse:.4f}  {mae:.4f}")
    uniform  0.0833  0.2500
    laplace  0.0677  0.1839
    gaussian 0.0585  0.1931
    """
    power = _POWER[check_choice("criterion", criterion, tuple(_POWER))]
    unit = _compute_at_scale_one(family, df, ratio)
    if family == "student" and np.min(df) <= power:
        raise ValueError(
            f"df={np.min(df):g} leaves no finite {criterion} for family='student'; "
            f"it must be above {power}."
        )
    rise = np.asarray(entropy, dtype=float) - unit["entropy"]
    return (unit[criterion] * np.exp(power * rise))[()]


def information_gap_needed(selected: Any, rival: Any, *, criterion: str = "mse") -> Any:
    """How much more information features need to have the smaller error, whatever it is.

    Parameters
    ----------
    selected, rival : float or array
        Errors of two families at the same entropy, from :func:`regression_error`: of the features
        with more information, and of those with less.
    criterion : {"mse", "mae"}, default="mse"
        What ``selected`` and ``rival`` are.

    Returns
    -------
    float or array
        In nats. Mutual information fails when the difference is smaller; it cannot fail where this
        is 0.

    Notes
    -----
    With entropies H2 < H1 and errors g2, g1 at entropy 0, the squared error of the selected
    features is larger when exp(2 H2) g2 > exp(2 H1) g1, that is when H1 - H2 < ln(g2 / g1) / 2; the
    absolute one when H1 - H2 < ln(g2 / g1).

    Examples
    --------
    Errors with heavy tails against errors with light ones:

    >>> from errata.feature_selection.information import information_gap_needed, regression_error
    >>> for criterion in ("mse", "mae"):
    ...     heavy, light = regression_error(0, "student", criterion, df=[2.3, 5])
    ...     gap = information_gap_needed(heavy, light, criterion=criterion)
    ...     print(f"{criterion}: {gap:.3f} nats")
    mse: 0.504 nats
    mae: 0.032 nats
    """
    power = _POWER[check_choice("criterion", criterion, tuple(_POWER))]
    selected = np.asarray(selected, dtype=float)
    rival = np.asarray(rival, dtype=float)
    if not (np.all(selected > 0) and np.all(rival > 0)):
        raise ValueError("selected and rival must be errors above 0.")
    return np.maximum(0, np.log(selected / rival) / power)[()]


def _compute_at_scale_one(family: str, df: Any, ratio: Any) -> dict[str, Any]:
    """The entropy and both errors of a distribution of scale 1."""
    check_choice("family", family, FAMILIES)
    _check_shape("df", df, family, of="student")
    _check_shape("ratio", ratio, family, of="two_gaussians")
    if family == "uniform":
        return {"entropy": 0.0, "mse": 1 / 12, "mae": 1 / 4}
    if family == "laplace":
        return {"entropy": 1 + np.log(2), "mse": 2.0, "mae": 1.0}
    if family == "student":
        return _compute_student(np.asarray(df, dtype=float))
    r = np.asarray(1 if ratio is None else ratio, dtype=float)
    entropy = _GAUSSIAN_ENTROPY + np.log(r) / 2
    mae = (1 + r) / np.sqrt(2 * np.pi)
    return {"entropy": entropy, "mse": (1 + r**2) / 2, "mae": mae}


def _compute_student(df: np.ndarray) -> dict[str, Any]:
    """Infinite where the integral does not exist."""
    n = np.minimum(df, _SERIES_FROM)
    u = 1 / df
    # The logarithm of sqrt(n) B(1/2, n/2), and (n + 1)/2 times the difference of digammas.
    log_norm = np.where(
        df < _SERIES_FROM,
        np.log(n) / 2 + betaln(0.5, n / 2),
        np.log(2 * np.pi) / 2 + u / 4 - u**3 / 24,
    )
    spread = np.where(
        df < _SERIES_FROM,
        (n + 1) / 2 * (digamma((n + 1) / 2) - digamma(n / 2)),
        (1 + u) / 2 * (1 + u / 2 - u**3 / 4),
    )
    mse = np.divide(1, 1 - 2 * u, out=np.full_like(u, np.inf), where=df > 2)
    mae = np.divide(2 * np.exp(-log_norm), 1 - u, out=np.full_like(u, np.inf), where=df > 1)
    return {"entropy": spread + log_norm, "mse": mse, "mae": mae}


def _check_shape(name: str, value: Any, family: str, *, of: str) -> None:
    if value is None and family == of:
        raise ValueError(f"family={family!r} needs {name}; pass a number above 0.")
    if value is not None and family != of:
        raise ValueError(f"{name} belongs to family={of!r}, not to {family!r}; leave it out.")
    if value is not None and not np.all(np.asarray(value, dtype=float) > 0):
        raise ValueError(f"{name}={value!r} must be above 0.")


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
    error = _draw_errors_of_scale_one(random, x, family, df, ratio)
    return x[:, None], np.sin(x) + scale * error


def _draw_errors_of_scale_one(random: Any, x: np.ndarray, family: str, df: Any, ratio: Any) -> Any:
    if family == "uniform":
        return random.uniform(-0.5, 0.5, len(x))
    if family == "laplace":
        return random.laplace(size=len(x))
    if family == "student" and np.isfinite(df):
        return random.standard_t(df, len(x))
    normal = random.standard_normal(len(x))
    return normal * np.where(x < 0, 1, ratio) if family == "two_gaussians" else normal
