"""Models with pointwise probability reinforcements: they fit the rows that agree, flag the rest."""

from .losses import (
    GeneralizedCrossEntropy,
    KernelRobustLossClassifier,
    RampLoss,
    RobustLossClassifier,
    SavageLoss,
    SigmoidLoss,
    SymmetricCrossEntropy,
    TangentLoss,
)
from .reinforced import (
    ReinforcedClassifier,
    ReinforcedDensity,
    ReinforcedKernelRidge,
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
    ReinforcedRegressor,
    reinforcement_weights,
)

__all__ = [
    "ReinforcedLinearRegression",
    "ReinforcedLogisticRegression",
    "ReinforcedKernelRidge",
    "ReinforcedPCA",
    "ReinforcedClassifier",
    "ReinforcedRegressor",
    "ReinforcedDensity",
    "reinforcement_weights",
    "RobustLossClassifier",
    "KernelRobustLossClassifier",
    "GeneralizedCrossEntropy",
    "SymmetricCrossEntropy",
    "RampLoss",
    "SigmoidLoss",
    "SavageLoss",
    "TangentLoss",
]
