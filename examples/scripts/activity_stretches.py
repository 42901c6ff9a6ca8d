"""
Stretches of wrong labels, in a report
======================================

Accelerometers whose annotator was hurried: which stretches are wrong, and are they? It takes some
seconds and leaves a table, ``activity.csv``, and a report of it in ``activity.audit``. The same as
a command::

    errata audit activity.csv --label activity --sequence wearer
"""

# sphinx_gallery_thumbnail_path = 'figures/stretches.png'

from pathlib import Path

import numpy as np

import errata
from errata.datasets import make_activity
from errata.noise import shift_boundaries
from errata.tables import write_table

X, activity, lengths = make_activity(6, duration=60, dwell=5, random_state=0)
labels, moved = shift_boundaries(activity, 0.3, lengths=lengths, random_state=0)
table = {
    "wearer": np.repeat([f"wearer {k}" for k in range(6)], lengths),
    "second": np.concatenate([np.arange(n) / 20 for n in lengths]),
    **{f"axis_{name}": X[:, k].round(4) for k, name in enumerate("xyz")},
    "activity": labels,
}
write_table(Path("activity.csv"), table)

audit = errata.audit(table, "activity", sequence="wearer", title="activity.csv", random_state=0)
print(f"{moved.sum():,} of {len(moved):,} samples carry a wrong label. errata says:")
print(f"  {audit}\n")
print(audit.stretches().head(10).to_string(index=False))
print(f"\nSamples in stretches that are wrong:  {moved[audit.flagged].mean():.1%}")
print(f"Wrong samples that are in stretches:  {audit.flagged[moved].mean():.1%}\n")

folder = Path("activity.audit")
audit.save(folder)
audit.report(folder / "report.html")
print(f"Open {folder / 'report.html'} in a browser to look at them.")
