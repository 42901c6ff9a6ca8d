"""Clients of Dask clusters: the only file that imports Dask."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._optional import require


def _distributed() -> Any:
    return require("distributed", extra="scale")


def client_at(address: str) -> Any:
    """A client of the scheduler at an address such as ``tcp://10.0.0.1:8786``."""
    distributed = _distributed()
    try:
        # Not the default: what else this process does with Dask is not for this cluster.
        return distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OSError(
            f"no Dask scheduler answers at {address}; give its address as in "
            "tcp://10.0.0.1:8786, and start it with: dask scheduler"
        ) from error


@contextmanager
def local_client(n_workers: int | None = None) -> Iterator[Any]:
    """A client of a cluster of this machine, one worker of one thread for each core."""
    cluster = _distributed().LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        dashboard_address=":0",  # any free port: two clusters of one machine must not meet
        silence_logs=logging.CRITICAL,
    )
    with cluster, _distributed().Client(cluster, set_as_default=False) as client:
        yield client


def check_client(client: Any) -> None:
    """Raise unless it is a client that can be waited for."""
    if not isinstance(client, _distributed().Client):
        raise TypeError(
            f"engine={client!r} is no Dask client; pass a distributed.Client, or the address of a "
            "scheduler."
        )
    if client.asynchronous:
        raise ValueError(
            "the Dask client is asynchronous, so its results cannot be waited for here; make one "
            "without asynchronous=True."
        )
    if client.status != "running":
        raise ValueError(f"the Dask client is {client.status}; make a new one and pass that.")


def is_killed_worker(error: Exception) -> bool:
    """Whether Dask has given a task up, as every worker that began it died."""
    return isinstance(error, _distributed().scheduler.KilledWorker)
