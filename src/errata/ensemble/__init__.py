"""Ensembles that survive wrong labels."""

from ._bagging import HardnessBaggingClassifier, selection_probabilities
from ._perceptrons import (
    NoiseReducingBoostClassifier,
    ParallelPerceptronClassifier,
    ParallelPerceptronRegressor,
)
from ._projection_ensemble import SupervisedProjectionEnsembleClassifier
from .boosting._adaboost import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
)
from .boosting._brownboost import BrownBoostClassifier
from .boosting._newton import GentleBoostClassifier, LogitBoostClassifier
from .boosting._robustboost import RobustBoostClassifier

__all__ = [
    "HardnessBaggingClassifier",
    "selection_probabilities",
    "DiscreteAdaBoostClassifier",
    "LogitBoostClassifier",
    "GentleBoostClassifier",
    "RobustBoostClassifier",
    "BrownBoostClassifier",
    "MadaBoostClassifier",
    "AveBoostClassifier",
    "ORBoostClassifier",
    "ParallelPerceptronClassifier",
    "ParallelPerceptronRegressor",
    "NoiseReducingBoostClassifier",
    "SupervisedProjectionEnsembleClassifier",
]
