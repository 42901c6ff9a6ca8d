"""Generators shared by the property tests."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

LABELS = {
    "numbers": np.arange(6),
    "words": np.array(["ant", "bee", "cat", "doe", "eel", "fox"]),
    "objects": np.array(["a", "bb", "ccc", "dddd", "e", "f"], dtype=object),
}

seeds = st.integers(0, 2**31 - 1)
rates = st.floats(0, 1, allow_subnormal=False)


@st.composite
def label_arrays(draw, min_size=2, max_size=60, min_classes=2):
    """Labels of one kind in which at least ``min_classes`` classes occur."""
    names = LABELS[draw(st.sampled_from(sorted(LABELS)))]
    k = draw(st.integers(min_classes, len(names)))
    rest = draw(st.lists(st.integers(0, k - 1), min_size=max(0, min_size - k), max_size=max_size))
    codes = draw(st.permutations([*range(k), *rest]))
    return names[np.array(codes)]


@st.composite
def transitions(draw, n_classes=None):
    """Row-stochastic matrices, zeros included."""
    k = n_classes or draw(st.integers(2, 5))
    weights = draw(hnp.arrays(float, (k, k), elements=st.sampled_from([0, 0.1, 0.5, 1, 3])))
    weights = weights + np.eye(k)  # a row of zeros is no distribution
    return weights / weights.sum(axis=1, keepdims=True)


@st.composite
def detections(draw, max_size=40):
    """(suspicion, flagged, flipped) of the same rows."""
    n = draw(st.integers(1, max_size))
    suspicion = draw(hnp.arrays(float, n, elements=st.floats(0, 1, width=16)))
    flagged, flipped = draw(hnp.arrays(bool, (2, n)))
    return suspicion, flagged, flipped


@st.composite
def log_probabilities(draw, min_size=2, max_size=60, low=-1e5, high=50.0):
    """Log-probabilities or log-densities of some rows, far apart or all alike."""
    elements = st.floats(low, high, allow_subnormal=False)
    kinds = [elements, st.sampled_from([-1e4, -1.0, 0.0]), st.floats(-8, 2, width=16)]
    n = draw(st.integers(min_size, max_size))
    return draw(hnp.arrays(float, n, elements=draw(st.sampled_from(kinds))))


# Of statistical tests: one or two seeds in every run, the others among the long experiments.
SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4))]
ONE_SEED = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3, 4))]
