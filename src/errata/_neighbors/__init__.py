"""The one way to neighbours: exact or nearly so, ties to the smaller index, self left out."""

from ._search import (
    NeighborIndex,
    find_commonest,
    limit_neighbors,
    measure_pairs,
    nearest,
    nearest_in,
    vote_margins,
)

__all__ = [
    "NeighborIndex",
    "find_commonest",
    "measure_pairs",
    "nearest",
    "nearest_in",
    "limit_neighbors",
    "vote_margins",
]
