"""Instance hardness: how much a row's surroundings disagree with its label."""

from .._neighbors import nearest
from ._balance import ClassBalance, MinorityValue
from ._classifiers import InstanceHardness
from ._disagreement import NeighborDisagreement, k_disagreeing_neighbors
from ._likelihood import ClassLikelihood, ClassLikelihoodDifference
from ._local_sets import LocalSetCardinality, LocalSetRadius
from ._trees import DisjunctClassPercentage, DisjunctSize, TreeDepth
from ._usefulness import Harmfulness, LocalSetSmoother, Usefulness

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
