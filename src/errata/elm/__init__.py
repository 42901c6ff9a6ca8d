"""Extreme learning machines, their kernels, and exact out-of-sample predictions in one fit."""

from ._elm import ELMClassifier, ELMRegressor
from ._hidden_layer import ELMFeatures
from ._kernel import asymptotic_elm_kernel, elm_kernel, kernel_leave_one_out
from ._svm import ELMSVC, ELMSVR

__all__ = [
    "ELMClassifier",
    "ELMFeatures",
    "ELMRegressor",
    "ELMSVC",
    "ELMSVR",
    "asymptotic_elm_kernel",
    "elm_kernel",
    "kernel_leave_one_out",
]
