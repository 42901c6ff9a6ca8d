"""Learners that live with wrong labels: a noise model inside, or rows that count less."""

from . import objectives
from ._evidential_knn import EvidentialKNNClassifier
from .hidden_class._discriminant import RobustDiscriminantAnalysis, RobustMixtureClassifier
from .hidden_class._logistic import RobustLogisticRegression, UnbiasedLogisticRegression
from .hidden_class._noise_model_classifier import NoiseModelClassifier
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
from .reinforced._kernel_ridge import ReinforcedKernelRidge
from .reinforced._linear import ReinforcedLinearRegression
from .reinforced._logistic import ReinforcedLogisticRegression
from .reinforced._loop import reinforcement_weights
from .reinforced._pca import ReinforcedPCA
from .reinforced._wrapping import ReinforcedClassifier, ReinforcedDensity, ReinforcedRegressor

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
