"""Parallel perceptrons, and boosting that lets go of the rows they find noisy."""

from ._classifier import ParallelPerceptronClassifier
from ._noise_reducing import NoiseReducingBoostClassifier
from ._regressor import ParallelPerceptronRegressor

__all__ = [
    "ParallelPerceptronClassifier",
    "ParallelPerceptronRegressor",
    "NoiseReducingBoostClassifier",
]
