import numpy as np
import pytest

from errata.datasets import make_ecg
from errata.sequence import WaveletFeatures
from errata.sequence._wavelets import (
    COIF2,
    _filter,
    compute_coiflet,
    compute_coiflet_integral,
    transform_continuously,
)

SCALES = (2, 4, 8, 16, 32, 64, 128)


def test_taps_are_an_orthonormal_filter():
    np.testing.assert_allclose(COIF2.sum(), np.sqrt(2), rtol=0, atol=1e-12)
    for shift in range(0, 12, 2):
        product = COIF2[shift:] @ COIF2[: 12 - shift]
        np.testing.assert_allclose(product, float(shift == 0), rtol=0, atol=1e-12)


def test_the_wavelet_has_unit_norm_zero_mean_and_its_centre_frequency():
    psi, step = compute_coiflet(), 2.0**-10
    np.testing.assert_allclose((psi**2).sum() * step, 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(psi.sum() * step, 0, rtol=0, atol=1e-12)
    assert len(psi) == 11 * 1024 + 1
    power = np.abs(np.fft.rfft(psi[:-1]))
    assert np.fft.rfftfreq(len(psi) - 1, step)[power.argmax()] == pytest.approx(8 / 11, abs=1e-9)


def test_the_wavelet_is_that_of_pywavelets():
    pywt = pytest.importorskip("pywt", reason="PyWavelets is not installed")
    _, psi, x = pywt.Wavelet("coif2").wavefun(level=10)
    np.testing.assert_allclose(COIF2, pywt.Wavelet("coif2").rec_lo, rtol=0, atol=1e-15)
    np.testing.assert_allclose(compute_coiflet(), psi, rtol=0, atol=1e-13)
    assert (x[0], x[-1]) == (0, 11)


@pytest.mark.parametrize("scale", [1, 2, 5, 16])
def test_the_transform_is_that_of_pywavelets(scale):
    pywt = pytest.importorskip("pywt", reason="PyWavelets is not installed")
    integral, x = pywt.integrate_wavelet("gaus1", precision=10)
    wavelet = integral, x[-1] - x[0]
    signal = np.random.RandomState(0).standard_normal(300)
    n = len(_filter(*wavelet, scale))
    theirs, _ = pywt.cwt(np.pad(signal, n, mode="reflect"), [scale], "gaus1", precision=10)
    ours = transform_continuously(signal[:, None], scale, wavelet)
    np.testing.assert_allclose(ours[:, 0], theirs[0, n:-n], rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_the_transform_is_the_sum_it_stands_for(scale):
    """Differences of the integral are integrals over one sample; here they are summed."""
    signal = np.random.RandomState(1).standard_normal(200)
    seen = transform_continuously(signal[:, None], scale)[:, 0]
    taps = _filter(compute_coiflet_integral(), 11.0, scale)
    steps = np.diff(taps[::-1])  # the weight of each sample under the wavelet
    padded = np.pad(signal, len(taps), mode="reflect")
    t = 77
    first = len(taps) + t - len(steps) // 2
    expected = np.sqrt(scale) * padded[first : first + len(steps)] @ steps
    np.testing.assert_allclose(seen[t], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_a_wave_is_seen_where_it_is(scale):
    signal = np.zeros((4001, 1))
    signal[2000] = 1
    energy = transform_continuously(signal, scale)[:, 0] ** 2
    assert abs((energy * np.arange(4001)).sum() / energy.sum() - 2000) <= 1


@pytest.mark.parametrize("scale", [8, 32])
def test_a_scale_answers_to_its_frequency(scale):
    time = np.arange(5000) / 250
    answers = {
        f: transform_continuously(np.sin(2 * np.pi * f * time)[:, None], scale)[1000:-1000].std()
        for f in np.geomspace(1, 100, 60)
    }
    assert max(answers, key=answers.get) == pytest.approx(8 / 11 * 250 / scale, rel=0.1)


def test_columns_are_standardised_by_the_samples_given_to_fit():
    ecg = make_ecg(30, noise=0.02, random_state=0)
    features = WaveletFeatures().fit(ecg.signal[:3000])
    X = features.transform(ecg.signal[:3000])
    np.testing.assert_allclose(X.mean(axis=0), 0, rtol=0, atol=1e-10)
    np.testing.assert_allclose(X.std(axis=0), 1, rtol=1e-10, atol=0)
    assert X.shape == (3000, 7)
    whole = features.transform(ecg.signal)
    # The same samples with and without what follows them: only the end sees the difference.
    np.testing.assert_allclose(whole[:1500], X[:1500], rtol=0, atol=1e-3)
    np.testing.assert_allclose(
        WaveletFeatures().fit(100 * ecg.signal + 7).transform(100 * ecg.signal + 7),
        WaveletFeatures().fit_transform(ecg.signal),
        rtol=0,
        atol=1e-4,  # the offset is filtered out but for rounding, which scale 2 shows
    )


def test_the_wandering_of_the_baseline_is_filtered_out():
    ecg = make_ecg(30, random_state=0)
    wander = 2 * np.sin(2 * np.pi * 0.3 * np.arange(len(ecg.signal)) / 250)
    plain = WaveletFeatures().fit(ecg.signal)
    inside = slice(1500, -1500)
    difference = plain.transform(ecg.signal + wander) - plain.transform(ecg.signal)
    assert np.abs(difference[inside]).max() < 0.05
    unfiltered = WaveletFeatures(band=None).fit(ecg.signal)
    difference = unfiltered.transform(ecg.signal + wander) - unfiltered.transform(ecg.signal)
    assert np.abs(difference[inside, 6]).max() > 0.3


def test_sequences_do_not_see_each_other():
    a, b = make_ecg(8, random_state=0).signal, make_ecg(9, random_state=1).signal
    features = WaveletFeatures().fit(a)
    together = features.transform(np.r_[a, b], lengths=[len(a), len(b)])
    np.testing.assert_allclose(together[: len(a)], features.transform(a), rtol=0, atol=1e-9)
    np.testing.assert_allclose(together[len(a) :], features.transform(b), rtol=0, atol=1e-9)


def test_leads_are_transformed_one_by_one():
    a = make_ecg(8, heart_rate_std=0, random_state=0).signal
    b = np.random.RandomState(0).standard_normal(len(a))
    both = WaveletFeatures(scales=(4, 8)).fit_transform(np.column_stack([a, b]))
    for place, signal in enumerate((a, b)):
        alone = WaveletFeatures(scales=(4, 8)).fit_transform(signal)
        np.testing.assert_allclose(both[:, 2 * place : 2 * place + 2], alone, rtol=0, atol=1e-9)


def test_columns_have_names():
    features = WaveletFeatures(scales=(4, 8)).fit(np.arange(100.0))
    assert features.get_feature_names_out().tolist() == ["x0_scale4", "x0_scale8"]
    assert features.get_feature_names_out(["II"]).tolist() == ["II_scale4", "II_scale8"]


def test_a_flat_or_very_short_signal_has_no_waves():
    flat = WaveletFeatures().fit_transform(np.full(500, 3.0))
    assert np.abs(flat).max() < 1e-6
    ecg = make_ecg(8, random_state=0).signal
    assert np.isfinite(WaveletFeatures().fit(ecg).transform(ecg[:3], lengths=[1, 2])).all()


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"fs": -1}, "fs=-1 must be a finite number above 0"),
        ({"band": (3, 200)}, r"band=\(3, 200\) must be two rising frequencies .* which is 125 Hz"),
        ({"band": (30, 3)}, "must be two rising frequencies"),
        ({"scales": (2, 0)}, "scales=0 must be a whole number at least 1"),
        ({"scales": ()}, r"scales=\(\) names no scale"),
        ({"order": 0}, "order=0 must be a whole number at least 1"),
    ],
)
def test_bad_requests_get_a_sentence(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        WaveletFeatures(**how).fit(np.arange(100.0))
    with pytest.raises(ValueError, match="lengths sum to 3, but there are 100 samples"):
        WaveletFeatures().fit(np.arange(100.0), lengths=[3])
