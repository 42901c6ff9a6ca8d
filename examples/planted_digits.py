"""
The demonstration: digits, an audit, a report
=============================================

Plant wrong labels in scikit-learn's digits, then let errata find them. Run it with ``make demo``;
it takes some seconds and leaves a report in ``demo.audit``.
"""

# sphinx_gallery_thumbnail_path = 'figures/report.png'

import os
import sys
from pathlib import Path

from sklearn.datasets import load_digits

import errata
from errata.metrics import filter_report
from errata.noise import flip_labels

X, y = load_digits(return_X_y=True)
labels, planted = flip_labels(y, 0.1, random_state=0)
print(f"{len(y):,} handwritten digits. We made {planted.sum()} labels wrong. errata says:")

audit = errata.audit(X, labels, image_shape=(8, 8), title="digits", random_state=0)
print(f"  {audit}\n")

found = audit.flagged & planted
right = audit.suggested[found] == y[found]
report = filter_report(planted, audit.flagged)
print(f"Planted errors found:   {found.sum()} of {planted.sum()} ({report['recall']:.1%})")
print(f"Flagged rows:           {audit.flagged.sum()}, {report['nep']:.1%} of them planted errors")
print(f"Suggested digit right:  {right.mean():.1%} of those found\n")

folder = Path("demo.audit")
audit.save(folder)
audit.report(folder / "report.html")
print(f"Open {folder / 'report.html'} in a browser to look at them, or decide on them one by one:")
print(f"  {os.path.relpath(Path(sys.executable).with_name('errata'))} review {folder}")
