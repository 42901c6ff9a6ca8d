"""The one door to neighbours: exact or nearly so, ties to the smaller index, self left out."""

from ._distances import distances_between
from ._search import NeighborIndex, nearest, nearest_in, possible_neighbors
from ._votes import commonest, vote_margins

__all__ = [
    "NeighborIndex",
    "commonest",
    "distances_between",
    "nearest",
    "nearest_in",
    "possible_neighbors",
    "vote_margins",
]
