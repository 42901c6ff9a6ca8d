"""Ensembles that survive wrong labels."""

from ._adaboost import DiscreteAdaBoostClassifier
from ._bagging import HardnessBaggingClassifier
from ._ease import selection_probabilities
from ._gentleboost import GentleBoostClassifier
from ._logitboost import LogitBoostClassifier
from ._peeled import PeeledBoostClassifier
from ._peeling import BoostPeeler
from ._projection_ensemble import SupervisedProjectionEnsembleClassifier
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
from ._robustboost import RobustBoostClassifier

__all__ = [
    "HardnessBaggingClassifier",
    "selection_probabilities",
    "DiscreteAdaBoostClassifier",
    "LogitBoostClassifier",
    "GentleBoostClassifier",
    "RobustBoostClassifier",
    "BoostPeeler",
    "PeeledBoostClassifier",
    "SupervisedProjectionEnsembleClassifier",
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
