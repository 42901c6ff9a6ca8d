"""Seeds of statistical tests: one or two in every run, the others among the long experiments."""

import pytest

SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4))]
ONE_SEED = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3, 4))]
