"""Synthetic data: problems of the papers, accelerometers, electrocardiograms."""

from typing import Any

import numpy as np
from scipy.fft import irfft, rfftfreq
from scipy.signal import lfilter
from sklearn.utils import Bunch, check_random_state

from .._validation import check_count, check_fraction, check_positive
from ..noise import flip_labels

WAVES = ("B3", "P", "QRS", "T")  # in the order in which a beat goes through them

# Of the events P, Q, R, S, T: where in the cycle, how strong, how wide.
_ANGLES = np.radians([-70.0, -15.0, 0.0, 15.0, 100.0])
_STRENGTHS = np.array([1.2, -5.0, 30.0, -7.5, 0.75])
_WIDTHS = np.array([0.25, 0.1, 0.1, 0.1, 0.4])
_P = 0
_Q = 1
_S = 3
_T = 4
_OVERSAMPLING = 4
_SETTLING_BEATS = 2  # simulated and dropped: the voltage starts from zero

# Where gravity points (in g), how much the sensor trembles, steps per second, and their bounce.
_ACTIVITIES = {
    "lie": ((0.0, 0.2, 0.98), 0.01, 0.0, (0.0, 0.0, 0.0)),
    "run": ((0.95, 0.1, 0.2), 0.25, 2.7, (0.9, 0.35, 0.5)),
    "sit": ((0.75, 0.15, 0.6), 0.02, 0.0, (0.0, 0.0, 0.0)),
    "stand": ((0.98, 0.1, 0.05), 0.03, 0.0, (0.0, 0.0, 0.0)),
    "walk": ((0.97, 0.1, 0.1), 0.1, 1.8, (0.3, 0.15, 0.2)),
}
# Who lies sits up first; who runs starts by walking.
_NEXT = {
    "lie": ("sit",),
    "run": ("walk", "stand"),
    "sit": ("lie", "stand"),
    "stand": ("sit", "walk"),
    "walk": ("run", "stand"),
}


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
    noise, y, _ = _draw_standard_normal(n_samples, n_features, balanced, random_state)
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
    noise, y, random = _draw_standard_normal(n_samples, n_features, balanced, random_state)
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
    noise, y, _ = _draw_standard_normal(n_samples, n_features, balanced, random_state)
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


def _draw_standard_normal(
    n_samples: int, n_features: int, balanced: bool, random_state: Any
) -> tuple[np.ndarray, np.ndarray, np.random.RandomState]:
    """Standard normal rows, their classes, and the generator for further draws."""
    n_samples = check_count("n_samples", n_samples)
    n_features = check_count("n_features", n_features)
    random = check_random_state(random_state)
    # Exact halves, in random order, or independent draws.
    y = np.arange(n_samples) % 2 if balanced else random.randint(2, size=n_samples)
    return random.standard_normal((n_samples, n_features)), random.permutation(y), random


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
    fs = check_positive("fs", fs)
    dwell = check_positive("dwell", dwell)
    n = check_count("duration * fs", int(check_positive("duration", duration) * fs))
    check_fraction("noise", noise, high=np.inf)
    random = check_random_state(random_state)
    labels = [_draw_course(n, dwell * fs, random) for _ in range(n_recordings)]
    X = np.concatenate([_simulate_accelerations(y, fs, noise, random) for y in labels])
    return X, np.concatenate(labels), [n] * n_recordings


def _draw_course(n: int, mean_dwell: float, random: np.random.RandomState) -> np.ndarray:
    """One activity after the other, until ``n`` samples are full."""
    activity = random.choice(sorted(_ACTIVITIES))
    labels: list[str] = []
    while len(labels) < n:
        stay = mean_dwell * (0.25 + random.exponential(0.75))
        labels += [activity] * max(1, round(stay))
        activity = random.choice(_NEXT[activity])
    return np.array(labels[:n])


def _simulate_accelerations(
    labels: np.ndarray, fs: float, noise: float, random: np.random.RandomState
) -> np.ndarray:
    activities = [_ACTIVITIES[label] for label in labels.tolist()]
    gravity, tremor, rate, bounce = map(np.array, zip(*activities, strict=True))
    gravity = gravity + random.normal(0, 0.03, size=3)
    tremor = tremor[:, None] * noise
    pace = random.uniform(0.9, 1.1)
    # The angle goes on by the rate of the moment, so that steps do not jump between activities.
    angle = 2 * np.pi * np.cumsum(pace * rate / fs)[:, None]
    bounce = bounce * np.sin(angle + random.uniform(0, 6.28, 3))
    return gravity + bounce + tremor * random.standard_normal((len(labels), 3))


