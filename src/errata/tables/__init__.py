"""Tables on disk: read columns, write a table back with one of them changed, all or nothing."""

from ._files import atomic_path, readable
from ._table import copy_with_column, is_missing, numbers, read_columns, write_columns

__all__ = [
    "read_columns",
    "copy_with_column",
    "write_columns",
    "numbers",
    "is_missing",
    "atomic_path",
    "readable",
]
