"""Filters: find the rows whose labels look wrong and leave them out."""

from ._filtered import PeeledBoostClassifier
from ._peeling import BoostPeeler

__all__ = ["BoostPeeler", "PeeledBoostClassifier"]
