"""Learners that live with wrong labels: a noise model inside, or rows that count less."""

from . import objectives
from ._evidential_knn import EvidentialKNNClassifier
from .hidden_class import (
    NoiseModelClassifier,
    RobustDiscriminantAnalysis,
    RobustLogisticRegression,
    RobustMixtureClassifier,
    UnbiasedLogisticRegression,
)
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
    "NoiseModelClassifier",
    "RobustDiscriminantAnalysis",
    "RobustLogisticRegression",
    "UnbiasedLogisticRegression",
    "RobustMixtureClassifier",
    "EvidentialKNNClassifier",
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
    "objectives",
]
