"""
A hidden Markov model that doubts its labels
============================================

Somebody wears a sensor, somebody else writes down what the wearer does: lie, sit, stand, walk or
run. One label in five is wrong. Three hidden Markov models learn from that: one believes the
labels, one forgets them after the start, and :class:`errata.sequence.TolerantHMM` takes them for
noisy copies. The picture follows half a minute: the signal, the labels as given, what the tolerant
model makes of them, and how much it doubts each.

Use it for recordings in which every sample has a label. For a whole audit of recordings, with
stretches and a report, pass ``sequence=`` to :func:`errata.audit`.
"""

import matplotlib.pyplot as plt
import numpy as np

from errata.datasets import make_activity
from errata.noise import flip_labels
from errata.sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM

# %%
# Four wearers
# ------------

X, activity, lengths = make_activity(4, duration=60, dwell=5, random_state=0)
labels, wrong = flip_labels(activity, 0.2, random_state=0)
print(f"{wrong.sum():,} of {len(wrong):,} labels are wrong")

# %%
# Three models
# ------------

settings = {"n_components": 1, "n_init": 1, "random_state": 0}
for kind in (SupervisedHMM, BaumWelchHMM, TolerantHMM):
    model = kind(**settings).fit(X, labels, lengths=lengths)
    right = np.mean(model.predict(X, lengths=lengths) == activity)
    print(f"{kind.__name__:14} {right:.1%} of the samples right")
found = model.flagged_[wrong].mean()
justified = wrong[model.flagged_].mean()
print(f"TolerantHMM flags {found:.0%} of the wrong labels; {justified:.0%} of its flags are right")
print(f"its path given signal and labels: {np.mean(model.suggested_ == activity):.1%} right")

# %%
# Half a minute
# -------------
# Errors that are scattered like these are found one by one. Errors in runs, such as a boundary that
# comes too late, vouch for each other and are harder to find.

COLOURS = {
    "lie": "#56B4E9",
    "sit": "#0072B2",
    "stand": "#009E73",
    "walk": "#E69F00",
    "run": "#D55E00",
}
shown = slice(0, 600)
time = np.arange(600) / 20
figure, axes = plt.subplots(
    5, 1, figsize=(10, 6.2), sharex=True, layout="constrained", height_ratios=[4, 1, 1, 1, 2]
)
axes[0].plot(time, X[shown], linewidth=0.7)
axes[0].set_ylabel("acceleration")
strips = {"truth": activity, "labels": labels, "suggested": model.suggested_}
for axis, (name, values) in zip(axes[1:4], strips.items(), strict=True):
    for value, colour in COLOURS.items():
        axis.fill_between(
            time,
            0,
            1,
            where=values[shown] == value,
            step="post",
            color=colour,
            linewidth=0,
            label=value,
        )
    axis.set(yticks=[], ylim=(0, 1))
    axis.set_ylabel(name, rotation=0, ha="right", va="center")
axes[4].plot(time, model.suspicion_[shown], color="black", linewidth=0.8)
axes[4].set(xlabel="seconds", ylabel="suspicion", ylim=(0, 1.02), xlim=(0, 30))
axes[0].legend(
    *axes[1].get_legend_handles_labels(),
    loc="lower right",
    bbox_to_anchor=(1, 1),
    ncols=5,
    frameon=False,
)
plt.show()
