"""Tables: read columns, write a table back with some of it changed, make features of any."""

from ._cells import is_missing, numbers
from ._features import Features, features_of
from ._files import atomic_folder, atomic_path, readable
from ._table import copy_with_column, copy_with_rows, read_columns, write_columns

__all__ = [
    "read_columns",
    "copy_with_column",
    "copy_with_rows",
    "write_columns",
    "features_of",
    "Features",
    "numbers",
    "is_missing",
    "atomic_path",
    "atomic_folder",
    "readable",
]
