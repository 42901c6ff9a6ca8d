"""Tables: read a file, write it back with some of it changed, make features of columns."""

from ._digest import RowDigests, row_digests, row_keys
from ._pictures import read_pictures
from ._table import copy_with_column, copy_with_rows, read_table, write_table
from .features._features import Applied, FeaturePlan, Features, features_of

__all__ = [
    "read_table",
    "read_pictures",
    "write_table",
    "copy_with_column",
    "copy_with_rows",
    "row_digests",
    "row_keys",
    "RowDigests",
    "features_of",
    "Features",
    "FeaturePlan",
    "Applied",
]
