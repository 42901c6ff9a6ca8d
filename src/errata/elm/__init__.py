"""Extreme learning machines, their kernels, and exact out-of-sample predictions in one fit."""

from ._classifier import ELMClassifier
from ._features import ELMFeatures
from ._gram import GramRecord
from ._kernel import asymptotic_elm_kernel, elm_kernel, kernel_leave_one_out
from ._regressor import ELMRegressor
from ._svm import ELMSVC, ELMSVR

__all__ = [
    "ELMClassifier",
    "ELMFeatures",
    "ELMRegressor",
    "ELMSVC",
    "ELMSVR",
    "GramRecord",
    "asymptotic_elm_kernel",
    "elm_kernel",
    "kernel_leave_one_out",
]
