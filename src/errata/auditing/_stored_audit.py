"""The audit of a table that is read in parts."""

import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._engine import Ledger, engine_of
from .._format import shortened
from .._random import draw_seed
from .._validation import check_fraction
from ..tables._columns import column_array
from ..tables._sources import Source, open_source, take_source_rows
from ._asked import Asked
from ._in_memory import audit_in_memory
from ._part_rows import part_rows
from ._passes import audit_in_passes
from ._result import Audit
from ._settings import LEARN_ROWS
from ._stored_table import StoredTable
from ._table_columns import TableColumns, columns_for

IN_MEMORY_ONLY = ("embeddings", "sequence", "wavelets", "decisions", "keys", "image_shape")


class Storing(NamedTuple):
    """Where and how the audit runs; see :func:`errata.audit`."""

    out: Path
    memory: int | str | None = None
    engine: Any = None
    resume: bool = True
    patience: float = 600.0

    @property
    def unfinished(self) -> Path:
        """The folder of what is not finished yet, beside that of the audit."""
        return self.out.with_name(f"{self.out.name}.unfinished")


def audit_stored(
    X: Any, label: Any, asked: Asked, storing: Storing, progress: Callable[[Any], None]
) -> Audit:
    """See :func:`errata.audit`."""
    _check_asked(label, asked)
    progress("reading the table")
    source = open_source(
        X,
        scratch=storing.unfinished / "tables",
        rows_per_part=part_rows(storing.memory),
        progress=progress,
    )
    columns = columns_for(
        *(source.columns, label, asked.drop),
        known=asked.known,
        groups=asked.groups,
        pred_proba=asked.pred_proba,
        ids=asked.ids,
    )
    if source.n_rows <= LEARN_ROWS:
        found = _audit_at_once(source, columns, asked, progress)
    else:
        table = StoredTable(source, columns, draw_seed(asked.random_state))
        ledger = Ledger.open(
            storing.unfinished / "work", _fingerprint(table, asked), resume=storing.resume
        )
        with engine_of(storing.engine, ledger, progress, storing.patience) as engine:
            found = audit_in_passes(table, asked, engine, ledger, progress)
    found.about |= {"label": label, "tables": source.files}
    progress("writing the audit")
    found.save(storing.out)
    shutil.rmtree(storing.unfinished, ignore_errors=True)
    return Audit.load(storing.out)


def _check_asked(label: Any, asked: Asked) -> None:
    """Raise for what only tables in memory can have."""
    given = [name for name in IN_MEMORY_ONLY if getattr(asked, name) is not None]
    if given:
        raise ValueError(
            f"{given[0]} needs a table in memory, and this one is read in parts; read it first, "
            "for instance with pandas.read_parquet, and pass the dataframe."
        )
    names = {"y": label, "groups": asked.groups, "known": asked.known, "ids": asked.ids}
    for what, name in names.items():
        if not isinstance(name, str) and (name is not None or what == "y"):
            raise ValueError(
                f"{what} must be the name of a column where the table is read in parts, but is "
                f"{shortened(repr(name), 60)}."
            )
    if asked.precision is not None:
        check_fraction("precision", asked.precision)


def _audit_at_once(
    source: Source, columns: TableColumns, asked: Asked, progress: Callable[[Any], None]
) -> Audit:
    """All rows are learnt from, so they are read into memory."""
    rows = take_source_rows(source, np.arange(source.n_rows), columns.all)
    per_row = {"known": columns.known, "groups": columns.groups, "ids": columns.ids}
    cells: dict[str, Any] = {
        what: column_array(rows, name) for what, name in per_row.items() if name is not None
    }
    asked = asked._replace(**cells, pred_proba=columns.proba_of(rows), drop=())
    features = rows.select([*columns.features, columns.label])
    return audit_in_memory(features, columns.label, asked, progress)


def _fingerprint(table: StoredTable, asked: Asked) -> dict[str, Any]:
    """What must be the same for an unfinished audit to go on."""
    packages = ("errata", "numpy", "scikit-learn")
    return table.source.fingerprint() | {
        "label": table.columns.label,
        "parameters": {name: repr(value) for name, value in asked._asdict().items()},
        "versions": {name: version(name) for name in packages},
    }
