"""Noise that depends on where a row lies: near a boundary, in a region, where rows are few.

Each function returns the probability that each row's label is wrong, for
``flip_labels(y, flip_proba=...)``, with the mean that was asked for.
"""

from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_consistent_length, check_random_state

from .._crossfit import make_folds, out_of_fold_proba
from .._neighbors import NeighborIndex
from .._random import seeded_member
from .._validation import check_choice, check_count, check_fraction, check_labels
from .._warn import warn_user
from ..exceptions import NoiseWarning


def boundary_flip_proba(proba: Any, rate: float, *, sharpness: float = 1.0) -> np.ndarray:
    """Flip probabilities that rise towards the boundary between classes.

    Rows whose two most probable classes are close get confused; usually with each other, so pass
    the same probabilities as ``target`` of :func:`flip_labels`.

    Parameters
    ----------
    proba : array-like of shape (n, K)
        Class probabilities of a model of the clean labels, best out of sample: those of your own
        classifier, or :func:`reference_proba`.
    rate : float
        Expected fraction of wrong labels.
    sharpness : float, default=1
        Above one the errors crowd closer to the boundary, below one they spread.

    Returns
    -------
    array of shape (n,)
        ``min(1, s (1 - p1 + p2)^sharpness)``, p1 and p2 being the two largest probabilities of the
        row and s such that the mean is ``rate``.

    Examples
    --------
    >>> boundary_flip_proba([[0.5, 0.5], [0.75, 0.25], [1.0, 0.0]], rate=0.2)
    array([0.4, 0.2, 0. ])
    """
    check_fraction("sharpness", sharpness, high=np.inf)
    proba = check_array(proba, ensure_min_features=2)
    second, first = np.partition(proba, -2, axis=1)[:, -2:].T
    # Rounded probabilities may differ by more than 1, and a power of a negative number is nan.
    return _scaled_to(rate, (1 - (first - second)).clip(0, 1) ** sharpness)


