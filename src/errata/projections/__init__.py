"""Supervised projections: plain transformers that learn from the labels where to look."""

from ._projections import (
    HiddenLayerProjection,
    HybridDiscriminantProjection,
    KernelDiscriminantProjection,
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
