"""Committees: models that have not seen a row, or not believed it, say what its label should be."""

from ._bagging_filter import BaggingFilter
from ._boost_edge_filter import BoostEdgeFilter
from ._boost_weight_filter import BoostWeightFilter
from ._cross_val_filter import CrossValFilter
from ._partition_filter import PartitionFilter
from ._voting_filter import VotingFilter

__all__ = [
    "CrossValFilter",
    "VotingFilter",
    "BaggingFilter",
    "PartitionFilter",
    "BoostEdgeFilter",
    "BoostWeightFilter",
]
