"""Tests of a data set: fail where too many labels are wrong."""

from ._labels import assert_labels

__all__ = ["assert_labels"]
