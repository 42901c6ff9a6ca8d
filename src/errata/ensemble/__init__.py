"""Ensembles that survive wrong labels."""

from ._bagging import HardnessBaggingClassifier, selection_probabilities

__all__ = ["HardnessBaggingClassifier", "selection_probabilities"]
