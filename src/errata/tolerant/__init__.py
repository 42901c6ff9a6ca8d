"""Pointwise probability reinforcements: fit the rows that agree, and say which do not."""

from ._alpha import select_log_alpha
from ._classifier import ReinforcedClassifier
from ._density import ReinforcedDensity
from ._kernel_ridge import ReinforcedKernelRidge
from ._linear import ReinforcedLinearRegression
from ._logistic import ReinforcedLogisticRegression
from ._pca import ReinforcedPCA
from ._regressor import ReinforcedRegressor
from ._weights import reinforcement_weights

__all__ = [
    "reinforcement_weights",
    "select_log_alpha",
    "ReinforcedLinearRegression",
    "ReinforcedLogisticRegression",
    "ReinforcedKernelRidge",
    "ReinforcedPCA",
    "ReinforcedClassifier",
    "ReinforcedRegressor",
    "ReinforcedDensity",
]
