"""Plant wrong labels in scikit-learn's digits, then let a detector find them again.

Run it with `make demo`.
"""

import numpy as np
from sklearn.datasets import load_digits

from errata.hardness import NeighborDisagreement
from errata.metrics import detection_average_precision, filter_report, precision_at_k
from errata.noise import flip_labels

X, y = load_digits(return_X_y=True)
labels, flipped = flip_labels(y, 0.1, random_state=0)
print(f"{len(y)} handwritten digits; {flipped.sum()} labels are now wrong ({flipped.mean():.0%}).")

detector = NeighborDisagreement(n_neighbors=10).fit(X, labels)

print("\nHow many of the most suspicious labels are really wrong?")
for k in (25, 50, 100, int(flipped.sum())):
    print(f"  top {k:4d}: {precision_at_k(detector.suspicion_, flipped, k):6.1%}")
average_precision = detection_average_precision(detector.suspicion_, flipped)
print(f"Average precision {average_precision:.3f} (chance: {flipped.mean():.3f}).")

report = filter_report(detector.flagged_, flipped)
right = np.mean(detector.suggested_[flipped & detector.flagged_] == y[flipped & detector.flagged_])
print(
    f"\nFlagged {detector.flagged_.sum()} labels: {report['recall']:.1%} of the wrong ones, "
    f"{report['nep']:.1%} of the flags justified,\n"
    f"and the suggested digit is the true one for {right:.1%} of those found."
)

print("\nThe five most suspicious:")
print("  row  label  suggested  true")
for row in np.argsort(-detector.suspicion_, kind="stable")[:5]:
    print(f"  {row:4d}  {labels[row]:5d}  {detector.suggested_[row]:9d}  {y[row]:4d}")
