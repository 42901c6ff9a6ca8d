"""cleanlab's interface, answered by errata: the same arguments, columns and types.

Written from cleanlab's documentation and the papers it cites. ``from errata.compat import
cleanlab`` in place of ``import cleanlab`` is all there is to change; by default errata's posterior
answers, with ``method="confident_learning"`` the rules of Northcutt et al. (2021).
"""

from . import (
    classification,
    count,
    datalab,
    filter,
    multiannotator,
    multilabel_classification,
    rank,
    regression,
)
from .classification import CleanLearning
from .count import compute_confident_joint, estimate_joint, num_label_issues
from .datalab import Datalab
from .filter import find_label_issues
from .rank import get_label_quality_ensemble_scores, get_label_quality_scores

__all__ = [
    "classification",
    "count",
    "datalab",
    "filter",
    "multiannotator",
    "multilabel_classification",
    "rank",
    "regression",
    "find_label_issues",
    "get_label_quality_scores",
    "get_label_quality_ensemble_scores",
    "num_label_issues",
    "compute_confident_joint",
    "estimate_joint",
    "CleanLearning",
    "Datalab",
]
