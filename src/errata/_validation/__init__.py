"""The front door: X, y, labels and numbers are checked here and only here."""

from ._labels import (
    as_column,
    check_labelled,
    check_labels,
    check_no_missing_labels,
    check_rows,
    fit_to_codes,
)
from ._matrices import check_prior, check_score_table, check_transition, check_weight_matrix
from ._numbers import (
    check_alpha,
    check_alpha_or_rule,
    check_alphas,
    check_choice,
    check_count,
    check_fraction,
    check_log_reinforcement,
    check_mean_weight,
    check_positive,
    check_significance,
)
from ._rows import (
    check_class_weights,
    check_hardness,
    check_log_probabilities,
    check_mask,
    check_row_probabilities,
    check_row_scores,
    check_row_weights,
    check_sample_weight,
)

__all__ = [
    "as_column",
    "check_alpha",
    "check_alpha_or_rule",
    "check_alphas",
    "check_choice",
    "check_class_weights",
    "check_count",
    "check_fraction",
    "check_hardness",
    "check_labelled",
    "check_labels",
    "check_log_probabilities",
    "check_log_reinforcement",
    "check_mask",
    "check_mean_weight",
    "check_no_missing_labels",
    "check_positive",
    "check_prior",
    "check_row_probabilities",
    "check_row_scores",
    "check_row_weights",
    "check_rows",
    "check_sample_weight",
    "check_score_table",
    "check_significance",
    "check_transition",
    "check_weight_matrix",
    "fit_to_codes",
]
