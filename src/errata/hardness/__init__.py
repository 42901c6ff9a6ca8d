"""Instance hardness: how much a row's surroundings disagree with its label."""

from .._neighbors import nearest
from ._classifiers import InstanceHardness
from ._disagreement import NeighborDisagreement, k_disagreeing_neighbors
from ._local_sets import (
    Harmfulness,
    LocalSetCardinality,
    LocalSetRadius,
    LocalSetSmoother,
    Usefulness,
)
from ._measure import ClassBalance, ClassLikelihood, ClassLikelihoodDifference, MinorityValue
from ._trees import DisjunctClassPercentage, DisjunctSize, TreeDepth

__all__ = [
    "NeighborDisagreement",
    "k_disagreeing_neighbors",
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
