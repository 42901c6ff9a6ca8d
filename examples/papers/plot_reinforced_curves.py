"""
A line, a curve, and outliers
=============================

A model fitted by least squares bends towards the rows that it can explain least. Pointwise
probability reinforcements (Frénay and Verleysen) raise the probability of such rows at a cost, and
thereby take weight from them: the line and the curve stay where most rows are. Points are as dark
as the weight that the reinforced model leaves them.

Use :class:`errata.tolerant.ReinforcedLinearRegression` or
:class:`errata.tolerant.ReinforcedKernelRidge` where a few numbers are grossly wrong, and
:class:`errata.tolerant.ReinforcedRegressor` around a regressor of your own. Say in ``mean_weight``
how much of the data should support the model; asking for a little less than that is nearly free.
"""

import matplotlib.pyplot as plt
import numpy as np

from errata.elm import ELMRegressor
from errata.tolerant import ReinforcedKernelRidge, ReinforcedLinearRegression, ReinforcedRegressor

# %%
# Forty rows each, four of them wrong
# -----------------------------------

random = np.random.default_rng(0)
x = np.sort(random.uniform(0, 1, 40))
bad = np.zeros(40, dtype=bool)
bad[[26, 29, 32, 35]] = True
line = 1 + 2 * x
wave = np.sin(2 * np.pi * x)
y_line = np.where(bad, -0.5, line) + 0.2 * random.standard_normal(40)
y_wave = np.where(bad, 1.6, wave) + 0.1 * random.standard_normal(40)

# %%
# Plain and reinforced
# --------------------
# With ``reinforcement=inf`` no row is reinforced: that is the plain model.

network = ELMRegressor(n_hidden=60, weight_scale=3.0, alpha=0.01, random_state=0)
PANELS = {
    "a line": (y_line, line, ReinforcedLinearRegression(mean_weight=0.88)),
    "kernel ridge regression": (
        y_wave, wave, ReinforcedKernelRidge(mean_weight=0.88, gamma=10, alpha=0.05)
    ),
    "a regressor of your own": (y_wave, wave, ReinforcedRegressor(network, mean_weight=0.88)),
}  # fmt: skip
X, grid = x[:, None], np.linspace(0, 1, 200)[:, None]
fits = {}
for name, (y, truth, model) in PANELS.items():
    model.fit(X, y)
    weight = 1 - model.suspicion_
    found = model.predict(grid)
    off = np.sqrt(np.mean((model.predict(X) - truth) ** 2))
    model.set_params(reinforcement=np.inf).fit(X, y)
    fits[name] = y, truth, weight, found, model.predict(grid)
    plain_off = np.sqrt(np.mean((model.predict(X) - truth) ** 2))
    print(f"{name:24} off the truth by {plain_off:.2f} plain, {off:.2f} reinforced")

# %%
# What became of them
# -------------------

figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
for axis, (name, (y, truth, weight, found, plain)) in zip(axes, fits.items(), strict=True):
    points = axis.scatter(x, y, c=weight, cmap="Greys", vmin=-0.3, vmax=1, edgecolors="#555555")
    axis.plot(x, truth, ":", color="black", label="truth")
    axis.plot(grid[:, 0], plain, "--", color="#D55E00", linewidth=2, label="plain")
    axis.plot(grid[:, 0], found, color="#0072B2", linewidth=2, label="reinforced")
    axis.set(xlabel="x", ylabel="y", title=name)
    axis.spines[["top", "right"]].set_visible(False)
axes[0].legend(frameon=False)
bar = figure.colorbar(points, ax=axes, label="weight of the row", ticks=[0, 0.5, 1], shrink=0.8)
bar.ax.set_ylim(0, 1)
plt.show()
