"""The one door to neighbours: exact or nearly so, ties to the smaller index, self left out."""

from ._search import (
    NeighborIndex,
    commonest,
    distances_between,
    nearest,
    nearest_in,
    possible_neighbors,
    vote_margins,
)

__all__ = [
    "NeighborIndex",
    "commonest",
    "distances_between",
    "nearest",
    "nearest_in",
    "possible_neighbors",
    "vote_margins",
]
