"""Datasets of Hugging Face as Arrow tables, known by what they can do: nothing is imported."""

from collections.abc import Mapping
from typing import Any

from .._format import listed
from .._optional import require


def as_table(X: Any) -> Any:
    """A ``datasets.Dataset`` as an Arrow table, its classes by name; whatever else as it is.

    Rows come in the order that the dataset has them in, also if it was sorted or some were picked.
    Pictures stay the bytes they are stored as.

    Examples
    --------
    >>> as_table({"x": [1, 2]})
    {'x': [1, 2]}
    """
    if isinstance(X, Mapping) and len(X) and all(map(_is_dataset, X.values())):
        first = next(iter(X))
        raise ValueError(
            f"this holds several datasets ({listed(X)}); pass one of them, as in X[{first!r}]."
        )
    if not _is_dataset(X):
        return X
    if not hasattr(X, "__len__"):
        raise ValueError(
            "this dataset is streamed; collect it first, as in "
            "datasets.Dataset.from_list(list(X), features=X.features)."
        )
    table = X.with_format("arrow")[:]
    for place, name in enumerate(table.column_names):
        names = getattr(X.features[name], "names", None)
        if names is not None and hasattr(X.features[name], "int2str"):
            table = table.set_column(place, name, _named(table.column(place), names))
    return table


def _is_dataset(X: Any) -> bool:
    return all(hasattr(X, name) for name in ("features", "with_format", "column_names"))


def _named(codes: Any, names: list[str]) -> Any:
    """Classes by their names; those without a class, which are null or -1, as null."""
    arrow = require("pyarrow", extra="tables")
    cells = [None if code is None or code < 0 else names[code] for code in codes.to_pylist()]
    return arrow.chunked_array([arrow.array(cells, arrow.string())])
