"""Where work on parts of rows runs: in this process, or on the workers of a Dask cluster.

A *task* is a function of a module, ``task(part, shared)``, that depends on its arguments alone and
may run twice. A *part* stands for some rows. An :class:`Engine` runs a task on all parts and merges
what it gives in their order, so that the same sums are made in the same order wherever they run.
A :class:`Ledger` keeps what is finished, so that work that was stopped goes on where it was.
Nothing here knows what the rows are.
"""

from ._dask import OnDask, connect, make_engine, map_elsewhere, start_local_client
from ._engine import Engine, Here, Part, Stage, Task
from ._ledger import Ledger

__all__ = [
    "Engine",
    "Here",
    "Ledger",
    "OnDask",
    "Part",
    "Stage",
    "Task",
    "connect",
    "make_engine",
    "start_local_client",
    "map_elsewhere",
]
