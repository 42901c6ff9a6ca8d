"""The same work on the workers of a Dask cluster.

Tasks may run twice, and whatever workers finish is kept by themselves in the ledger. So a lost
worker costs what it was at, and a lost cluster what is unfinished.
"""

import errno
import traceback
import uuid
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ._clients import check_client
from ._engine import Engine, Piece, Task
from ._errors import with_place
from ._ledger import Ledger
from ._pickles import opener, packed_call
from ._shared import load_shared, shared_file
from ._stage import Clock, Progress
from ._watch import Failed, Watch

_RETRIES = 3  # of a disk or network that fails for a moment; lost workers do not count
# Errors of the system that stay until somebody mends them.
_LASTING = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT}


class OnDask(Engine):
    """Work by the futures of a Dask client.

    Parameters
    ----------
    client : distributed.Client
        Not an asynchronous one.
    ledger : Ledger
        In a folder that all workers share and may write to.
    progress : callable, optional
        Is told the :class:`Stage` at the start and after every part.
    patience : float, default=600
        Seconds without a worker (at most 600), or without anything finished, until a TimeoutError.
    owned : bool, default=False
        Whether the client is closed with the engine.
    """

    def __init__(
        self,
        client: Any,
        ledger: Ledger,
        progress: Progress | None = None,
        patience: float = 600.0,
        owned: bool = False,
    ) -> None:
        super().__init__(progress)
        self.client, self.ledger, self.patience, self.owned = client, ledger, patience, owned

    def close(self) -> None:
        """Close the client if the engine has made it."""
        if self.owned:
            self.client.close()

    def _finished(
        self, task: Task, pieces: Sequence[Piece], shared: Any, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        missing = {}
        for number, piece in enumerate(pieces):
            found = self.ledger.recall(piece.key)
            if found is None:
                missing[number] = piece
                continue
            clock.tell(piece.rows, kept=True)
            yield number, found.result
        if missing:
            with shared_file(self.ledger.folder, shared) as path:
                yield from self._computed(task, missing, path, clock)

    def _computed(
        self, task: Task, missing: Mapping[int, Piece], path: Path, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        check_client(self.client)
        watch = Watch(self.client, self.ledger, self.patience, clock.stage.name, len(missing))
        watch.check_workers(path)
        futures = self._submit(task, missing.values(), path)
        numbers = dict(zip((future.key for future in futures), missing, strict=True))
        try:
            for future in watch.finished(futures):
                number = numbers[future.key]
                result = watch.result_of(future, missing[number])
                clock.tell(missing[number].rows)
                yield number, result
        finally:
            with suppress(Exception):  # an error that is on its way says more
                self.client.cancel([future for future in futures if not future.done()])

    def _submit(self, task: Task, pieces: Collection[Piece], path: Path) -> list[Any]:
        call = uuid.uuid4().hex
        return self.client.map(
            opener(),
            [packed_call(_work, piece, task, path, self.ledger) for piece in pieces],
            key=[f"errata-{piece.key}-{call}" for piece in pieces],
            retries=_RETRIES,
            pure=False,
        )


def _work(piece: Piece, task: Task, shared: Path, ledger: Ledger) -> Any:
    """On a worker: what the task gives, kept in the ledger before anybody hears of it."""
    try:
        return ledger.kept(piece.key, lambda: task(piece.item, load_shared(shared)))
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in _LASTING:
            raise
        told = with_place(error, piece, ledger)
        told.add_note(traceback.format_exc())  # which would stay on the worker
        return Failed(told)
