"""All work in this process, one part after the other."""

from collections.abc import Generator, Sequence
from typing import Any

from ._engine import Engine, Piece, Task
from ._errors import with_place
from ._ledger import Ledger
from ._stage import Clock, Progress


class Here(Engine):
    """A loop in this process, which merges as it goes and so holds one part at a time.

    Parameters
    ----------
    ledger : Ledger, optional
        Where finished parts are kept; without it, nothing is.
    progress : callable, optional
        Is told the :class:`Stage` at the start and after every part.

    Examples
    --------
    >>> Here().map(pow, [2, 3], 10, stage="powers")
    [1024, 59049]
    """

    def __init__(self, ledger: Ledger | None = None, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self.ledger = ledger

    def _finished(
        self, task: Task, pieces: Sequence[Piece], shared: Any, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        for number, piece in enumerate(pieces):
            found = self.ledger and self.ledger.recall(piece.key)
            result = found.result if found else self._made(task, piece, shared)
            clock.tell(piece.rows, kept=found is not None)
            yield number, result

    def _made(self, task: Task, piece: Piece, shared: Any) -> Any:
        try:
            if self.ledger is None:
                return task(piece.item, shared)
            return self.ledger.kept(piece.key, lambda: task(piece.item, shared))
        except Exception as error:
            raise with_place(error, piece, self.ledger) from error
