"""Classifiers whose loss is bounded or nearly so, and the losses to choose from."""

from ._kernel import KernelRobustLossClassifier
from ._linear import RobustLossClassifier
from ._margin_losses import RampLoss, SavageLoss, SigmoidLoss, TangentLoss
from ._softmax_losses import GeneralizedCrossEntropy, SymmetricCrossEntropy

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
