"""Noise peeling: boost, leave out the rows that boosting struggles with, and boost again."""

from ._linear_program_peeler import LinearProgramPeeler
from ._margin_peeler import MarginPeeler
from ._maximum_margin import maximize_margin
from ._misclassification_peeler import MisclassificationPeeler
from ._vote_peeler import VotePeeler
from ._weight_peeler import WeightPeeler

__all__ = [
    "MarginPeeler",
    "MisclassificationPeeler",
    "WeightPeeler",
    "LinearProgramPeeler",
    "VotePeeler",
    "maximize_margin",
]
