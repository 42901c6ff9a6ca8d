"""Synthetic problems of the papers, with known classes and, mostly, known Bayes error."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._validation import check_count, check_fraction
from ..noise import flip_labels


def make_twonorm(
    n_samples: int = 300,
    n_features: int = 20,
    *,
    balanced: bool = True,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Two spherical Gaussians, four standard deviations apart (Breiman 1996).

    Class 1 lies around (a, ..., a), class 0 around (-a, ..., -a), with a = 2 / sqrt(n_features).
    The best classifier is a hyperplane; its error is 2.3 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows.
    n_features : int, default=20
        Number of features.
    balanced : bool, default=True
        Classes of equal size (to one row); False draws each row's class at random.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,), 0 and 1

    Examples
    --------
    >>> X, y = make_twonorm(random_state=0)
    >>> X.shape, int(y.sum())
    ((300, 20), 150)
    """
    noise, y, _ = _standard_normal(n_samples, n_features, balanced, random_state)
    a = 2 / np.sqrt(n_features)
    return noise + np.where(y == 1, a, -a)[:, None], y


def make_threenorm(
    n_samples: int = 300,
    n_features: int = 20,
    *,
    balanced: bool = True,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Three spherical Gaussians, two of them of one class (Breiman 1996).

    Class 1 is half around (a, ..., a) and half around (-a, ..., -a), class 0 around
    (a, -a, a, -a, ...), with a = 2 / sqrt(n_features). The best error is 10.4 %. (Cantador and
    Dorronsoro print the mean of class 0 for the second half of class 1, which would make the best
    error 29 % and their own results impossible.)

    Parameters
    ----------
    n_samples, n_features, balanced, random_state
        As for :func:`make_twonorm`.

    Examples
    --------
    >>> X, y = make_threenorm(random_state=0)
    >>> bool(abs(X[y == 1].mean()) < 0.1)      # the halves of class 1 cancel
    True
    """
    noise, y, random = _standard_normal(n_samples, n_features, balanced, random_state)
    a = 2 / np.sqrt(n_features)
    side = np.where(random.random_sample(n_samples) < 0.5, a, -a)[:, None]
    alternating = np.resize([a, -a], n_features)
    return noise + np.where(y[:, None] == 1, side, alternating), y


def make_ringnorm(
    n_samples: int = 300,
    n_features: int = 20,
    *,
    shift: float = 1.0,
    balanced: bool = True,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """A tight Gaussian inside a wide one: no hyperplane separates them (Breiman 1996).

    Class 1 is around the origin with standard deviation 2, class 0 around (b, ..., b) with standard
    deviation 1 and b = ``shift`` / sqrt(n_features). The best error is 1.5 % with shift 1, the
    value of Cantador and Dorronsoro, and 1.2 % with shift 2, Breiman's.

    Parameters
    ----------
    n_samples, n_features, balanced, random_state
        As for :func:`make_twonorm`.
    shift : float, default=1
        Distance of the centre of class 0 from the origin.

    Examples
    --------
    >>> X, y = make_ringnorm(random_state=0)
    >>> [round(float(X[y == c].std()), 1) for c in (0, 1)]
    [1.0, 2.0]
    """
    noise, y, _ = _standard_normal(n_samples, n_features, balanced, random_state)
    b = shift / np.sqrt(n_features)
    return np.where(y[:, None] == 1, 2 * noise, noise + b), y


def make_xor(
    n_samples: int = 300, *, noise: float = 0.0, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Points in a square whose class says whether the signs of both coordinates differ.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, uniform in (-1, 1) x (-1, 1).
    noise : float, default=0
        Fraction of the labels that are flipped, exactly.
    random_state : int, RandomState instance or None
        Seed.

    Examples
    --------
    >>> X, y = make_xor(random_state=0)
    >>> bool(((X[:, 0] * X[:, 1] < 0) == y).all())
    True
    """
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    X = random.uniform(-1, 1, size=(n_samples, 2))
    y = (X[:, 0] * X[:, 1] < 0).astype(int)
    # Both classes are named, as a few rows may hold only one. The generator, not the seed: with the
    # seed, the rows flipped would depend on the very numbers their features were made of.
    y, _ = flip_labels(y, noise, classes=[0, 1], random_state=random)
    return X, y


def make_squares(
    n_samples: int = 200,
    *,
    noise: float = 0.2,
    outliers: float = 0.05,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two squares with wrong labels and outliers: Walmsley's picture of noise (figure 1.2.1).

    Class 0 is uniform in (0, 1) x (0, 1), class 1 in (1.5, 2.5) x (-0.5, 0.5): a line separates
    them, but for the noise. Outliers belong to class 0 and lie elsewhere; they are rare, not wrong.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows, half of each class.
    noise : float, default=0.2
        Fraction of the labels that are flipped, exactly.
    outliers : float, default=0.05
        Fraction of the rows that are outliers, uniform in (0, 1) x (1.5, 2). The paper shows some
        and does not say how many nor where.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)
        The labels, some of them wrong.
    flipped : array of bool of shape (n_samples,)
        Where they are wrong.

    Examples
    --------
    >>> X, y, flipped = make_squares(random_state=0)
    >>> int(flipped.sum())
    40
    """
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    true = np.arange(n_samples) % 2
    corner = np.where(true[:, None] == 1, [1.5, -0.5], [0.0, 0.0])
    X = corner + random.uniform(size=(n_samples, 2))
    # At most half of the rows: class 0, to which outliers belong, has no more.
    count = int(np.floor(check_fraction("outliers", outliers, high=0.5) * n_samples + 0.5))
    outlying = random.permutation(np.flatnonzero(true == 0))[:count]
    X[outlying] = random.uniform([0, 1.5], [1, 2], size=(len(outlying), 2))
    y, flipped = flip_labels(true, noise, random_state=random)
    return X, y, flipped


def _standard_normal(
    n_samples: int, n_features: int, balanced: bool, random_state: Any
) -> tuple[np.ndarray, np.ndarray, np.random.RandomState]:
    """Standard normal rows, their classes, and the generator for further draws."""
    n_samples = check_count("n_samples", n_samples)
    n_features = check_count("n_features", n_features)
    random = check_random_state(random_state)
    # Exact halves, in random order, or independent draws.
    y = np.arange(n_samples) % 2 if balanced else random.randint(2, size=n_samples)
    return random.standard_normal((n_samples, n_features)), random.permutation(y), random
