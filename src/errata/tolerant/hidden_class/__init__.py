"""Models of a hidden class, of which the label is a noisy copy."""

from ._discriminant import RobustDiscriminantAnalysis
from ._mixture import RobustMixtureClassifier
from ._noise_model_classifier import NoiseModelClassifier
from ._robust_logistic import RobustLogisticRegression
from ._unbiased_logistic import UnbiasedLogisticRegression

__all__ = [
    "NoiseModelClassifier",
    "RobustDiscriminantAnalysis",
    "RobustLogisticRegression",
    "RobustMixtureClassifier",
    "UnbiasedLogisticRegression",
]
