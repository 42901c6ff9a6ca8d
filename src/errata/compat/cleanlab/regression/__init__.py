"""Labels that are numbers."""

from . import learn

__all__ = ["learn"]
