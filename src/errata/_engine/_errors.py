"""What went wrong with a part, in one sentence."""

import errno

from ..exceptions import MissingExtraError
from ._engine import Piece
from ._ledger import Ledger

# What a caller may want to tell apart; whatever else a task raises is a mistake in it.
_KINDS = (MissingExtraError, OSError, ValueError, MemoryError)
_FULL = {errno.ENOSPC, errno.EDQUOT}


def with_place(error: Exception, piece: Piece, ledger: Ledger | None) -> Exception:
    """The error again, of its kind, with the stage and the part where it arose.

    It holds text only, so that it can be sent from a worker whatever was raised there.
    """
    kind = next((kind for kind in _KINDS if isinstance(error, kind)), RuntimeError)
    text = f"{piece.stage}, {piece.name}: {_said(error, kind)}"
    if not isinstance(error, OSError):
        return kind(text)
    if error.errno in _FULL and ledger is not None:
        text = f"{text.rstrip('.')}. Make room; what is finished {resuming(ledger)}"
    return OSError(text) if error.errno is None else OSError(error.errno, text)


def resuming(ledger: Ledger) -> str:
    """How to go on, as the end of a sentence that begins with "what is finished"."""
    return f"is kept in {ledger.folder}, and the same call goes on from there."


def _said(error: Exception, kind: type[Exception]) -> str:
    """What the error says, with its name where that tells more."""
    if kind is RuntimeError:
        return f"{type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__
