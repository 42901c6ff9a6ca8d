"""How good is a detector, a probability, an estimate of the noise? Truth comes second, always."""

from ._detection import (
    detection_auroc,
    detection_average_precision,
    filter_report,
    peeling_report,
    precision_at_k,
)
from ._noise import correct_error_rate, error_rate_bounds, rate_error, transition_error
from ._probability import brier_score, expected_calibration_error, reliability_curve

__all__ = [
    "detection_average_precision",
    "detection_auroc",
    "precision_at_k",
    "filter_report",
    "peeling_report",
    "brier_score",
    "expected_calibration_error",
    "reliability_curve",
    "rate_error",
    "transition_error",
    "correct_error_rate",
    "error_rate_bounds",
]
