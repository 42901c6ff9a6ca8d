"""Supervised projections: plain transformers that learn from the labels where to look."""

from ._discriminants import HybridDiscriminantProjection, LinearDiscriminantProjection
from ._hidden_layer import HiddenLayerProjection
from ._inverse_regression import (
    PrincipalHessianDirections,
    SlicedAverageVariance,
    SlicedInverseRegression,
)
from ._kernel import KernelDiscriminantProjection
from ._nonparametric import NonparametricDiscriminantProjection, NonparametricWeightedProjection
from ._partial_least_squares import PartialLeastSquaresProjection

__all__ = [
    "LinearDiscriminantProjection",
    "HybridDiscriminantProjection",
    "NonparametricDiscriminantProjection",
    "NonparametricWeightedProjection",
    "SlicedInverseRegression",
    "SlicedAverageVariance",
    "PrincipalHessianDirections",
    "PartialLeastSquaresProjection",
    "KernelDiscriminantProjection",
    "HiddenLayerProjection",
]
