"""How a command ends: what went wrong in one sentence, and the exit code that says so.

0 when all is well, 1 when ``--fail-above`` says so, 2 when the user can mend it, 128 and the number
of the signal when a signal ended it, as shells have it.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import click

from .._format import visible
from ._console import say
from ._usage import UserError, one_sentence

STOPPED = "Stopped; nothing was written."
_BY_INTERRUPT = 130
_BY_CLOSED_PIPE = 141
_DEADLY = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextmanager
def endings() -> Iterator[None]:
    """Turn errors into sentences, and what comes from outside into its exit code."""
    try:
        yield
    except click.UsageError as error:
        raise one_sentence(error) from error
    except BrokenPipeError:
        _silence()
        raise SystemExit(_BY_CLOSED_PIPE) from None  # the reader of our output has gone
    except KeyboardInterrupt:
        _stop()
    except (OSError, ValueError, ImportError) as error:
        if _interrupted(error):
            _stop()
        raise UserError(_sentence(error)) from error


@contextmanager
def tidy_when_killed() -> Iterator[None]:
    """Let a signal that ends the process end its blocks first, which remove their files."""
    before = {}
    for name in _DEADLY:
        number = getattr(signal, name, None)
        # Not where somebody wants it otherwise, as nohup does.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def show(error: click.ClickException) -> None:
    """Print click's errors and ours; both repeat what the user wrote."""
    error.message = visible(error.message)  # type: ignore[misc]
    error.show()


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _stop() -> NoReturn:
    say(STOPPED, err=True)
    raise SystemExit(_BY_INTERRUPT) from None


def _interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C was pressed while compiled code imported another module, which hides it."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def _silence() -> None:
    """Give standard output somewhere to go, as Python flushes it once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: Exception) -> str:
    """Errors of the system name the file; ours are sentences already."""
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    # Messages of other libraries may go over several lines.
    return " ".join(str(error).split())
