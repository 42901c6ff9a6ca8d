"""
How good is each annotator?
===========================

Twelve people label six hundred items, three votes each, and some of them guess. From the votes
alone :func:`errata.audit_votes` finds how often each annotator is right, with an interval, and what
each item is. The picture compares what was learnt with the skill that we gave them.

Use it whenever several people label the same items. With one label for each item and a table of the
items, use :func:`errata.audit`.
"""

import matplotlib.pyplot as plt
import numpy as np

import errata

# %%
# Votes
# -----

SKILL = np.array([0.96, 0.93, 0.9, 0.87, 0.84, 0.8, 0.75, 0.7, 0.6, 0.5, 0.35, 0.33])
CLASSES = np.array(["cat", "dog", "fox"])
random = np.random.default_rng(0)
truth = random.integers(3, size=600)
item = np.repeat(np.arange(600), 3)
worker = np.concatenate([random.choice(12, 3, replace=False) for _ in range(600)])
right = random.random(1800) < SKILL[worker]
vote = np.where(right, truth[item], (truth[item] + random.integers(1, 3, 1800)) % 3)
audit = errata.audit_votes((item, worker, CLASSES[vote]), random_state=0)

# %%
# What the votes say together
# ---------------------------

print(f"majority right:  {np.mean(audit.labels == CLASSES[truth]):.1%}")
print(f"consensus right: {np.mean(audit.consensus == CLASSES[truth]):.1%}")
people = {person["worker"]: person for person in audit.workers}
guessing = [name for name, person in people.items() if person["guessing"]]
print(f"may be guessing: {sorted(guessing)}")
held = np.mean([people[k]["low"] <= SKILL[k] <= people[k]["high"] for k in range(12)])
print(f"intervals that hold the truth: {held:.0%}")

# %%
# Learnt against true
# -------------------

figure, axis = plt.subplots(figsize=(8, 5), layout="constrained")
place = np.arange(12)
learnt = np.array([people[k]["accuracy"] for k in place])
low, high = (np.array([people[k][end] for k in place]) for end in ("low", "high"))
axis.errorbar(
    place, learnt, [learnt - low, high - learnt],
    fmt="o", color="#0072B2", capsize=4, label="learnt from the votes, with an interval",
)  # fmt: skip
axis.plot(place, SKILL, "_", color="#D55E00", markersize=22, markeredgewidth=3, label="true")
axis.axhline(1 / 3, color="black", linestyle=":", linewidth=1, label="drawn by lot")
axis.set_xticks(place, [f"{k}\n({people[k]['n_votes']})" for k in place])
axis.set(xlabel="annotator (number of votes)", ylabel="fraction of right votes", ylim=(0, 1.02))
axis.legend(frameon=False, loc="lower left")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
