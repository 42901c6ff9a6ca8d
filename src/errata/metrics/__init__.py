"""How good is a detector, a probability, an estimate of the noise? Truth first, then the score.

Only what scikit-learn lacks: its ``average_precision_score``, ``roc_auc_score``,
``brier_score_loss`` and ``calibration_curve`` take the same two arguments.
"""

from ._detection import (
    correct_error_rate,
    error_rate_bounds,
    expected_calibration_error,
    filter_report,
    precision_at_k,
    reduction_by_chance,
    transition_error,
)
from ._segmentation import segmentation_report

__all__ = [
    "precision_at_k",
    "filter_report",
    "reduction_by_chance",
    "expected_calibration_error",
    "transition_error",
    "correct_error_rate",
    "error_rate_bounds",
    "segmentation_report",
]
