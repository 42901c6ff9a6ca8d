"""
Principal axes, a density, and outliers
=======================================

A few rows far from the cloud turn its principal axis, and a density spends room on them. Reinforced
models give such rows up. To the left, the first axis of the same cloud by
:class:`sklearn.decomposition.PCA` and by :class:`errata.tolerant.ReinforcedPCA`; to the right, the
same rows under a plain and under a reinforced kernel density.

Use them to look at a table before anything is learnt from it: ``suspicion_`` says which rows do not
belong.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import KernelDensity

from errata.tolerant import ReinforcedDensity, ReinforcedPCA

# %%
# A long cloud, and six rows far from it
# --------------------------------------

random = np.random.default_rng(0)
turn = np.deg2rad(30)
along, across = random.normal(0, 1, 94), random.normal(0, 0.2, 94)
cloud = np.column_stack(
    [along * np.cos(turn) - across * np.sin(turn), along * np.sin(turn) + across * np.cos(turn)]
)
X = np.vstack([cloud, random.normal([-1.2, 2.6], 0.25, size=(6, 2))])

# %%
# The axis and its angle
# ----------------------

plain = PCA(1).fit(X)
model = ReinforcedPCA(1, mean_weight=0.92).fit(X)


def angle(axis):
    """Degrees above the horizontal."""
    return np.degrees(np.arctan(axis[1] / axis[0]))


print(f"cloud alone {angle(PCA(1).fit(cloud).components_[0]):4.1f} degrees")
print(f"plain       {angle(plain.components_[0]):4.1f}")
print(f"reinforced  {angle(model.components_[0]):4.1f}")

# %%
# A density of your own
# ---------------------

kernel = KernelDensity(bandwidth=0.3)
density = ReinforcedDensity(kernel, mean_weight=0.92, cv=5, random_state=0).fit(X)
print(f"rows of the six among the six that the density doubts most: "
      f"{(density.suspicion_.argsort()[-6:] >= 94).sum()}")  # fmt: skip

# %%
# Both in a picture
# -----------------
# Points are as dark as their weight. A full line is the reinforced model, a dashed one the plain.

ORANGE, BLUE = "#D55E00", "#0072B2"
figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 5), sharex=True, sharey=True, layout="constrained"
)
for axis, suspicion in ((left, model.suspicion_), (right, density.suspicion_)):
    axis.scatter(*X.T, c=1 - suspicion, cmap="Greys", vmin=-0.3, vmax=1, s=24, edgecolors="#777777")
    axis.set(xlabel="first feature", ylabel="second feature")
for centre, direction, colour, style, name in (
    (plain.mean_, plain.components_[0], ORANGE, "--", "plain axis"),
    (model.mean_, model.components_[0], BLUE, "-", "reinforced axis"),
):
    ends = centre + np.array([[-3], [3]]) * direction
    left.plot(*ends.T, style, color=colour, linewidth=2.5, label=name)
reach = np.linspace(-4, 4, 80)
mesh = np.column_stack([axis.ravel() for axis in np.meshgrid(reach, reach)])
for estimator, colour, style, name in (
    (kernel.fit(X), ORANGE, "--", "plain density"),
    (density, BLUE, "-", "reinforced density"),
):
    height = np.exp(estimator.score_samples(mesh)).reshape(80, 80)
    right.contour(reach, reach, height, levels=[0.01, 0.05], colors=colour, linestyles=style)
    right.plot([], [], style, color=colour, label=name)
left.set(xlim=(-3.2, 3.2), ylim=(-2.4, 3.6))
for axis in (left, right):
    axis.legend(frameon=False, loc="upper right")
plt.show()
