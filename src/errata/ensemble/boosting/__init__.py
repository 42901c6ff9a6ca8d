"""Boosting: AdaBoost, and three boosters that resist wrong labels better."""

from ._adaboost import DiscreteAdaBoostClassifier
from ._gentleboost import GentleBoostClassifier
from ._logitboost import LogitBoostClassifier
from ._robustboost import RobustBoostClassifier

__all__ = [
    "DiscreteAdaBoostClassifier",
    "LogitBoostClassifier",
    "GentleBoostClassifier",
    "RobustBoostClassifier",
]
