"""Instance hardness: how much a row's surroundings disagree with its label."""

from .._neighbors._search import nearest
from ._balance import ClassBalance, MinorityValue, class_balance, minority_value
from ._classifiers import InstanceHardness
from ._enemies import LocalSets, local_sets
from ._likelihood import ClassLikelihood, ClassLikelihoodDifference
from ._local_sets import (
    Harmfulness,
    LocalSetCardinality,
    LocalSetRadius,
    LocalSetSmoother,
    Usefulness,
)
from ._neighbors import NeighborDisagreement, k_disagreeing_neighbors
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
    "LocalSets",
    "local_sets",
    "MinorityValue",
    "ClassBalance",
    "minority_value",
    "class_balance",
]
