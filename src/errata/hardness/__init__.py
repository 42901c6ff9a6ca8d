"""Instance hardness: how much a row's surroundings disagree with its label."""

from .._neighbors import nearest
from ._clusters import ClusterDisagreement
from ._measure import (
    ClassBalance,
    ClassLikelihood,
    ClassLikelihoodDifference,
    Harmfulness,
    LocalSetCardinality,
    LocalSetRadius,
    LocalSetSmoother,
    MinorityValue,
    NeighborDisagreement,
    Usefulness,
    k_disagreeing_neighbors,
)
from ._models import DisjunctClassPercentage, DisjunctSize, InstanceHardness, TreeDepth

__all__ = [
    "NeighborDisagreement",
    "k_disagreeing_neighbors",
    "ClusterDisagreement",
    "nearest",
    "InstanceHardness",
    "DisjunctSize",
    "DisjunctClassPercentage",
    "TreeDepth",
    "ClassLikelihood",
    "ClassLikelihoodDifference",
    "LocalSetCardinality",
    "LocalSetRadius",
    "LocalSetSmoother",
    "Harmfulness",
    "Usefulness",
    "MinorityValue",
    "ClassBalance",
]
