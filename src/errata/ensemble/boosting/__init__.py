"""Boosting: AdaBoost, and six boosters that resist wrong labels better."""

from ._adaboost import DiscreteAdaBoostClassifier
from ._newton import GentleBoostClassifier, LogitBoostClassifier
from ._robustboost import RobustBoostClassifier
from ._tempered import AveBoostClassifier, MadaBoostClassifier, ORBoostClassifier

__all__ = [
    "DiscreteAdaBoostClassifier",
    "LogitBoostClassifier",
    "GentleBoostClassifier",
    "RobustBoostClassifier",
    "MadaBoostClassifier",
    "AveBoostClassifier",
    "ORBoostClassifier",
]
