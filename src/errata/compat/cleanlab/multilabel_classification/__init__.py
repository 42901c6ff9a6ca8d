"""Rows with several labels."""

from . import filter, rank
from .filter import find_label_issues, find_multilabel_issues_per_class
from .rank import get_label_quality_scores, get_label_quality_scores_per_class

__all__ = [
    "filter",
    "rank",
    "find_label_issues",
    "find_multilabel_issues_per_class",
    "get_label_quality_scores",
    "get_label_quality_scores_per_class",
]
