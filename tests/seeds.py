"""Seeds of statistical tests: two in every run, the others among the long experiments."""

import pytest

SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4))]
