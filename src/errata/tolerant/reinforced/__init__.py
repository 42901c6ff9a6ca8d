"""Models with pointwise probability reinforcements: they fit the rows that agree, flag the rest."""

from ._kernel_ridge import ReinforcedKernelRidge
from ._linear import ReinforcedLinearRegression
from ._logistic import ReinforcedLogisticRegression
from ._loop import reinforcement_weights
from ._pca import ReinforcedPCA
from ._wrapping import ReinforcedClassifier, ReinforcedDensity, ReinforcedRegressor

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
