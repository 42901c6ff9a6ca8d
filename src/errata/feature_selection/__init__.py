"""Feature selection by mutual information and risk, and when mutual information can be trusted."""

from . import information

__all__ = ["information"]
