"""Extreme learning machines, their kernels, and exact out-of-sample predictions in one fit."""

from ._classifier import ELMClassifier
from ._features import ELMFeatures
from ._kernel import asymptotic_elm_kernel, elm_kernel, kernel_leave_one_out
from ._regressor import ELMRegressor
from ._svc import ELMSVC
from ._svr import ELMSVR

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
