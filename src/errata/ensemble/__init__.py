"""Ensembles that survive wrong labels."""

from ._adaboost import DiscreteAdaBoostClassifier
from ._bagging import HardnessBaggingClassifier
from ._categories_figure import plot_categories
from ._ease import selection_probabilities
from ._gentleboost import GentleBoostClassifier
from ._logitboost import LogitBoostClassifier
from ._noise_reducing import NoiseReducingBoostClassifier
from ._parallel_perceptron import ParallelPerceptronClassifier
from ._parallel_regressor import ParallelPerceptronRegressor
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
    "ParallelPerceptronClassifier",
    "ParallelPerceptronRegressor",
    "NoiseReducingBoostClassifier",
    "plot_categories",
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
