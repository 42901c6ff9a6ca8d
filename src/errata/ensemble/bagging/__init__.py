"""Bagging in which hard rows are drawn less often."""

from ._hardness_bagging import HardnessBaggingClassifier

__all__ = ["HardnessBaggingClassifier"]
