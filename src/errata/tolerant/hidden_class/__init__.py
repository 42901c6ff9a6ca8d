"""Models of a hidden class, of which the label is a noisy copy."""

from ._discriminant import RobustDiscriminantAnalysis
from ._logistic import RobustLogisticRegression, UnbiasedLogisticRegression
from ._mixture import RobustMixtureClassifier
from ._noise_model_classifier import NoiseModelClassifier

__all__ = [
    "NoiseModelClassifier",
    "RobustDiscriminantAnalysis",
    "RobustLogisticRegression",
    "RobustMixtureClassifier",
    "UnbiasedLogisticRegression",
]
