"""Filters: find the rows whose labels look wrong and leave them out, or mend them."""

from ._cleaner import Cleaner
from ._detector_filter import DetectorFilter
from ._filtered_classifier import FilteredClassifier
from .neighbors import (
    AllNeighborsFilter,
    CutEdgeFilter,
    EditedNeighborsFilter,
    GeneralizedEditionFilter,
    ModeFilter,
    RepeatedEditedFilter,
)
from .peeling import (
    LinearProgramPeeler,
    MarginPeeler,
    MisclassificationPeeler,
    VotePeeler,
    WeightPeeler,
    maximize_margin,
)

__all__ = [
    "EditedNeighborsFilter",
    "RepeatedEditedFilter",
    "AllNeighborsFilter",
    "GeneralizedEditionFilter",
    "CutEdgeFilter",
    "ModeFilter",
    "MarginPeeler",
    "MisclassificationPeeler",
    "WeightPeeler",
    "LinearProgramPeeler",
    "VotePeeler",
    "DetectorFilter",
    "Cleaner",
    "FilteredClassifier",
    "maximize_margin",
]
