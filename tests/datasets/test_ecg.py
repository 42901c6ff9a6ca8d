import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from errata.datasets import make_ecg
from errata.datasets._synthetic import _ANGLES, _STRENGTHS, _WIDTHS, WAVES
from strategies import seeds


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
        distance = np.mod(2 * np.pi * t - np.pi - _ANGLES + np.pi, 2 * np.pi) - np.pi
        pull = _STRENGTHS * distance * np.exp(-0.5 * (distance / _WIDTHS) ** 2)
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
def test_bad_requests_get_a_sentence(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_ecg(**how)
