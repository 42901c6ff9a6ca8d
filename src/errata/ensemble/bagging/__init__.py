"""Bagging that draws hard rows less often."""

from ._hardness_bagging import HardnessBaggingClassifier

__all__ = ["HardnessBaggingClassifier"]
