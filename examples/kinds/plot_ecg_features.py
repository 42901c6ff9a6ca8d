"""
Three beats, their waves, and what a wavelet sees of them
=========================================================

Somebody marks where the P wave, the QRS complex and the T wave of an electrocardiogram begin and
end. In a hurry, the waves are found and their edges are not: the second panel has in red what is
labelled wrongly. One sample tells little about the wave that it belongs to;
:class:`errata.sequence.WaveletFeatures` gives each sample what a wavelet sees around it at seven
scales, and a model can learn from that.

Use it before the hidden Markov models of :mod:`errata.sequence`, or pass it to :func:`errata.audit`
as ``wavelets=``.
"""

import matplotlib.pyplot as plt
import numpy as np

from errata.datasets import make_ecg
from errata.noise import shift_boundaries
from errata.sequence import WaveletFeatures

COLOURS = {"B3": "white", "P": "#56b4e9", "QRS": "#e69f00", "T": "#009e73"}

# %%
# A made electrocardiogram, and a hurried annotator
# -------------------------------------------------
# :func:`errata.datasets.make_ecg` knows the wave of every sample;
# :func:`errata.noise.shift_boundaries` moves the onsets and ends of the P and T waves.

ecg = make_ecg(40, heart_rate=66, heart_rate_std=3, noise=0.03, jitter=0.1, random_state=2)
features = WaveletFeatures(fs=ecg.fs)
X = features.fit_transform(ecg.signal)
noisy, moved = shift_boundaries(ecg.labels, 0.25, states=["P", "T"], random_state=4)
print(f"{moved.mean():.0%} of the samples are labelled wrongly")

# %%
# Signal, labels, and features
# ----------------------------
# Small scales answer to the steep QRS complex, large ones to the slow T wave.

first = ecg.boundaries[10, 0] - 60
shown = slice(first, first + int(3.1 * ecg.fs))
time = np.arange(shown.stop - shown.start) / ecg.fs


def shade(axis, labels):
    for wave, colour in COLOURS.items():
        axis.fill_between(
            time, 0, 1, where=labels[shown] == wave, step="post", color=colour, alpha=0.35,
            linewidth=0, transform=axis.get_xaxis_transform(), label=wave if wave != "B3" else None,
        )  # fmt: skip


figure, axes = plt.subplots(
    3, 1, figsize=(11, 8), sharex=True, layout="constrained", height_ratios=[2, 2, 5]
)
for axis, labels, title in (
    (axes[0], ecg.labels, "An electrocardiogram and its waves"),
    (axes[1], noisy, "As a hurried annotator marks it (in red what is wrong)"),
):
    shade(axis, labels)
    axis.plot(time, ecg.signal[shown], color="black", linewidth=1)
    axis.set_title(title, loc="left")
    axis.set_ylabel("mV")
axes[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False)
axes[1].plot(time, np.where(moved[shown], ecg.signal[shown], np.nan), color="crimson", linewidth=2)

shade(axes[2], ecg.labels)
for place in range(len(features.scales)):
    axes[2].plot(time, X[shown, place] - 7 * place, color="black", linewidth=0.9)
hertz = [8 / 11 * ecg.fs / scale for scale in features.scales]
axes[2].set_yticks(
    [-7 * place for place in range(len(hertz))],
    [f"{s} ({f:.3g} Hz)" for s, f in zip(features.scales, hertz, strict=True)],
)
axes[2].set_title("What the wavelet sees at each scale, in standard deviations", loc="left")
axes[2].set_xlabel("seconds")
axes[2].margins(x=0)
plt.show()
