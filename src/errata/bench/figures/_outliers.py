"""Small samples with one bad row, the last: the problems of Frénay and Verleysen (2014).

The paper shows its samples in figures and states neither where rows lie nor where the bad one is.
These are its settings, with the bad row where it does harm.
"""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..._validation import check_count


def make_outlying_line(
    n_samples: int = 30, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points around a line, and one far below it (figures 6, 11 and 12).

    The line is y = 1 + 2x on [0, 1], with Gaussian noise of standard deviation 0.2. The last point
    is (0.9, -0.5), 16 standard deviations from it.

    Parameters
    ----------
    n_samples : int, default=30
        Number of rows, the bad one included.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 1)
    y : array of shape (n_samples,)
    outlying : array of bool of shape (n_samples,)
        Where the bad row is: at the end.

    Examples
    --------
    >>> X, y, outlying = make_outlying_line(random_state=0)
    >>> X[outlying], y[outlying]
    (array([[0.9]]), array([-0.5]))
    """
    # Near one end, where a point turns the line most.
    return _around(lambda x: 1 + 2 * x, 0.2, (0.9, -0.5), n_samples, random_state)


def make_outlying_sine(
    n_samples: int = 30, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points around one period of a sine, and one far above its trough (figure 8).

    The curve is y = sin(2 pi x) on [0, 1], with Gaussian noise of standard deviation 0.1. The last
    point is (0.75, 1.5), 25 standard deviations from it.

    Parameters
    ----------
    n_samples, random_state
        As for :func:`make_outlying_line`, and so is what is returned.

    Examples
    --------
    >>> X, y, outlying = make_outlying_sine(random_state=0)
    >>> X[outlying], y[outlying]
    (array([[0.75]]), array([1.5]))
    """
    return _around(lambda x: np.sin(2 * np.pi * x), 0.1, (0.75, 1.5), n_samples, random_state)


def make_outlying_cloud(
    n_samples: int = 50, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """A long thin Gaussian cloud, and one point far from it (figure 10).

    The cloud lies around (-0.5, 0.5), with standard deviations 1 and 0.2 along axes turned by 30
    degrees. The last point is (-1.5, 2.5).

    Parameters
    ----------
    n_samples : int, default=50
        Number of rows, the bad one included.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 2)
    outlying : array of bool of shape (n_samples,)
        Where the bad row is: at the end.

    Examples
    --------
    >>> X, outlying = make_outlying_cloud(random_state=0)
    >>> X[outlying]
    array([[-1.5,  2.5]])
    """
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    cos, sin = np.cos(np.pi / 6), np.sin(np.pi / 6)
    # Equation 70, which prints 0.87 for the last entry; it is 0.2 cos(pi/6) = 0.17.
    mixing = np.array([[cos, -sin], [sin, cos]]) @ np.diag([1.0, 0.2])
    cloud = random.standard_normal((n_samples - 1, 2)) @ mixing.T + [-0.5, 0.5]
    return np.vstack([cloud, [-1.5, 2.5]]), _last(n_samples)


def make_mislabelled_extreme(
    n_samples: int = 30, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two overlapping classes on a line, and the farthest row of class 1 labelled 0 (figure 9).

    Class 0 is normal around -2, class 1 around 2, both with standard deviation 1.7.

    Parameters
    ----------
    n_samples : int, default=30
        Number of rows, half of each class.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 1)
    y : array of shape (n_samples,)
        The labels.
    flipped : array of bool of shape (n_samples,)
        Where the label is wrong: at the end.

    Examples
    --------
    >>> X, y, flipped = make_mislabelled_extreme(random_state=0)
    >>> y[flipped], bool(X[flipped][0, 0] == X.max())
    (array([0]), True)
    """
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    y = (np.arange(n_samples) >= n_samples // 2).astype(int)
    x = np.where(y == 1, 2.0, -2.0) + 1.7 * random.standard_normal(n_samples)
    # The rows of class 1 come last, sorted: the farthest of them is the last row of all.
    x[y == 1] = np.sort(x[y == 1])
    return x[:, None], np.where(_last(n_samples), 0, y), _last(n_samples)


def _around(
    curve: Any, noise: float, outlier: tuple[float, float], n_samples: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noisy points of a curve at even distances on [0, 1], and the outlier."""
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    x = np.linspace(0, 1, n_samples - 1)
    y = curve(x) + noise * random.standard_normal(n_samples - 1)
    return np.append(x, outlier[0])[:, None], np.append(y, outlier[1]), _last(n_samples)


def _last(n: int) -> np.ndarray:
    return np.arange(n) == n - 1
