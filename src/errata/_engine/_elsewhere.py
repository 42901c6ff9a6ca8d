"""Items measured on a cluster for a caller that keeps the results itself."""

import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from .._litter import temporary_prefix
from ._choice import engine_of
from ._engine import Task
from ._ledger import Ledger

# Seconds that one item may take: a learner may well need hours, unlike a part of a table.
_LONGEST = 86_400.0


def map_elsewhere(
    engine: Any, task: Task, items: Iterable[Any], shared: Any, *, stage: str, folder: Path | None
) -> Generator[tuple[int, Any], None, None]:
    """Number and result of ``task(item, shared)`` for each item, as a cluster finishes them.

    Parameters
    ----------
    engine : distributed.Client or str
        The cluster, or the address of its scheduler.
    folder : Path or None
        Where a temporary folder may be made that all workers see; None where they all are on this
        machine.
    """
    items = list(items)
    if not items:  # nobody need be there
        return
    with tempfile.TemporaryDirectory(prefix=temporary_prefix(), dir=folder) as workshop:
        # A name that is swept when this process is killed.
        ledger = Ledger.open(Path(workshop) / "new", {}, resume=True)
        with engine_of(engine, ledger, patience=_LONGEST) as cluster:
            yield from cluster.map_unordered(task, items, shared, stage=stage)
