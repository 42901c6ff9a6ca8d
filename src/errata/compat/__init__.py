"""Interfaces of other libraries, answered by errata: change one import."""

from . import cleanlab

__all__ = ["cleanlab"]
