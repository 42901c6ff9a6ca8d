"""Parallel perceptrons, and boosting that lets go of the rows they find noisy."""

from ._noise_reducing import NoiseReducingBoostClassifier
from ._parallel import ParallelPerceptronClassifier, ParallelPerceptronRegressor

__all__ = [
    "ParallelPerceptronClassifier",
    "ParallelPerceptronRegressor",
    "NoiseReducingBoostClassifier",
]
