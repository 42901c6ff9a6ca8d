"""
Several labels per row: which cells are wrong
=============================================

Where a row may have several labels, a label can be missing, or wrongly set.
:func:`errata.audit_multilabel` judges every *cell*, a label of a row. The picture has the forty
most suspicious rows: a filled cell is a label that is set, a cross one that the audit flags, and a
frame one that is truly wrong, as we changed it.

Use it for tags, topics and findings, where an annotator ticks what applies; a missing tick is the
common error there.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_multilabel_classification

import errata
from errata.metrics import filter_report

# %%
# Two hundred and fifty rows, five labels
# ---------------------------------------
# One label in twenty that should be set is not, and one in a hundred is set that should not be.

X, right = make_multilabel_classification(
    250, n_features=20, n_classes=5, n_labels=2, length=200, random_state=0
)
random = np.random.default_rng(0)
wrong = random.random(right.shape) < np.where(right == 1, 0.05, 0.01)
recorded = np.where(wrong, 1 - right, right)
audit = errata.audit_multilabel(X, recorded, self_check=False, random_state=0)
print(audit)

# %%
# What was found
# --------------

report = filter_report(wrong.ravel(), audit.flagged_cells.ravel())
print(f"wrong cells: {wrong.sum()}, flagged: {audit.flagged_cells.sum()}")
print(
    f"wrong cells that are flagged {report['recall']:.0%}, flagged ones wrong {report['nep']:.0%}"
)
print(f"labels missing: {audit.missing_rate}, truly {wrong[right == 1].mean():.1%}")

# %%
# Cells
# -----

rows = audit.suspicion.argsort()[::-1][:40]
figure, axis = plt.subplots(figsize=(10, 3.4), layout="constrained")
axis.imshow(recorded[rows].T, cmap="Blues", vmin=0, vmax=2, aspect="auto")
for marker, cells, style in (
    ("x", audit.flagged_cells, {"color": "black", "s": 45, "label": "flagged"}),
    (
        "s",
        wrong,
        {
            "facecolors": "none",
            "edgecolors": "#D55E00",
            "s": 190,
            "linewidths": 2,
            "label": "truly wrong",
        },
    ),
):
    place, label = np.nonzero(cells[rows])
    axis.scatter(place, label, marker=marker, **style)
axis.set_xticks(np.arange(-0.5, 40), minor=True)
axis.set_yticks(np.arange(-0.5, 5), minor=True)
axis.grid(which="minor", color="white", linewidth=1.5)
axis.tick_params(which="minor", length=0)
axis.set_yticks(range(5), [f"label {k}" for k in range(5)])
axis.set(xlabel="rows, the most suspicious first", xticks=[])
axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
plt.show()
