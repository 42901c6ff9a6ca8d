"""Synthetic accelerometer recordings: people who lie, sit, stand, walk and run in turns."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .._validation import check_count, check_fraction, check_positive


class _Activity(NamedTuple):
    """Where gravity points (in g), how much the sensor trembles, and steps, if there are any."""

    gravity: tuple[float, float, float]
    tremor: float
    steps_per_second: float
    bounce: tuple[float, float, float]


_ACTIVITIES = {
    "lie": _Activity((0.0, 0.2, 0.98), 0.01, 0.0, (0.0, 0.0, 0.0)),
    "run": _Activity((0.95, 0.1, 0.2), 0.25, 2.7, (0.9, 0.35, 0.5)),
    "sit": _Activity((0.75, 0.15, 0.6), 0.02, 0.0, (0.0, 0.0, 0.0)),
    "stand": _Activity((0.98, 0.1, 0.05), 0.03, 0.0, (0.0, 0.0, 0.0)),
    "walk": _Activity((0.97, 0.1, 0.1), 0.1, 1.8, (0.3, 0.15, 0.2)),
}
# Who lies sits up first; who runs starts by walking.
_NEXT = {
    "lie": ("sit",),
    "run": ("walk", "stand"),
    "sit": ("lie", "stand"),
    "stand": ("sit", "walk"),
    "walk": ("run", "stand"),
}


def make_activity(
    n_recordings: int = 5,
    *,
    duration: float = 120.0,
    dwell: float = 10.0,
    fs: float = 20.0,
    noise: float = 1.0,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Recordings of a three-axis accelerometer, and what its wearer did at every sample.

    Five activities follow each other as a Markov chain in which nobody goes from lying to running.
    Each has its posture (the mean of the axes), its tremor (their variance) and, if it has steps,
    its rhythm. Wearers differ in rhythm and in how the sensor sits. Labels are exact; an annotator
    who writes down the time a little late is :func:`errata.noise.shift_boundaries`.

    Parameters
    ----------
    n_recordings : int, default=5
        Number of recordings, each of another wearer.
    duration : float, default=120
        Seconds of each recording.
    dwell : float, default=10
        Mean time that an activity lasts, in seconds; a quarter of it at least.
    fs : float, default=20
        Samples per second.
    noise : float, default=1
        Multiplies the tremor; at 3 sitting and standing begin to overlap.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n, 3)
        Accelerations in g, the recordings one after the other.
    y : array of shape (n,)
        lie, run, sit, stand or walk.
    lengths : list of int
        Number of samples of each recording.

    Examples
    --------
    >>> from errata.datasets import make_activity
    >>> X, y, lengths = make_activity(2, duration=60, random_state=0)
    >>> X.shape, lengths
    ((2400, 3), [1200, 1200])
    >>> list(dict.fromkeys(y[:1200].tolist()))
    ['walk', 'run', 'stand']
    """
    n_recordings = check_count("n_recordings", n_recordings)
    fs, dwell = check_positive("fs", fs), check_positive("dwell", dwell)
    n = check_count("duration * fs", int(check_positive("duration", duration) * fs))
    check_fraction("noise", noise, high=np.inf)
    random = check_random_state(random_state)
    labels = [_course(n, dwell * fs, random) for _ in range(n_recordings)]
    X = np.concatenate([_accelerations(y, fs, noise, random) for y in labels])
    return X, np.concatenate(labels), [n] * n_recordings


def _course(n: int, mean_dwell: float, random: np.random.RandomState) -> np.ndarray:
    """One activity after the other, until ``n`` samples are full."""
    activity = random.choice(sorted(_ACTIVITIES))
    labels: list[str] = []
    while len(labels) < n:
        stay = mean_dwell * (0.25 + random.exponential(0.75))
        labels += [activity] * max(1, round(stay))
        activity = random.choice(_NEXT[activity])
    return np.array(labels[:n])


def _accelerations(
    labels: np.ndarray, fs: float, noise: float, random: np.random.RandomState
) -> np.ndarray:
    activities = [_ACTIVITIES[label] for label in labels.tolist()]
    gravity = np.array([a.gravity for a in activities]) + random.normal(0, 0.03, size=3)
    tremor = np.array([a.tremor for a in activities])[:, None] * noise
    pace = random.uniform(0.9, 1.1)
    rate = np.array([a.steps_per_second for a in activities])
    # The angle goes on by the rate of the moment, so that steps do not jump between activities.
    angle = 2 * np.pi * np.cumsum(pace * rate / fs)[:, None]
    bounce = np.array([a.bounce for a in activities]) * np.sin(angle + random.uniform(0, 6.28, 3))
    return gravity + bounce + tremor * random.standard_normal((len(labels), 3))
