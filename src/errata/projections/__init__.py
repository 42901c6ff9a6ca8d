"""Supervised projections: plain transformers that learn from the labels where to look."""

from ._curved import HiddenLayerProjection, KernelDiscriminantProjection
from ._linear import (
    HybridDiscriminantProjection,
    LinearDiscriminantProjection,
    NonparametricDiscriminantProjection,
    NonparametricWeightedProjection,
    PartialLeastSquaresProjection,
    PrincipalHessianDirections,
    SlicedAverageVariance,
    SlicedInverseRegression,
)

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
