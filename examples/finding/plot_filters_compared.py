"""
Filters compared on one noisy table
===================================

Eighteen filters and detectors look at the same table, in which a fifth of the labels is wrong at
random: committees, neighbours, peelers, and models with a noise model inside. Each line is one of
them: the dot says how many of the wrong labels it flags, the diamond how many of its flags are
right. Some find nearly all errors at the price of many false alarms, some are never wrong and miss
most; on another table the order is another one.

Use the comparison to choose on a table like yours; plant errors where you trust the labels. All of
them stand in a pipeline as ``fit_resample``, or in front of a classifier with
:class:`errata.filters.FilteredClassifier`.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from errata import filters
from errata.elm import ELMClassifier
from errata.feature_selection import LabelNoiseMemberships
from errata.metrics import filter_report
from errata.noise import flip_labels

X, y = load_wine(return_X_y=True)
X = scale(X)
labels, flipped = flip_labels(y, 0.2, random_state=0)

# %%
# Who takes part
# --------------
# Any detector becomes a filter by :class:`errata.filters.DetectorFilter`; the last two do.

FAMILIES = {
    "committees": [
        filters.CrossValFilter(random_state=0),
        filters.VotingFilter(random_state=0),
        filters.BaggingFilter(random_state=0),
        filters.PartitionFilter(random_state=0),
        filters.BoostEdgeFilter(random_state=0),
        filters.BoostWeightFilter(random_state=0),
    ],
    "neighbours": [
        filters.EditedNeighborsFilter(),
        filters.RepeatedEditedFilter(),
        filters.AllNeighborsFilter(),
        filters.GeneralizedEditionFilter(),
        filters.CutEdgeFilter(),
        filters.ModeFilter(),
    ],
    "peelers": [
        filters.MarginPeeler(),
        filters.MisclassificationPeeler(),
        filters.WeightPeeler(),
        filters.VotePeeler(),
    ],
    "detectors": [
        filters.DetectorFilter(ELMClassifier(random_state=0)),
        filters.DetectorFilter(LabelNoiseMemberships(random_state=0)),
    ],
}


def name_of(filter_):
    """The class, without the word that they share."""
    return type(getattr(filter_, "detector", filter_)).__name__.replace("Filter", "")


# %%
# What each flags
# ---------------

found = {}
for family, members in FAMILIES.items():
    for filter_ in members:
        report = filter_report(flipped, filter_.fit(X, labels).flagged_)
        found[name_of(filter_)] = family, report["recall"], report["nep"], report["f1"]
for name, (_, recall, precision, f1) in sorted(found.items(), key=lambda item: -item[1][-1]):
    print(f"{name:24} finds {recall:4.0%}, right {precision:4.0%}, F1 {f1:.2f}")

# %%
# Found against justified
# -----------------------

COLOURS = {
    "committees": "#0072B2",
    "neighbours": "#009E73",
    "peelers": "#D55E00",
    "detectors": "#CC79A7",
}
ranked = sorted(found, key=lambda name: found[name][-1])
figure, axis = plt.subplots(figsize=(10, 6), layout="constrained")
for place, name in enumerate(ranked):
    family, recall, precision, _ = found[name]
    axis.plot([recall, precision], [place, place], color="#CCCCCC", zorder=0)
    axis.plot(recall, place, "o", markersize=9, color=COLOURS[family])
    axis.plot(precision, place, "D", markersize=8, color=COLOURS[family], markerfacecolor="white")
axis.set_yticks(range(len(ranked)), ranked)
axis.set(xlabel="fraction", xlim=(0, 1.02), title="Wine, 36 of 178 labels wrong; best F1 on top")
for family, colour in COLOURS.items():
    axis.plot([], [], "s", color=colour, label=family)
axis.plot([], [], "ko", label="wrong labels that are flagged")
axis.plot([], [], "kD", markerfacecolor="white", label="flagged labels that are wrong")
axis.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
axis.spines[["top", "right"]].set_visible(False)
plt.show()
