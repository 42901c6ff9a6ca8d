"""Models with pointwise probability reinforcements: they fit the rows that agree, flag the rest."""

from ._classifier import ReinforcedClassifier
from ._density import ReinforcedDensity
from ._kernel_ridge import ReinforcedKernelRidge
from ._linear import ReinforcedLinearRegression
from ._logistic import ReinforcedLogisticRegression
from ._pca import ReinforcedPCA
from ._regressor import ReinforcedRegressor
from ._reinforcement_weights import reinforcement_weights

__all__ = [
    "ReinforcedLinearRegression",
    "ReinforcedLogisticRegression",
    "ReinforcedKernelRidge",
    "ReinforcedPCA",
    "ReinforcedClassifier",
    "ReinforcedRegressor",
    "ReinforcedDensity",
    "reinforcement_weights",
]
