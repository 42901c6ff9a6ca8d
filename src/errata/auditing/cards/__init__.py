"""Cards: all that a person wants to see of a row to decide on its label, one JSON text each.

1. ``_rows``: which rows get one
2. ``_cells``: what they and the rows like them hold, and in which columns they stand out
3. ``_cards``: the cards, made when an audit is saved, and their file
"""

from ._cards import Cards, StoredCards

__all__ = ["Cards", "StoredCards"]