def reference_proba(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    cv: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> np.ndarray:
    """Out-of-fold class probabilities: those of every row from a model that did not see it.

    Parameters
    ----------
    X, y : arrays of shape (n, d) and (n,)
        Features and clean labels.
    estimator : classifier with ``predict_proba``, optional
        A logistic regression on standardised features when not given.
    cv : int, default=5
        Number of folds; lowered to the size of the smallest class where that is less.
    n_jobs : int, optional
        How many folds are fitted at the same time; -1 for one per core.
    random_state : int, RandomState instance or None
        Shuffles the folds, and seeds the estimator where it has no seed of its own.

    Returns
    -------
    array of shape (n, K), columns in the order of the sorted classes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.noise import boundary_flip_proba, flip_labels, reference_proba
    >>> X, y = load_iris(return_X_y=True)
    >>> proba = reference_proba(X, y, random_state=0)
    >>> p = boundary_flip_proba(proba, rate=0.1)
    >>> noisy, flipped = flip_labels(y, flip_proba=p, target=proba, random_state=0)
    >>> [round(float(p[y == c].mean()), 2) for c in (0, 1, 2)]     # setosa lies apart
    [0.03, 0.15, 0.12]
    """
    _, codes = check_labels(y, min_classes=2)
    rarest = int(np.bincount(codes).min())
    if rarest < 2:
        raise ValueError("a class with one row cannot be predicted out of sample; leave it out.")
    if estimator is None:
        estimator = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = make_folds(cv, codes, every_class=True, random_state=random_state)
    member = seeded_member(estimator, random_state)
    return out_of_fold_proba([member], X, codes, folds, n_jobs=n_jobs)[0]


def region_flip_proba(
    X: Any, rate: float, *, fraction: float = 0.25, center: Any = None, random_state: Any = None
) -> np.ndarray:
    """Flip probabilities that are constant in one region and zero elsewhere.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features; distances are Euclidean, so scale them first.
    rate : float
        Expected fraction of wrong labels, over all rows. At most ``fraction``.
    fraction : float, default=0.25
        The region is the ball that holds this fraction of the rows.
    center : array-like of shape (d,), optional
        Centre of the ball; a row drawn at random when not given.
    random_state : int, RandomState instance or None
        Seed of that draw.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> region_flip_proba(X, rate=0.3, fraction=0.5, center=[0.0])
    array([0.6, 0.6, 0. , 0. ])
    """
    X = check_array(X)
    if center is None:
        center = X[check_random_state(random_state).randint(len(X))]
    center = np.asarray(center, dtype=float)
    if center.shape != (X.shape[1],):
        raise ValueError(f"center must have {X.shape[1]} coordinates; its shape is {center.shape}.")
    size = max(1, int(np.floor(check_fraction("fraction", fraction) * len(X) + 0.5)))
    # The nearest rows by number, not by radius: ties at the edge would let in more of them.
    inside = np.zeros(len(X))
    inside[np.argsort(((X - center) ** 2).sum(axis=1), kind="stable")[:size]] = 1
    return _scaled_to(rate, inside)


def density_flip_proba(X: Any, rate: float, *, n_neighbors: int = 5) -> np.ndarray:
    """Flip probabilities that grow where rows are few: outlying rows get mislabelled.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features; distances are Euclidean, so scale them first.
    rate : float
        Expected fraction of wrong labels.
    n_neighbors : int, default=5
        The probability is proportional to the distance to this neighbour.

    Examples
    --------
    >>> density_flip_proba([[0.0], [1.0], [2.0], [7.0]], rate=0.2, n_neighbors=1)
    array([0.1, 0.1, 0.1, 0.5])
    """
    X = check_array(X, ensure_min_samples=2)
    k = check_count("n_neighbors", n_neighbors, high=len(X) - 1)
    distances, _ = NeighborIndex(X).others(k)
    reach = distances[:, -1]
    # Where all rows are the same none of them is outlying, and all are equally likely to flip.
    return _scaled_to(rate, reach / reach.max() if reach.max() > 0 else np.ones(len(X)))


def gaussian_flip_proba(
    X: Any, y: Any, rate: Any, *, kind: str = "exponential", cutoff: float = 1.0
) -> np.ndarray:
    """Misallocation along the discriminant axis of two classes (Chhikara and McKeon 1984).

    A row is mislabelled the more easily the further it lies from the mean of its class towards the
    other class; ``u`` measures that in standard deviations along Fisher's discriminant.

    Parameters
    ----------
    X, y : arrays of shape (n, d) and (n,)
        Features, and labels of two classes.
    rate : float or pair of floats
        Expected fraction of wrong labels in each class if the classes are Gaussian; below 1/2.
    kind : {"exponential", "truncated"}, default="exponential"
        ``1 - exp(-kappa u² / 2)`` for u > 0, or a constant for u > ``cutoff``.
    cutoff : float, default=1
        Where truncated noise begins.

    Notes
    -----
    ``kappa = (1 - 2 rate)^-2 - 1``: the mean of the flip probability over a standard normal u is
    then ``rate``. Equation 7 of Frénay and Verleysen's survey prints the constant without the -1,
    which gives a mean of 0.146 at rate 0.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    >>> gaussian_flip_proba(X, [0, 0, 1, 1], 0.2).round(2)
    array([0.  , 0.36, 0.36, 0.  ])
    """
    check_choice("kind", kind, ("exponential", "truncated"))
    X = check_array(X)
    classes, codes = check_labels(y)
    check_consistent_length(X, codes)
    if len(classes) != 2:
        raise ValueError(f"gaussian_flip_proba is for two classes; y holds {len(classes)}.")
    rates = np.array(
        [check_fraction("rate", r, high=0.5) for r in np.broadcast_to(rate, 2).tolist()]
    )
    u, per_row = _towards_other_class(X, codes), rates[codes]
    if kind == "truncated":
        check_fraction("cutoff", cutoff, low=-8, high=8)
        return np.where(u > cutoff, _truncated_level(per_row, cutoff), 0.0)
    # Half of a Gaussian class lies beyond its mean: flipping all of it takes an infinite kappa.
    if rates.max() == 0.5:
        raise ValueError("exponential noise needs a rate below 0.5.")
    kappa = (1 - 2 * per_row) ** -2 - 1
    return np.where(u > 0, -np.expm1(-0.5 * kappa * u**2), 0.0)


def _towards_other_class(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Distance from the own class mean towards the other, in deviations along Fisher's axis."""
    means = np.array([X[codes == c].mean(axis=0) for c in (0, 1)])
    centred = X - means[codes]
    within = np.atleast_2d(centred.T @ centred) / max(len(X) - 2, 1)  # two means were estimated
    # Least squares and not an inverse: features that depend on each other make `within` singular.
    axis = np.linalg.lstsq(within, means[1] - means[0], rcond=None)[0]
    width = np.sqrt(axis @ within @ axis)
    if not width > 0:
        raise ValueError("the two classes have the same mean or no spread: there is no axis.")
    return np.where(codes == 0, 1, -1) * (centred @ axis) / width


def _truncated_level(rates: np.ndarray, cutoff: float) -> np.ndarray:
    level = rates / norm.sf(cutoff)
    if level.max() > 1:
        warn_user(
            f"only {norm.sf(cutoff):.3g} of a class lies beyond cutoff={cutoff:g}, less than the "
            f"rate {rates.max():.3g}: all of it is flipped.",
            NoiseWarning,
        )
    return np.minimum(level, 1)


def _scaled_to(rate: float, shape: np.ndarray) -> np.ndarray:
    """``min(1, s * shape)`` with the factor s that makes the mean equal to ``rate``."""
    rate = check_fraction("rate", rate)
    reachable = np.count_nonzero(shape) / len(shape)
    if rate > reachable + 1e-12:
        raise ValueError(
            f"rate={rate:g} is out of reach: at most {reachable:.6g} of the rows can be flipped."
        )
    # With the m largest entries at one, the others must make up the rest in proportion.
    # The right m is the first for which none of the others would exceed one.
    descending = np.sort(shape)[::-1]
    rest = np.cumsum(descending[::-1])[::-1]
    needed = rate * len(shape) - np.arange(len(shape))
    factors = np.divide(needed, rest, out=np.zeros(len(shape)), where=rest > 0)
    m = int(np.argmax(factors * descending <= 1 + 1e-12))
    return np.minimum(1, max(factors[m], 0) * shape)