def make_ecg(
    n_beats: int = 50,
    *,
    heart_rate: float = 60.0,
    heart_rate_std: float = 1.0,
    lf_hf_ratio: float = 0.5,
    fs: float = 250.0,
    noise: float = 0.0,
    jitter: float = 0.0,
    ectopic_rate: float = 0.0,
    random_state: Any = None,
) -> Bunch:
    """An electrocardiogram of which every sample's wave is known.

    A point runs around a circle once per beat, and five events on its way (P, Q, R, S, T) pull the
    voltage up or down [1]_. The length of the beats varies as breathing and blood pressure make it
    vary. Labels follow from the angle, so they are exact, which those of no human annotator are:
    put errors into them with :func:`errata.noise.shift_boundaries`. Costs O(samples).

    Parameters
    ----------
    n_beats : int, default=50
        Number of beats.
    heart_rate : float, default=60
        Mean heart rate, beats per minute. Waves grow wider with the square root of the rate, as a
        fraction of the beat.
    heart_rate_std : float, default=1
        Its standard deviation; at most a fifth of the mean.
    lf_hf_ratio : float, default=0.5
        Power of the slow variation of the rate (0.1 Hz) over that of the breathing (0.25 Hz).
    fs : float, default=250
        Samples per second.
    noise : float, default=0
        Each sample gets a number uniform in ±``noise`` mV; 0.05 is a fair recording.
    jitter : float in [0, 0.5], default=0
        How much patients differ: strengths and widths of the waves are multiplied by a number
        uniform in 1 ± ``jitter``, angles in 1 ± ``jitter`` / 2, drawn once per recording.
    ectopic_rate : float in [0, 1], default=0
        Fraction of the beats, drawn one by one, that come from elsewhere in the heart: no P wave,
        a QRS complex of twice the width, a T wave upside down.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    Bunch
        ``signal`` (n,) in mV; ``labels`` (n,), of B3 (the baseline between T and P), P, QRS and T;
        ``phase`` (n,), the angle in (-pi, pi]; ``boundaries`` (n_beats, 4), the first sample of P,
        QRS, T and of the baseline that follows; ``ectopic`` (n_beats,), bool; ``lengths``, [n];
        ``fs``.

    Notes
    -----
    ``dz/dt = -sum_i a_i d_i exp(-d_i^2 / (2 b_i^2)) - (z - z0)``, d_i the angle from event i and z0
    a baseline that wanders with the breathing. The equation is linear in z, and is solved as a
    filter at four times ``fs``. The result is scaled to [-0.4, 1.2] mV.

    A wave reaches two widths from its event: P from its onset to the QRS complex (the PQ segment
    included), QRS from Q to S, T from there to its end (the ST segment included, and cut at the
    next P). The four labels thus follow each other in a circle. P is missing in an ectopic beat.

    References
    ----------
    .. [1] McSharry, Clifford, Tarassenko and Smith (2003). A dynamical model for generating
       synthetic electrocardiogram signals. IEEE Transactions on Biomedical Engineering 50(3).

    Examples
    --------
    >>> from errata.datasets import make_ecg
    >>> ecg = make_ecg(10, heart_rate_std=0, random_state=0)
    >>> ecg.signal.shape, ecg.boundaries[0].tolist()
    ((2500,), [57, 107, 144, 227])
    >>> "".join(label[0] for label in ecg.labels[:250:10])
    'BBBBBBPPPPPQQQQTTTTTTTTBB'
    """
    n_beats = check_count("n_beats", n_beats)
    heart_rate = check_positive("heart_rate", heart_rate)
    fs = check_positive("fs", fs)
    check_fraction("heart_rate_std", heart_rate_std, high=heart_rate / 5)
    check_fraction("lf_hf_ratio", lf_hf_ratio, high=np.inf)
    check_fraction("noise", noise, high=np.inf)
    check_fraction("jitter", jitter, high=0.5)
    check_fraction("ectopic_rate", ectopic_rate)
    random = check_random_state(random_state)
    simulated = _SETTLING_BEATS + n_beats + 1  # one more: its P may begin within the last
    starts = _draw_beat_starts(simulated, heart_rate, heart_rate_std, lf_hf_ratio, random)
    ectopic = random.random_sample(simulated) < ectopic_rate
    angles, strengths, widths = _draw_events(ectopic, heart_rate, jitter, random)
    # On the fine grid; the angle starts from -pi and goes on by 2 pi with every beat.
    time = np.arange(int(starts[-1] * fs * _OVERSAMPLING)) / (fs * _OVERSAMPLING)
    angle = np.interp(time, starts, 2 * np.pi * np.arange(len(starts)) - np.pi)
    voltage = _simulate_voltage(time, angle, angles, strengths, widths, 1 / (_OVERSAMPLING * fs))
    # The samples of the recording among those of the fine grid.
    first, stop = np.searchsorted(time, [starts[_SETTLING_BEATS] - 1e-9, starts[-2] - 1e-9])
    kept = slice(first, stop, _OVERSAMPLING)
    signal = _scale_voltage(voltage[kept])
    angle = angle[kept]
    whole = slice(_SETTLING_BEATS, -1)
    boundaries = np.searchsorted(angle, _find_wave_angles(angles, widths, ectopic))[whole]
    return Bunch(
        signal=signal + noise * random.uniform(-1, 1, size=len(signal)),
        labels=_label_samples(boundaries, len(signal)),
        phase=np.pi - (np.pi - angle) % (2 * np.pi),
        boundaries=boundaries,
        ectopic=ectopic[whole],
        lengths=[len(signal)],
        fs=fs,
    )


