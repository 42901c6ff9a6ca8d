"""
Numbers that are wrong
======================

Not every label is a class: a price, a weight, a measurement can be wrong as well, by a slip of the
decimal point or a value that belongs to another row. :func:`errata.audit_targets` predicts every
number by models that have not seen it and asks how far right numbers spread there. The picture has
what is recorded against what is expected; numbers that are wrong, and found, lie off the diagonal.

Use it before a regression. Where right numbers have long tails, prefer ``clean("weight")`` to
leaving rows out.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_friedman1

import errata
from errata.metrics import filter_report
from errata.noise import disturb_targets

# %%
# Three hundred prices, eighteen of them wrong
# --------------------------------------------
# :func:`errata.noise.disturb_targets` shifts the decimal point, loses signs, or puts in something
# far off.

X, y = make_friedman1(300, n_features=6, noise=0.7, random_state=3)
price = (10 * y + 100).round(1)
recorded, wrong = disturb_targets(price, 0.06, kind="gross", random_state=0)
audit = errata.audit_targets(X, recorded, self_check=False, random_state=0)
print(audit)

# %%
# What was found, and what it should be
# -------------------------------------
# Where a slip explains a number, ``hint`` names it and ``suggested`` is exact.

report = filter_report(wrong, audit.flagged)
print(f"wrong numbers flagged {report['recall']:.0%}, flagged numbers wrong {report['nep']:.0%}")
for row in audit.suspicion.argsort()[::-1][:5]:
    hint = audit.hint[row] or "-"
    print(
        f"row {row:3}: {recorded[row]:7} recorded, {audit.suggested[row]:6} suggested ({hint}), "
        f"truly {price[row]}"
    )

# %%
# Recorded against expected
# -------------------------
# The scale is linear around zero and logarithmic beyond 500. The band is where nine tenths of right
# numbers lie.

figure, axis = plt.subplots(figsize=(8, 6), layout="constrained")
order = audit.predicted.argsort()
axis.fill_between(
    audit.predicted[order], audit.low[order], audit.high[order],
    color="#56B4E9", alpha=0.35, linewidth=0, label="nine tenths of right numbers",
)  # fmt: skip
for rows, colour, marker, name in (
    (~wrong & ~audit.flagged, "#555555", ".", "right, not flagged"),
    (wrong & audit.flagged, "#D55E00", "X", "wrong, flagged"),
    (wrong & ~audit.flagged, "#CC79A7", "D", "wrong, missed"),
    (~wrong & audit.flagged, "#009E73", "s", "right, flagged"),
):
    label = f"{name} ({rows.sum()})"
    axis.scatter(
        audit.predicted[rows], recorded[rows], color=colour, marker=marker, s=36, label=label
    )
axis.set_yscale("symlog", linthresh=500)
axis.set_yticks(
    [-500, 0, 100, 200, 300, 400, 500, 1000, 2000], [-500, 0, 100, 200, 300, 400, 500, 1000, 2000]
)
axis.set(xlabel="expected by models that have not seen the number", ylabel="recorded")
axis.legend(frameon=False, loc="upper left")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
