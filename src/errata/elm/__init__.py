"""Extreme learning machines, their kernels, and exact out-of-sample predictions in one fit."""

from ._elm import ELMClassifier, ELMRegressor
from ._hidden_layer import ELMFeatures
from ._svm import ELMSVC, ELMSVR, asymptotic_elm_kernel, elm_kernel, kernel_leave_one_out

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
