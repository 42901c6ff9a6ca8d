"""Labels that are numbers: which targets of a regression table are wrong, and what they should be.

1. ``_findings``: what is found, one value a row and a few for the whole table
2. ``_finding``: all stages on one page
"""

from ._finding import BroughtPredictions, check_targets, find_wrong_targets
from ._findings import TargetFindings, TargetModel, TargetSelfCheck

__all__ = [
    "BroughtPredictions",
    "TargetFindings",
    "TargetModel",
    "TargetSelfCheck",
    "check_targets",
    "find_wrong_targets",
]
