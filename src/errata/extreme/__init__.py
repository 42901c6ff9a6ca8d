"""Extreme learning machines, their kernels, and exact out-of-sample predictions in one fit."""

from ._elm import ELMClassifier, ELMRegressor
from ._features import ELMFeatures
from ._gram import GramRecord

__all__ = ["ELMClassifier", "ELMFeatures", "ELMRegressor", "GramRecord"]
