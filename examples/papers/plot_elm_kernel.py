"""
A kernel with little to tune
============================

The average product of two rows' activations in a layer of random units is a kernel, and for
infinitely many units it has a closed form. A support vector machine with an RBF kernel needs the
right width; with this one the scale of the weights hardly matters, once it is large enough (Frénay
and Verleysen). To the left, the error of both as their one parameter goes over four decades; to the
right, what three learners of random units make of the rows.

Use :class:`errata.elm.ELMSVC` and :class:`errata.elm.ELMSVR` where there is no time for a grid, and
:class:`errata.elm.ELMFeatures` in front of any linear model.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR

from errata.elm import ELMSVC, ELMSVR, ELMFeatures, ELMRegressor

# %%
# Two hundred rows around a curve
# -------------------------------

random = np.random.default_rng(0)
x = random.uniform(-2, 2, size=(200, 1))
t = np.sinc(2 * x[:, 0]) + random.normal(scale=0.1, size=200)
grid = np.linspace(-2, 2, 300)[:, None]
truth = np.sinc(2 * grid[:, 0])


def error(model):
    """Mean distance from the curve."""
    return np.abs(model.fit(x, t).predict(grid) - truth).mean()


SCALES = np.geomspace(0.1, 1000, 13)
by_scale = [error(ELMSVR(weight_scale=scale, C=10)) for scale in SCALES]
by_gamma = [error(SVR(gamma=gamma, C=10)) for gamma in SCALES]
for name, errors in (("ELM kernel", by_scale), ("RBF kernel", by_gamma)):
    good = np.mean(np.array(errors) < 0.05)
    print(f"{name}: best error {min(errors):.3f}; below 0.05 for {good:.0%} of the settings")

# %%
# Classes, too
# ------------

X, y = make_moons(600, noise=0.25, random_state=0)
for name, kernel in (
    ("ELM", [ELMSVC(weight_scale=s) for s in (1, 10, 100)]),
    ("RBF", [SVC(gamma=g) for g in (1, 10, 100)]),
):
    scores = [model.fit(X[:300], y[:300]).score(X[300:], y[300:]) for model in kernel]
    print(f"{name} kernel at 1, 10 and 100:", "  ".join(f"{score:.1%}" for score in scores))

# %%
# Three ways to use random units
# ------------------------------

LEARNERS = {
    "ELMSVR": ELMSVR(weight_scale=10, C=10),
    "ELMRegressor": ELMRegressor(n_hidden=200, weight_scale=10, random_state=0),
    "ELMFeatures, then Ridge": make_pipeline(
        ELMFeatures(n_hidden=200, weight_scale=10, random_state=0), Ridge(alpha=0.1)
    ),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
left.plot(SCALES, by_scale, "o-", color="#0072B2", label="ELM kernel, scale of the weights")
left.plot(SCALES, by_gamma, "s--", color="#D55E00", label="RBF kernel, gamma")
left.set(xscale="log", xlabel="parameter of the kernel", ylabel="mean error", ylim=(0, None))
right.plot(x, t, ".", color="#BBBBBB")
right.plot(grid, truth, "k:", label="truth")
for (name, learner), colour in zip(
    LEARNERS.items(), ("#0072B2", "#D55E00", "#009E73"), strict=True
):
    off = error(learner)
    right.plot(grid, learner.predict(grid), color=colour, label=f"{name} ({off:.3f})")
right.set(xlabel="x", ylabel="y")
for axis in (left, right):
    axis.legend(frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
