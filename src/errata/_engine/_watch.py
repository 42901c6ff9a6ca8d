"""Waiting for a cluster, and what to say when it does not come back."""

import queue
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from .._format import count
from ._clients import is_killed_worker
from ._engine import Piece
from ._errors import resuming, with_place
from ._ledger import Ledger
from ._pickles import opener, packed_call
from ._workers import check_workers, look

_LOOK_EVERY = 1.0  # seconds between two looks at the cluster while nothing is finished
_WITHOUT_WORKERS = 600.0  # seconds, at most: a part may take longer, a worker need not


class Failed(NamedTuple):
    """An error that would come again: given back, as Dask would try again what is raised."""

    error: Exception


class Watch:
    """Waits for what the workers of one stage finish, but not for ever."""

    def __init__(
        self, client: Any, ledger: Ledger, patience: float, stage: str, total: int
    ) -> None:
        self.client, self.ledger, self.patience = client, ledger, patience
        self.stage, self.total, self.done = stage, total, 0
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._moved = self._manned = time.monotonic()

    def check_workers(self, shared: Path) -> None:
        """Raise when there is no worker, or one that cannot do the work."""
        if not self._workers():
            # A cluster that grows with the work has none until there is some.
            first = self.client.submit(opener(), packed_call(look, shared), pure=False)
            list(self.finished([first]))
            self.done = 0
        check_workers(self.client.run(look, shared, on_error="return"), self.ledger.folder)

    def finished(self, futures: Collection[Any]) -> Iterator[Any]:
        """Futures as they are done."""
        for future in futures:
            future.add_done_callback(self._queue.put)
        for _ in futures:
            yield self._next()
            self.done += 1
            self._moved = time.monotonic()

    def result_of(self, future: Any, piece: Piece) -> Any:
        """The result of a future that is done, or its error in one sentence."""
        if future.status == "error":
            self._explain(future.exception(), piece)
        if future.cancelled():
            raise OSError(f"{piece.stage}: the work was cancelled on the cluster; {self._so_far()}")
        try:
            result = future.result(timeout=self.patience)
        except TimeoutError as error:  # its worker was lost, and no other came
            raise self._given_up("no result has come") from error
        future.release()  # now: it would stay in the memory of its worker until all are done
        if isinstance(result, Failed):
            raise result.error
        return result

    def _next(self) -> Any:
        while True:
            with suppress(queue.Empty):
                return self._queue.get(timeout=min(_LOOK_EVERY, self.patience))
            self._look()

    def _look(self) -> None:
        """Raise when the work has stood still for too long."""
        now = time.monotonic()
        if self._workers():
            self._manned = now
        if now - self._manned > min(self.patience, _WITHOUT_WORKERS):
            raise self._given_up("no Dask worker has been there")
        if now - self._moved > self.patience:
            raise self._given_up("nothing was finished")

    def _workers(self) -> int:
        try:
            return len(self.client.nthreads())
        except (OSError, RuntimeError):  # the scheduler does not answer, or is gone
            return 0

    def _given_up(self, what: str) -> TimeoutError:
        return TimeoutError(
            f"{self.stage}: {what} for {count(self.patience)} seconds; {self._so_far()}"
        )

    def _so_far(self) -> str:
        return (
            f"{count(self.done)} of {count(self.total)} parts were done. See to the "
            f"cluster; what is finished {resuming(self.ledger)}"
        )

    def _explain(self, error: Exception, piece: Piece) -> NoReturn:
        if is_killed_worker(error):
            raise OSError(
                f"{piece.stage}, {piece.name}: every worker that began this part died, most likely "
                "for want of memory; give workers more of it, or have smaller parts. "
                f"What is finished {resuming(self.ledger)}"
            ) from error
        raise with_place(error, piece, self.ledger) from error
