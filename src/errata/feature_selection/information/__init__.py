"""What mutual information says about errors: bounds, exact tables, failures, regression."""

from ._bounds import (
    failure_statistics,
    fano_lower,
    hellman_raviv_upper,
    imbalance,
    is_conclusive,
    loss_bound,
)
from ._regression import (
    information_gap_needed,
    make_noisy_sine,
    regression_entropy,
    regression_error,
    regression_scale,
)
from ._tables import (
    discrete_information,
    sample_discrete_features,
    sample_gaussian_features,
    sample_random_problems,
)

__all__ = [
    "fano_lower",
    "hellman_raviv_upper",
    "is_conclusive",
    "loss_bound",
    "discrete_information",
    "sample_discrete_features",
    "sample_gaussian_features",
    "sample_random_problems",
    "failure_statistics",
    "regression_entropy",
    "regression_error",
    "regression_scale",
    "information_gap_needed",
    "make_noisy_sine",
    "imbalance",
]
