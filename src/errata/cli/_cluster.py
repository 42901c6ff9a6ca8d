"""Where a command does its work: the options that name a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--engine`` and ``--scheduler`` to a command."""
    engine = click.option(
        "--engine",
        type=click.Choice(["dask"]),
        help="Work on a Dask cluster, of this machine's cores unless --scheduler names another.",
    )
    scheduler = click.option(
        "--scheduler", metavar="ADDRESS", help="Of a Dask cluster, as in tcp://10.0.0.1:8786."
    )
    return engine(scheduler(command))


@contextmanager
def chosen_engine(engine: str | None, scheduler: str | None) -> Iterator[Any]:
    """What the library calls ``engine``: None, an address, or the client of a cluster of here."""
    if engine is None:
        if scheduler is not None:
            raise ValueError("--scheduler names a Dask cluster, so it needs --engine dask.")
        yield None
    elif scheduler is not None:
        yield scheduler
    else:
        # Here, as importing the library takes longer than showing the help should.
        from .._engine import local_client

        with local_client() as client:
            yield client
