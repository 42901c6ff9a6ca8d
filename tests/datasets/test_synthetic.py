import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.stats import norm
from sklearn.linear_model import Perceptron

from errata.datasets import (
    _synthetic,
    make_activity,
    make_ecg,
    make_ringnorm,
    make_squares,
    make_threenorm,
    make_twonorm,
    make_xor,
)
from strategies import seeds

N = 100_000

# Who lies sits up first; who runs starts by walking.
FOLLOWERS = {
    "lie": ("sit",),
    "run": ("walk", "stand"),
    "sit": ("lie", "stand"),
    "stand": ("sit", "walk"),
    "walk": ("run", "stand"),
}
GRAVITY = {  # in g, along the axes of the sensor
    "lie": (0.0, 0.2, 0.98),
    "run": (0.95, 0.1, 0.2),
    "sit": (0.75, 0.15, 0.6),
    "stand": (0.98, 0.1, 0.05),
    "walk": (0.97, 0.1, 0.1),
}
WAVES = ("B3", "P", "QRS", "T")
# The events P, Q, R, S and T of McSharry and others, table 1.
ANGLES = np.radians([-70.0, -15.0, 0.0, 15.0, 100.0])
STRENGTHS = np.array([1.2, -5.0, 30.0, -7.5, 0.75])
WIDTHS = np.array([0.25, 0.1, 0.1, 0.1, 0.4])


def log_density(X, mean, deviation=1.0):
    return norm.logpdf(X, mean, deviation).sum(axis=1)


def bayes_error(X, y, log_p0, log_p1):
    return np.mean((log_p1 > log_p0) != y)


def within_four_deviations(found, expected, n=N):
    return abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / n) + 5e-4


def test_twonorm_has_its_bayes_error():
    X, y = make_twonorm(N, random_state=0)
    error = np.mean((X.sum(axis=1) > 0) != y)
    assert within_four_deviations(error, norm.cdf(-2))  # Breiman 1996: 2.3 %


def test_threenorm_has_its_bayes_error():
    X, y = make_threenorm(N, random_state=0)
    a = 2 / np.sqrt(20)
    log_p1 = np.logaddexp(log_density(X, a), log_density(X, -a)) - np.log(2)
    log_p0 = log_density(X, np.resize([a, -a], 20))
    # Breiman 1996 gives 10.5 %; Monte Carlo with a million rows 10.4 %.
    assert within_four_deviations(bayes_error(X, y, log_p0, log_p1), 0.104)


@pytest.mark.parametrize(("shift", "expected"), [(1, 0.0150), (2, 0.0123)])
def test_ringnorm_has_its_bayes_error(shift, expected):
    X, y = make_ringnorm(N, shift=shift, random_state=0)
    log_p0 = log_density(X, shift / np.sqrt(20))
    log_p1 = log_density(X, 0, 2)
    assert within_four_deviations(bayes_error(X, y, log_p0, log_p1), expected)


@pytest.mark.parametrize("make", [make_twonorm, make_threenorm, make_ringnorm])
def test_norms_keep_their_promises(make):
    X, y = make(301, 7, random_state=3)
    assert X.shape == (301, 7)
    assert sorted(np.bincount(y)) == [150, 151]
    np.testing.assert_array_equal(make(301, 7, random_state=3)[0], X)
    assert not np.array_equal(make(301, 7, random_state=4)[0], X)
    _, drawn = make(1000, balanced=False, random_state=0)
    assert 400 < drawn.sum() < 600
    assert drawn.sum() != 500


def test_xor_is_right_but_for_the_noise_asked_for():
    X, y = make_xor(500, noise=0.1, random_state=0)
    assert np.mean((X[:, 0] * X[:, 1] < 0) != y) == 0.1
    assert np.all(np.abs(X) <= 1)


def test_squares_are_separable_but_for_the_noise():
    X, y, flipped = make_squares(400, random_state=0)
    assert flipped.mean() == 0.2
    true = np.where(flipped, 1 - y, y)
    assert Perceptron(max_iter=5000, tol=None).fit(X, true).score(X, true) == 1
    inside = np.all((X >= [1.5, -0.5]) & (X <= [2.5, 0.5]), axis=1)
    np.testing.assert_array_equal(inside, true == 1)
    assert np.sum(X[:, 1] > 1.4) == 20  # the outliers


def test_bad_sizes_get_a_sentence():
    with pytest.raises(ValueError, match="n_samples=0 must be a whole number at least 1"):
        make_twonorm(0)
    with pytest.raises(ValueError, match=r"outliers=0.9 must be a number between 0 and 0.5"):
        make_squares(outliers=0.9)


