"""Features of a signal: what a wavelet sees in it at several scales."""

from functools import lru_cache
from typing import Any, Self

import numpy as np
import scipy  # signal takes long to import, and is when it is first asked for
from sklearn.base import BaseEstimator, TransformerMixin

from .._validation import check_count, check_data, check_lengths, check_positive, check_rows

# Reconstruction low-pass filter of the coiflet of order 2.
COIF2 = np.array([
    0.01638733646320364, -0.04146493678687178, -0.0673725547237256, 0.3861100668227629,
    0.8127236354494135, 0.4170051844232391, -0.07648859907828076, -0.05943441864643109,
    0.02368017194684777, 0.005611434819368834, -0.0018232088709110323, -0.000720549445520347,
])  # fmt: skip
_LEVELS = 10  # of the cascade: the wavelet is known in steps of 2 ** -10


class WaveletFeatures(TransformerMixin, BaseEstimator):
    """Wavelet coefficients around every sample of a signal, fast and slow, one column per scale.

    The signal is band-passed forwards and backwards (so that waves stay where they are), put
    through a continuous wavelet transform with the coiflet of order 2, and every scale gets mean 0
    and variance 1. These are the features with which Frénay and others segment electrocardiograms
    [1]_; a row knows its surroundings then, and a hidden Markov model its waves. Costs
    O(n log n) for each scale.

    A recording is transformed as a whole, as its rows are a time series; where samples are missing
    it is several sequences, see ``lengths``. At the largest default scale a row sees 2.8 seconds to
    either side (1.1 seconds above one percent of the peak): leave a gap between the samples to
    learn from and those to test on.

    Parameters
    ----------
    fs : float, default=250
        Samples per second.
    band : (float, float) or None, default=(3, 30)
        Frequencies that are kept, in Hz; below is the wandering of the baseline, above are muscles
        and the mains. None keeps all.
    order : int, default=2
        Order of the Butterworth filter; twice that, as it runs in both directions.
    scales : sequence of int, default=(2, 4, 8, 16, 32, 64, 128)
        Widths of the wavelet, in samples. One of scale s answers best to a frequency of
        8 / 11 fs / s: from 91 Hz to 1.4 Hz here. The paper has all seven; 2 and 4 lie outside the
        band, and hold little but noise.

    Attributes
    ----------
    mean_, scale_ : arrays of shape ``(n_features_in_ * len(scales),)``
        Mean and standard deviation of each column in the signal given to ``fit``. Fit to the
        samples to learn from, transform everything.
    n_features_in_ : int
        Number of signals: several leads are transformed one by one, their columns side by side.

    Notes
    -----
    ``C(s, t) = s^(-1/2) sum_u x(u) psi((u - t) / s)``, computed from differences of the integral of
    psi, which is exact for a signal that is constant between samples. At both ends the signal is
    continued by its mirror image.

    The paper names neither kind nor order of the filter, and not from which samples it takes mean
    and variance.

    References
    ----------
    .. [1] Frénay, de Lannoy and Verleysen (2011). Label noise-tolerant hidden Markov models for
       segmentation: application to ECGs. ECML PKDD, 455-470.

    Examples
    --------
    >>> from errata.datasets import make_ecg
    >>> from errata.sequence import WaveletFeatures
    >>> ecg = make_ecg(20, random_state=0)
    >>> features = WaveletFeatures(fs=ecg.fs).fit(ecg.signal[:2500])
    >>> X = features.transform(ecg.signal)
    >>> X.shape
    (5003, 7)
    >>> int(X[:250, 2].argmax()), ecg.boundaries[0, 1:3].tolist()        # within the QRS complex
    (134, [107, 144])
    """

    def __init__(
        self,
        *,
        fs: float = 250.0,
        band: tuple[float, float] | None = (3.0, 30.0),
        order: int = 2,
        scales: Any = (2, 4, 8, 16, 32, 64, 128),
    ) -> None:
        self.fs = fs
        self.band = band
        self.order = order
        self.scales = scales

    def fit(self, X: Any, y: Any = None, lengths: Any = None) -> Self:
        """Learn mean and standard deviation of every scale.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, n_signals)
            The signal, or several that were recorded at the same time.
        y : ignored
            Not used.
        lengths : sequence of int, optional
            Lengths of the sequences that ``X`` holds one after the other; one by default.
        """
        X = check_data(self, _make_columns(X), dtype=float, ensure_min_samples=2)
        raw = self._raw(X, lengths)
        self.mean_ = raw.mean(axis=0)
        spread = raw.std(axis=0)
        # A constant signal has no waves at any scale; dividing by rounding errors would make some.
        flat = spread <= 1e-12 * np.abs(X).max(axis=0).repeat(len(self.scales))
        self.scale_ = np.where(flat, 1.0, spread)
        return self

    def transform(self, X: Any, lengths: Any = None) -> np.ndarray:
        """The features of every sample: ``(n, n_features_in_ * len(scales))``."""
        X = check_rows(self, _make_columns(X), dtype=float)
        return (self._raw(X, lengths) - self.mean_) / self.scale_

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns: the signal and the scale."""
        given = getattr(self, "feature_names_in_", input_features)
        signals = [f"x{j}" for j in range(self.n_features_in_)] if given is None else given
        return np.array([f"{s}_scale{k}" for s in signals for k in self.scales], dtype=object)

    def _raw(self, X: np.ndarray, lengths: Any) -> np.ndarray:
        scales = [check_count("scales", scale) for scale in self.scales]
        if not scales:
            raise ValueError(f"scales={self.scales!r} names no scale; pass one at least.")
        parts = np.split(X, np.cumsum(check_lengths(lengths, len(X)))[:-1])
        return np.concatenate([self._of_sequence(part, scales) for part in parts])

    def _of_sequence(self, X: np.ndarray, scales: list[int]) -> np.ndarray:
        filtered = X if self.band is None else _filter_band(X, self._sos(self.band))
        seen = np.stack([transform_continuously(filtered, scale) for scale in scales], axis=2)
        return seen.reshape(len(X), -1)

    def _sos(self, band: tuple[float, float]) -> np.ndarray:
        fs = check_positive("fs", self.fs)
        low, high = band
        if not 0 < low < high < fs / 2:
            raise ValueError(
                f"band={band!r} must be two rising frequencies above 0 and below half of "
                f"fs={fs:g}, which is {fs / 2:g} Hz."
            )
        order = check_count("order", self.order)
        return scipy.signal.butter(order, (low, high), "band", fs=fs, output="sos")


def transform_continuously(
    X: np.ndarray, scale: int, wavelet: tuple[np.ndarray, float] | None = None
) -> np.ndarray:
    """The continuous wavelet transform of the columns of ``X`` at one scale.

    ``wavelet`` is its integral on a grid over its support, and the width of the support; the
    coiflet of order 2 when not given.
    """
    taps = _filter(*(wavelet or (compute_coiflet_integral(), len(COIF2) - 1.0)), scale)
    # The mirror image, as often as it takes: the filter may be longer than the signal.
    padded = np.pad(X, ((len(taps), len(taps)), (0, 0)), mode="reflect")
    seen = -np.sqrt(scale) * np.diff(scipy.signal.oaconvolve(padded, taps[:, None], axes=0), axis=0)
    begin = (len(seen) - len(X)) // 2
    return seen[begin : begin + len(X)]


def _filter(integral: np.ndarray, support: float, scale: int) -> np.ndarray:
    """The integral of the wavelet stretched to ``scale`` samples per unit, backwards."""
    step = support / (len(integral) - 1)
    places = (np.arange(scale * support + 1) / (scale * step)).astype(int)
    return integral[np.minimum(places, len(integral) - 1)][::-1]


@lru_cache(maxsize=1)
def compute_coiflet_integral() -> np.ndarray:
    """The integral of the wavelet, from the begin of its support, in steps of 2 ** -10."""
    return np.cumsum(compute_coiflet()) / 2**_LEVELS


def compute_coiflet() -> np.ndarray:
    """The coiflet of order 2 on its support, [0, 11], in steps of 2 ** -10."""
    signs = (-1.0) ** np.arange(len(COIF2))
    psi = signs * COIF2[::-1]
    for _ in range(_LEVELS - 1):
        spread = np.zeros(2 * len(psi) - 1)
        spread[::2] = psi
        psi = np.convolve(spread, COIF2)
    on_support = np.zeros((len(COIF2) - 1) * 2**_LEVELS + 1)
    # Delayed by a step, as the support begins half a step before the first value.
    on_support[1 : len(psi) + 1] = psi * 2 ** (_LEVELS / 2)
    return on_support


def _filter_band(X: np.ndarray, sos: np.ndarray) -> np.ndarray:
    # What scipy continues a signal by, or less if it is shorter.
    usual = 3 * (2 * len(sos) + 1)
    return scipy.signal.sosfiltfilt(sos, X, axis=0, padlen=min(usual, len(X) - 1))


def _make_columns(X: Any) -> Any:
    """A signal alone is a column; whatever is not plainly one is left to scikit-learn's checks."""
    plain = hasattr(X, "ndim") or isinstance(X, list | tuple)
    return np.reshape(X, (-1, 1)) if plain and np.ndim(X) == 1 else X
