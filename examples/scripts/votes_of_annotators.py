"""
Whose votes to believe, and what to ask next
============================================

Nine people label 600 pictures, and some of them guess. Nothing but the votes is known to errata;
the truth is only used to see how good that was. It takes some seconds; a number after the command
is another seed.
"""

import sys

import numpy as np

import errata

CLASSES = np.array(["cat", "dog", "fox"])
SKILL = np.array([0.95, 0.9, 0.9, 0.8, 0.75, 0.7, 0.6, 0.35, 0.33])  # how often each is right
random = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
truth = random.integers(3, size=600)


def ask(items, votes):
    """One vote more on each of some items, by somebody who has not voted on it yet."""
    for item in items:
        worker = random.choice(np.flatnonzero(votes[item] < 0))
        is_right = random.random() < SKILL[worker]
        other = (truth[item] + random.integers(1, 3)) % 3
        votes[item, worker] = truth[item] if is_right else other


def audit_of(votes):
    """Votes as a table of items times annotators, names instead of numbers."""
    item, worker = np.nonzero(votes >= 0)
    return errata.audit_votes((item, worker, CLASSES[votes[item, worker]]), random_state=0)


votes = np.full((600, 9), -1)
for _ in range(3):
    ask(range(600), votes)
audit = audit_of(votes)
right = CLASSES[truth]
print(f"{audit}\n")
print(f"Majority labels right:  {np.mean(audit.labels == right):.1%}")
print(f"Consensus right:        {np.mean(audit.consensus == right):.1%}")
for worker in audit.workers:
    bounds = f"{worker['low']:.0%} to {worker['high']:.0%}"
    mark = ", may be guessing" if worker["guessing"] else ""
    skill = f"{SKILL[worker['worker']]:.0%}"
    print(
        f"  annotator {worker['worker']}: {worker['accuracy']:.0%} ({bounds}), truly {skill}{mark}"
    )

drawn, chosen = votes.copy(), votes.copy()
ask(random.choice(600, 200, replace=False), drawn)
ask(audit.next_items(200), chosen)
print("\nAfter 200 votes more, the consensus is right for")
print(f"  {np.mean(audit_of(drawn).consensus == right):.1%} where items were drawn at random,")
print(f"  {np.mean(audit_of(chosen).consensus == right):.1%} where errata chose them.")
