"""Committees: models that have not seen a row, or not believed it, say what its label should be."""

from ._boosting import BoostEdgeFilter, BoostWeightFilter
from ._cross_validation import CrossValFilter, VotingFilter
from ._parts import BaggingFilter, PartitionFilter

__all__ = [
    "CrossValFilter",
    "VotingFilter",
    "BaggingFilter",
    "PartitionFilter",
    "BoostEdgeFilter",
    "BoostWeightFilter",
]
