"""Cards: all that a person wants to see of a row to decide on its label, one JSON text each.

1. ``_rows``: which rows get one
2. ``_cells``: what they and the rows like them hold, and in which columns they stand out
3. ``_maker``: the cards themselves
4. ``_file``: where they are kept
"""

from ._file import write_cards
from ._maker import CardMaker, plain
from ._rows import card_rows

__all__ = ["CardMaker", "card_rows", "plain", "write_cards"]
