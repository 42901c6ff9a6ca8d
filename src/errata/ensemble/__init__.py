"""Ensembles that survive wrong labels."""

from ._hardness_weights import selection_probabilities
from ._projection_ensemble import SupervisedProjectionEnsembleClassifier
from .bagging import HardnessBaggingClassifier
from .boosting import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RobustBoostClassifier,
)
from .perceptrons import (
    NoiseReducingBoostClassifier,
    ParallelPerceptronClassifier,
    ParallelPerceptronRegressor,
)

__all__ = [
    "HardnessBaggingClassifier",
    "selection_probabilities",
    "DiscreteAdaBoostClassifier",
    "LogitBoostClassifier",
    "GentleBoostClassifier",
    "RobustBoostClassifier",
    "ParallelPerceptronClassifier",
    "ParallelPerceptronRegressor",
    "NoiseReducingBoostClassifier",
    "SupervisedProjectionEnsembleClassifier",
]
