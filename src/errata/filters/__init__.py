"""Filters: find the rows whose labels look wrong and leave them out, or mend them."""

from ._cleaner import Cleaner
from ._detector_filter import DetectorFilter
from ._filtered_classifier import FilteredClassifier
from ._linear_program_peeler import LinearProgramPeeler
from ._margin_peeler import MarginPeeler
from ._maximum_margin import maximize_margin
from ._misclassification_peeler import MisclassificationPeeler
from ._vote_peeler import VotePeeler
from ._weight_peeler import WeightPeeler
from .neighbors import (
    AllNeighborsFilter,
    CutEdgeFilter,
    EditedNeighborsFilter,
    GeneralizedEditionFilter,
    ModeFilter,
    RepeatedEditedFilter,
)

__all__ = [
    "MarginPeeler",
    "MisclassificationPeeler",
    "WeightPeeler",
    "LinearProgramPeeler",
    "VotePeeler",
    "EditedNeighborsFilter",
    "RepeatedEditedFilter",
    "AllNeighborsFilter",
    "GeneralizedEditionFilter",
    "CutEdgeFilter",
    "ModeFilter",
    "DetectorFilter",
    "Cleaner",
    "FilteredClassifier",
    "maximize_margin",
]
