"""The one door to neighbours: exact or nearly so, ties to the smaller index, self left out."""

from ._search import nearest

__all__ = ["nearest"]
