"""Filters: find the rows whose labels look wrong and leave them out, or mend them."""

from ._base import Cleaner, DetectorFilter
from ._classifiers import FilteredClassifier, LabelDeletionClassifier, SuspicionWeightedClassifier
from ._committees import (
    BaggingFilter,
    BoostEdgeFilter,
    BoostWeightFilter,
    CrossValFilter,
    PartitionFilter,
    VotingFilter,
)
from ._neighbors import (
    AllNeighborsFilter,
    CutEdgeFilter,
    EditedNeighborsFilter,
    GeneralizedEditionFilter,
    ModeFilter,
    RepeatedEditedFilter,
)
from ._peeling import (
    LinearProgramPeeler,
    MarginPeeler,
    MisclassificationPeeler,
    VotePeeler,
    WeightPeeler,
    maximize_margin,
)

__all__ = [
    "CrossValFilter",
    "VotingFilter",
    "BaggingFilter",
    "PartitionFilter",
    "BoostEdgeFilter",
    "BoostWeightFilter",
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
    "LabelDeletionClassifier",
    "SuspicionWeightedClassifier",
    "maximize_margin",
]