def _draw_beat_starts(
    n_beats: int, rate: float, rate_std: float, ratio: float, random: np.random.RandomState
) -> np.ndarray:
    """When each beat starts, and when the last one ends, in seconds."""
    mean = 60 / rate
    seconds = int(np.ceil(2 * n_beats * mean)) + 2  # twice as long as the beats are to be
    intervals = mean + _simulate_rhythm(seconds, ratio, random) * 60 * rate_std / rate**2
    starts = [0.0]
    for _ in range(n_beats):
        starts.append(starts[-1] + intervals[int(starts[-1]) % seconds])
    return np.array(starts)


def _simulate_rhythm(seconds: int, ratio: float, random: np.random.RandomState) -> np.ndarray:
    """A process of mean 0 and variance 1, a value a second: pressure (slow), breathing (fast)."""
    frequency = rfftfreq(seconds)
    slow, fast = (np.exp(-0.5 * ((frequency - centre) / 0.01) ** 2) for centre in (0.1, 0.25))
    power = ratio * slow + fast
    power[0] = 0.0
    phases = random.uniform(0, 2 * np.pi, size=len(frequency))
    process = irfft(np.sqrt(power) * np.exp(1j * phases), n=seconds)
    return process / process.std()


def _draw_events(
    ectopic: np.ndarray, rate: float, jitter: float, random: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angle, strength and width of the five events of each beat, three arrays (n_beats, 5)."""
    h = np.sqrt(rate / 60)
    angles = _ANGLES * [np.sqrt(h), h, 1.0, h, np.sqrt(h)]
    angles = angles * random.uniform(1 - jitter / 2, 1 + jitter / 2, size=5)
    strengths = _STRENGTHS * random.uniform(1 - jitter, 1 + jitter, size=5)
    widths = _WIDTHS * h * random.uniform(1 - jitter, 1 + jitter, size=5)
    odd = ectopic[:, None]
    return (
        np.tile(angles, (len(ectopic), 1)),
        strengths * np.where(odd, [0.0, 1.0, 1.0, 1.0, -1.0], 1.0),
        widths * np.where(odd, [1.0, 2.0, 2.0, 2.0, 1.0], 1.0),
    )


def _simulate_voltage(
    time: np.ndarray,
    angle: np.ndarray,
    angles: np.ndarray,
    strengths: np.ndarray,
    widths: np.ndarray,
    step: float,
) -> np.ndarray:
    force = 0.005 * np.sin(2 * np.pi * 0.25 * time)
    beat = np.floor((angle + np.pi) / (2 * np.pi)).astype(int).clip(max=len(angles) - 1)
    for place, strength, width in zip(angles.T, strengths.T, widths.T, strict=True):
        distance = np.pi - (np.pi - angle + place[beat]) % (2 * np.pi)
        force -= strength[beat] * distance * np.exp(-0.5 * (distance / width[beat]) ** 2)
    decay = np.exp(-step)
    # The mean of the force at both ends of a step, carried along by z' = force - z.
    return lfilter([(1 - decay) / 2, (1 - decay) / 2], [1.0, -decay], force)


def _scale_voltage(voltage: np.ndarray) -> np.ndarray:
    low = voltage.min()
    high = voltage.max()
    return -0.4 + 1.6 * (voltage - low) / (high - low)


def _find_wave_angles(angles: np.ndarray, widths: np.ndarray, ectopic: np.ndarray) -> np.ndarray:
    """Where P, QRS, T and the baseline begin in each beat, on the angle that goes on."""
    begin = angles - 2 * widths
    end = angles + 2 * widths
    begin[:, _P] = np.where(ectopic, begin[:, _Q], np.minimum(begin[:, _P], begin[:, _Q]))
    marks = np.column_stack([begin[:, _P], begin[:, _Q], end[:, _S], end[:, _T]])
    marks += 2 * np.pi * np.arange(len(marks))[:, None]
    marks[:-1, 3] = np.minimum(marks[:-1, 3], marks[1:, 0])
    return marks


def _label_samples(boundaries: np.ndarray, n: int) -> np.ndarray:
    durations = np.diff(np.r_[0, boundaries.ravel(), n])
    # The baseline, then P, QRS, T, baseline in every beat.
    return np.repeat(np.resize(WAVES, len(durations)), durations)
