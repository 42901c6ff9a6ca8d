"""Votes of annotators who are right to a known degree."""

import numpy as np

NAMES = np.array(["ann", "ben", "cleo", "dan", "eve", "fay", "gus", "hal"])
RIGHT = np.array([0.95, 0.95, 0.9, 0.75, 0.7, 0.7, 0.34, 0.34])  # of three classes: two guess
PETS = np.array(["bird", "cat", "dog"])


def crowd(n_items=120, votes_each=5, seed=0, classes=PETS):
    """Votes as columns, and the true class of each item."""
    random = np.random.default_rng(seed)
    truth = random.integers(len(classes), size=n_items)
    item = np.repeat(np.arange(n_items), votes_each)
    worker = np.concatenate(
        [random.choice(len(NAMES), votes_each, replace=False) for _ in range(n_items)]
    )
    is_right = random.random(len(item)) < RIGHT[worker]
    other = (truth[item] + random.integers(1, len(classes), size=len(item))) % len(classes)
    label = np.where(is_right, truth[item], other)
    columns = {"item": item, "worker": NAMES[worker], "label": classes[label]}
    return columns, classes[truth]


def measured(truth, seed=0, classes=PETS):
    """Two columns of numbers that tell the classes nearly apart, a row for each item."""
    codes = np.searchsorted(classes, truth)
    noise = np.random.default_rng(seed).normal(size=(len(codes), 2))
    return np.column_stack([3.0 * codes, -3.0 * (codes == 1)]) + noise
