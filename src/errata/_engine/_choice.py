"""The engine that was asked for."""

from typing import Any

from ._clients import check_client, client_at
from ._dask import OnDask
from ._engine import Engine
from ._here import Here
from ._ledger import Ledger
from ._stage import Progress


def engine_of(
    engine: Any, ledger: Ledger, progress: Progress | None = None, patience: float = 600.0
) -> Engine:
    """For None this process, for a client or the address of a scheduler its cluster."""
    if engine is None:
        return Here(ledger, progress)
    if isinstance(engine, str):
        return OnDask(client_at(engine), ledger, progress, patience, owned=True)
    check_client(engine)
    return OnDask(engine, ledger, progress, patience)
