"""Ensembles that survive wrong labels."""

from ._bags import selection_probabilities
from ._projection_ensemble import SupervisedProjectionEnsembleClassifier
from .bagging import HardnessBaggingClassifier
from .boosting import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
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
    "MadaBoostClassifier",
    "AveBoostClassifier",
    "ORBoostClassifier",
    "ParallelPerceptronClassifier",
    "ParallelPerceptronRegressor",
    "NoiseReducingBoostClassifier",
    "SupervisedProjectionEnsembleClassifier",
]
