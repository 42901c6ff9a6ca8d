"""The one door to neighbours: exact or nearly so, ties to the smaller index, self left out."""

from ._search import NeighborIndex, nearest, nearest_in

__all__ = ["NeighborIndex", "nearest", "nearest_in"]