def test_recordings_have_the_length_asked_for_and_repeat():
    X, y, lengths = make_activity(3, duration=30, fs=50, random_state=0)
    assert lengths == [1500] * 3
    assert X.shape == (4500, 3)
    assert y.shape == (4500,)
    np.testing.assert_array_equal(make_activity(3, duration=30, fs=50, random_state=0)[0], X)


def test_activities_follow_each_other_as_people_do():
    _, y, lengths = make_activity(4, duration=2000, dwell=5, random_state=1)
    seen = {
        (one, other)
        for part in np.split(y, np.cumsum(lengths)[:-1])
        for one, other in zip(part[:-1].tolist(), part[1:].tolist(), strict=True)
        if one != other
    }
    assert seen == {(one, other) for one, others in FOLLOWERS.items() for other in others}


def test_an_activity_lasts_as_long_as_asked_for_on_average():
    _, y, _ = make_activity(1, duration=20_000, dwell=8, fs=10, random_state=0)
    stays = np.diff(np.flatnonzero(np.r_[True, y[1:] != y[:-1]])) / 10
    assert abs(stays.mean() - 8) < 0.5
    assert stays.min() >= 2


def test_axes_have_the_posture_the_tremor_and_the_rhythm_of_the_activity():
    X, y, _ = make_activity(1, duration=4000, dwell=40, random_state=0)
    spread = {name: X[y == name].std() for name in GRAVITY}
    assert spread["run"] > X[y == "walk"].std(axis=0).max() > X[y == "sit"].std(axis=0).max()
    for name, gravity in GRAVITY.items():
        np.testing.assert_allclose(X[y == name].mean(axis=0), gravity, rtol=0, atol=0.1)
    begins = np.flatnonzero(np.r_[True, y[1:] != y[:-1]])
    walk = next(b for b in begins if y[b] == "walk" and (y[b : b + 600] == "walk").all())
    power = np.abs(np.fft.rfft(X[walk : walk + 600, 0] - X[walk : walk + 600, 0].mean()))
    steps = np.fft.rfftfreq(600, 1 / 20)[power.argmax()]
    assert 0.9 * 1.8 - 0.05 <= steps <= 1.1 * 1.8 + 0.05


def test_bad_requests_get_a_sentence():
    with pytest.raises(ValueError, match="n_recordings=0 must be a whole number"):
        make_activity(0)
    with pytest.raises(ValueError, match="dwell=0 must be a finite number above 0"):
        make_activity(dwell=0)


def test_a_steady_heart_beats_every_250_samples():
    ecg = make_ecg(20, heart_rate_std=0)
    np.testing.assert_array_equal(np.diff(ecg.boundaries, axis=0), 250)
    assert len(ecg.signal) == 20 * 250
    np.testing.assert_allclose([ecg.signal.min(), ecg.signal.max()], [-0.4, 1.2], rtol=0, atol=1e-9)
    shares = [np.mean(ecg.labels == wave) for wave in WAVES]
    # Twice the width around each event, as a share of the circle.
    np.testing.assert_allclose(shares, [0.321, 0.201, 0.147, 0.332], rtol=0, atol=0.003)


def test_the_voltage_solves_the_equation():
    ecg = make_ecg(1, heart_rate_std=0)

    def slope(t, z):
        distance = np.mod(2 * np.pi * t - np.pi - ANGLES + np.pi, 2 * np.pi) - np.pi
        pull = STRENGTHS * distance * np.exp(-0.5 * (distance / WIDTHS) ** 2)
        return -pull.sum() - (z - 0.005 * np.sin(2 * np.pi * 0.25 * t))

    times = 2 + np.arange(250) / 250  # after two beats that are dropped
    z = solve_ivp(slope, (0, 3), [0.0], t_eval=times, rtol=1e-8, atol=1e-10, max_step=0.01).y[0]
    scaled = -0.4 + 1.6 * (z - z.min()) / np.ptp(z)
    np.testing.assert_allclose(ecg.signal, scaled, rtol=0, atol=1.6 * 1e-3)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 8),
    st.floats(30, 200),
    st.floats(0, 0.2),
    st.floats(0, 0.5),
    st.floats(0, 1),
    seeds,
)
def test_labels_go_round_and_begin_where_the_boundaries_say(
    n_beats, heart_rate, variation, jitter, ectopic_rate, seed
):
    ecg = make_ecg(
        n_beats, heart_rate=heart_rate, heart_rate_std=variation * heart_rate, jitter=jitter,
        ectopic_rate=ectopic_rate, random_state=seed,
    )  # fmt: skip
    assert ecg.boundaries.shape == (n_beats, 4)
    assert len(ecg.signal) == len(ecg.labels) == len(ecg.phase) == ecg.lengths[0]
    assert np.isfinite(ecg.signal).all()
    assert (np.diff(ecg.boundaries.ravel()) >= 0).all()
    begins = ecg.boundaries.ravel()
    for begin, stop, wave in zip(
        begins, np.r_[begins[1:], len(ecg.labels)], ["P", "QRS", "T", "B3"] * n_beats, strict=True
    ):
        assert set(ecg.labels[begin:stop]) <= {wave}
    assert (-np.pi < ecg.phase).all()
    assert (ecg.phase <= np.pi).all()


