"""How an audit begins that cannot read its table in parts."""

from typing import Any

from ..tables._datasets import as_table
from ..tables._sources import is_stored


def table_in_memory(X: Any, auditing: str) -> Any:
    """The table, for a kind of audit that cannot read it in parts; ``auditing`` is the function."""
    X = as_table(X)
    if is_stored(X):
        raise ValueError(
            f"{auditing} needs its table in memory; read it first, for instance with "
            "pandas.read_parquet, and pass the dataframe."
        )
    return X
