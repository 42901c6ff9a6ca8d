"""Tables: read a file, write it back with some of it changed, make features of columns.

What a name stands for is imported when it is first asked for: features bring scikit-learn, and the
header of a file is read without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = {
    "_digest": ("RowDigests", "row_digests", "row_keys"),
    "_pictures": ("read_pictures",),
    "_table": ("copy_with_column", "copy_with_rows", "read_table", "write_table"),
    "features._features": ("Applied", "FeaturePlan", "Features", "features_of"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value  # so that it is looked for once
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
