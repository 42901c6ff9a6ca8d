"""Boosting: AdaBoost, and six boosters that resist wrong labels better."""

from ._adaboost import DiscreteAdaBoostClassifier
from ._aveboost import AveBoostClassifier
from ._gentleboost import GentleBoostClassifier
from ._logitboost import LogitBoostClassifier
from ._madaboost import MadaBoostClassifier
from ._orboost import ORBoostClassifier
from ._robustboost import RobustBoostClassifier

__all__ = [
    "DiscreteAdaBoostClassifier",
    "LogitBoostClassifier",
    "GentleBoostClassifier",
    "RobustBoostClassifier",
    "MadaBoostClassifier",
    "AveBoostClassifier",
    "ORBoostClassifier",
]
