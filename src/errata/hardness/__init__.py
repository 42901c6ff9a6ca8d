"""Instance hardness: how much a row's surroundings disagree with its label."""

from ._neighbors import NeighborDisagreement, k_disagreeing_neighbors

__all__ = ["NeighborDisagreement", "k_disagreeing_neighbors"]
