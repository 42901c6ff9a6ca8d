"""Classifiers whose loss is bounded or nearly so, and the losses to choose from."""

from ._classifiers import KernelRobustLossClassifier, RobustLossClassifier
from ._losses import (
    GeneralizedCrossEntropy,
    RampLoss,
    SavageLoss,
    SigmoidLoss,
    SymmetricCrossEntropy,
    TangentLoss,
)

__all__ = [
    "RobustLossClassifier",
    "KernelRobustLossClassifier",
    "GeneralizedCrossEntropy",
    "SymmetricCrossEntropy",
    "RampLoss",
    "SigmoidLoss",
    "SavageLoss",
    "TangentLoss",
]
