"""Filters: find the rows whose labels look wrong and leave them out, or mend them."""

from ._base import DetectorFilter
from ._classifiers import FilteredClassifier, LabelDeletionClassifier, SuspicionWeightedClassifier
from ._cleaner import Cleaner
from .committees._boosting import BoostEdgeFilter, BoostWeightFilter
from .committees._cross_validation import CrossValFilter, VotingFilter
from .committees._parts import BaggingFilter, PartitionFilter
from .neighbors._editors import (
    AllNeighborsFilter,
    EditedNeighborsFilter,
    GeneralizedEditionFilter,
    RepeatedEditedFilter,
)
from .neighbors._graph_filters import CutEdgeFilter, ModeFilter
from .peeling._linear_programs import LinearProgramPeeler, maximize_margin
from .peeling._peeling import MarginPeeler, MisclassificationPeeler, VotePeeler, WeightPeeler

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