def test_in_a_racing_heart_t_ends_where_the_next_p_begins():
    ecg = make_ecg(5, heart_rate=200, heart_rate_std=0)
    np.testing.assert_array_equal(ecg.boundaries[:-1, 3], ecg.boundaries[1:, 0])
    assert "B3" not in ecg.labels[ecg.boundaries[0, 0] : ecg.boundaries[-1, 3]]


def test_the_rate_has_the_mean_and_spread_asked_for():
    ecg = make_ecg(600, heart_rate=75, heart_rate_std=4, random_state=0)
    intervals = np.diff(ecg.boundaries[:, 1]) / ecg.fs
    assert abs(intervals.mean() - 60 / 75) < 0.005
    assert abs(intervals.std() - 60 * 4 / 75**2) < 0.01


def test_the_peak_is_in_the_qrs_complex_and_the_t_wave_after_it():
    ecg = make_ecg(30, heart_rate=70, jitter=0.15, noise=0.01, random_state=3)
    for p, qrs, t, baseline in ecg.boundaries:
        assert qrs <= p + np.argmax(ecg.signal[p:baseline]) < t
        assert ecg.signal[t:baseline].max() > ecg.signal[baseline : baseline + 20].mean()


def test_ectopic_beats_have_no_p_a_wide_qrs_and_their_t_upside_down():
    ecg = make_ecg(200, ectopic_rate=0.3, heart_rate_std=0, random_state=0)
    assert 0.2 < ecg.ectopic.mean() < 0.4
    p, qrs, t, _ = (ecg.boundaries[:, k] for k in range(4))
    np.testing.assert_array_equal(p == qrs, ecg.ectopic)
    assert (t - qrs)[ecg.ectopic].min() > (t - qrs)[~ecg.ectopic].max()
    waves = [ecg.signal[begin + 40 : begin + 80].mean() for begin in t]
    assert max(np.array(waves)[ecg.ectopic]) < min(np.array(waves)[~ecg.ectopic])
    beats = ecg.signal.reshape(200, 250)  # P is at -70 degrees, 76 samples after a beat begins
    bump = beats[:, 66:86].mean(axis=1) - beats[:, 20:40].mean(axis=1)
    assert bump[ecg.ectopic].max() < 0.5 * bump[~ecg.ectopic].min()


def test_noise_is_uniform_and_seeds_repeat():
    clean, noisy = make_ecg(40, random_state=1), make_ecg(40, noise=0.05, random_state=1)
    added = noisy.signal - clean.signal
    assert 0.0499 < np.abs(added).max() <= 0.05
    assert abs(added.std() - 0.05 / np.sqrt(3)) < 0.001
    np.testing.assert_array_equal(make_ecg(40, random_state=1).signal, clean.signal)
    assert not np.array_equal(make_ecg(40, random_state=2).signal[:5000], clean.signal[:5000])


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"n_beats": 0}, "n_beats=0 must be a whole number at least 1"),
        ({"heart_rate": -1}, "heart_rate=-1 must be a finite number above 0"),
        ({"heart_rate_std": 30}, "heart_rate_std=30 must be a number between 0 and 12"),
        ({"jitter": 0.6}, "jitter=0.6 must be a number between 0 and 0.5"),
        ({"ectopic_rate": 2}, "ectopic_rate=2 must be a number between 0 and 1"),
        ({"noise": -0.1}, "noise=-0.1 must be a number between 0 and inf"),
        ({"fs": 0}, "fs=0 must be a finite number above 0"),
    ],
)
def test_bad_requests_get_a_sentence_in_ecg(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_ecg(**how)


def test_jitter_moves_angles_half_as_far_as_strengths_and_widths():
    even = np.zeros(1, dtype=bool)
    plain = np.array(_synthetic._draw_events(even, 60.0, 0.0, np.random.RandomState(0)))
    drawn = np.array(
        [
            _synthetic._draw_events(even, 60.0, 0.2, np.random.RandomState(seed))
            for seed in range(200)
        ]
    )
    ratio = (drawn / np.where(plain == 0, np.nan, plain))[:, :, 0]  # the R wave is at the angle 0
    reach = np.array([0.1, 0.2, 0.2])
    np.testing.assert_allclose(np.nanmin(ratio, axis=(0, 2)), 1 - reach, atol=0.005)
    np.testing.assert_allclose(np.nanmax(ratio, axis=(0, 2)), 1 + reach, atol=0.005)
