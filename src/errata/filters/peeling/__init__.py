"""Noise peeling: boost, leave out the rows that boosting struggles with, and boost again."""

from ._linear_programs import LinearProgramPeeler, maximize_margin
from ._peeling import MarginPeeler, MisclassificationPeeler, VotePeeler, WeightPeeler

__all__ = [
    "MarginPeeler",
    "MisclassificationPeeler",
    "WeightPeeler",
    "LinearProgramPeeler",
    "VotePeeler",
    "maximize_margin",
]
