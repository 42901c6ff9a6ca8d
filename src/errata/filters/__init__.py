"""Filters: find the rows whose labels look wrong and leave them out, or mend them."""

from ._cleaner import Cleaner
from ._detector_filter import DetectorFilter
from ._filtered_classifier import FilteredClassifier
from ._label_deletion_classifier import LabelDeletionClassifier
from ._suspicion_weighted_classifier import SuspicionWeightedClassifier
from .committees import (
    BaggingFilter,
    BoostEdgeFilter,
    BoostWeightFilter,
    CrossValFilter,
    PartitionFilter,
    VotingFilter,
)
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
