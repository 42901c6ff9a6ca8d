"""``errata``: the entry point, the list of commands, and how a command ends.

What went wrong is said in one sentence, and the exit code says so: 0 when all is well, 1 when
``--fail-above`` says so, 2 when the user can mend it, 128 and the number of the signal when a
signal ended it, as shells have it.

A command is imported when it is asked for. None of them imports scikit-learn: they reach the
sub-packages of errata by attribute, which loads them when a command runs, not when its help is
shown.
"""

import os
import sys

try:
    import errno
    import signal
    import warnings
    from collections import UserDict
    from collections.abc import Iterator
    from concurrent.futures import BrokenExecutor
    from contextlib import contextmanager, suppress
    from pkgutil import resolve_name
    from types import FrameType
    from typing import Any, NoReturn

    import click

    from .. import __version__
    from .._format import size, visible
    from ._common import say
    from ._options import name_options
except KeyboardInterrupt:  # importing takes long enough to think better of it
    sys.stderr.write("Stopped; nothing was written.\n")
    raise SystemExit(130) from None
except MemoryError:
    sys.stderr.write("Error: the memory does not suffice to start errata; give it more.\n")
    raise SystemExit(2) from None


FOR_ALL = ("audit", "review", "clean", "diff")  # commands that everybody needs
OTHERS = ("decisions", "compare", "noise", "datasets", "reproduce", "warm-up", "mcp")

STOPPED = "Stopped; nothing was written."
_BY_INTERRUPT = 130
_BY_CLOSED_PIPE = 141
_DEADLY = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP
# What the loader of shared libraries says when there is no memory for one.
_NO_MEMORY_TO_LOAD = ("failed to map segment", "annot allocate memory")


class Commands(click.Group):
    """A group of commands whose errors are sentences, not tracebacks."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line; click would end with exit codes of its own."""
        try:
            with handle_signals(), _use_safe_path():
                sys.exit(super().main(*args, **kwargs | {"standalone_mode": False}))
        except click.ClickException as error:
            show(error)
            sys.exit(error.exit_code)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the options of ``errata`` itself, of which ``--help`` prints."""
        with handle_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with handle_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a newcomer needs them, not by the alphabet."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show first what everybody needs."""
        width = formatter.width - 6 - max(map(len, self.commands))
        described = [(name, each.get_short_help_str(width)) for name, each in self.commands.items()]
        for title, commands in (
            ("Commands", described[: len(FOR_ALL)]),
            ("More commands", described[len(FOR_ALL) :]),
        ):
            with formatter.section(title):
                formatter.write_dl(commands)


class CommandsByName(UserDict[str, Any]):
    """Commands, of which those of errata are imported when they are asked for."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys((*FOR_ALL, *OTHERS)))

    def __getitem__(self, name: str) -> click.Command:
        """Each is in a module of its name."""
        word = name.replace("-", "_")
        return super().__getitem__(name) or resolve_name(f"errata.cli._{word}:{word}")


@click.group(
    cls=Commands,
    commands=CommandsByName(),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", prog_name="errata")
def main() -> None:
    """Find the wrong labels in a data set, and learn well in spite of them.

    \b
    On a table of yours:
      errata audit train.csv --label species       which labels are wrong
      errata review train.audit                    decide on them, one key each
      errata clean train.audit -o train.clean.csv  the table without them
      errata diff train.audit later.audit          what changed since
      errata compare train.csv --label species     which learning method suits it

    \b
    Without installing anything:
      uvx errata audit train.csv --label species

    \b
    To see how well it works:
      errata noise train.csv --label species --rate 0.1 -o noisy.csv
      errata reproduce walmsley --quick            a published experiment
    """
    # A file name and a line of code mean nothing to somebody who runs a command.
    warnings.showwarning = _warn  # type: ignore[assignment]


@contextmanager
def _use_safe_path() -> Iterator[None]:
    """Let processes that joblib and Dask start import nothing from the folder they start in.

    It may be a stranger's, with a joblib.py beside the table.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _warn(message: Warning | str, *_: Any) -> None:
    say(f"Warning: {message}", err=True)


@contextmanager
def handle_errors() -> Iterator[None]:
    """Turn errors into sentences, and what comes from outside into its exit code."""
    try:
        yield
    except click.UsageError as error:
        raise shorten_error(error) from error
    except BrokenPipeError:
        _mute_output()
        raise SystemExit(_BY_CLOSED_PIPE) from None  # the reader of our output has gone
    except KeyboardInterrupt:
        _stop()
    except Exception as error:
        if any(isinstance(cause, KeyboardInterrupt) for cause in _iterate_causes(error)):
            _stop()  # compiled code that imports another module hides Ctrl-C
        sentence = _explain(error)
        if sentence is None:
            raise
        raise UserError(sentence) from error


@contextmanager
def handle_signals() -> Iterator[None]:
    """Let a signal that ends the process end its blocks first, which remove their files."""
    before = {}
    for name in _DEADLY:
        number = getattr(signal, name, None)
        # Not where somebody wants it otherwise, as nohup does.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, _raise_exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def show(error: click.ClickException) -> None:
    """Print click's errors and ours; both repeat what the user wrote."""
    error.message = visible(error.message)  # type: ignore[misc]
    error.show()


def _raise_exit(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _stop() -> NoReturn:
    say(STOPPED, err=True)
    raise SystemExit(_BY_INTERRUPT) from None


def _iterate_causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it was raised from or after."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _mute_output() -> None:
    """Give standard output somewhere to go, as Python flushes it once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: Exception) -> str | None:
    """A sentence about an error that the user can mend; None for a mistake of ours.

    Errors of the system name the file; ours are sentences already.
    """
    if _is_lack_of_memory(error):
        return _explain_memory(error)
    if isinstance(error, BrokenExecutor):
        return (
            "a worker process was killed, most likely for lack of memory; give fewer --jobs, fewer "
            "rows, or a machine with more memory."
        )
    if not isinstance(error, OSError | ValueError | ImportError):
        return None
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    # Messages of other libraries may go over several lines; ours may name an argument.
    said = " ".join(str(error).split()).replace("force=True", "--force")
    return name_options(said.replace("resume=False", "--no-resume"))


def _is_lack_of_memory(error: Exception) -> bool:
    if isinstance(error, MemoryError):  # those of NumPy and Arrow are such, too
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    # Libraries that load others give reasons of their own for what the loader said.
    said = [
        str(cause) for cause in _iterate_causes(error) if isinstance(cause, OSError | ImportError)
    ]
    return any(text in reason for text in _NO_MEMORY_TO_LOAD for reason in said)


def _explain_memory(error: Exception) -> str:
    """The memory that was needed, as far as the error says it, and the limit, if there is one."""
    needed = " ".join(str(error).split()).rstrip(".") if isinstance(error, MemoryError) else ""
    said = f": {needed}" if needed else ""
    limit = _get_memory_limit()
    allowed = "" if limit is None else f" (this process may have {size(limit)}, see ulimit -v)"
    return (
        f"the memory does not suffice{said}{allowed}; give fewer rows or columns, or more memory. "
        "A table that errata audit reads in parts, with --memory, needs less."
    )


def _get_memory_limit() -> int | None:
    """Bytes that the process may address; None where there is no limit, or no way to tell."""
    with suppress(ImportError):  # Windows has no such module
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        return None if soft == resource.RLIM_INFINITY else soft
    return None


class UserError(click.ClickException):
    """Whatever the user can mend: one sentence and exit code 2."""

    exit_code = 2  # as for click's own errors of usage; 1 is what --fail-above ends with


def shorten_error(error: click.UsageError) -> click.ClickException:
    """The error in the command, and where its help is; the help itself where it is asked."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError) or error.ctx is None:
        return error
    said = " ".join(error.format_message().split())
    stop = "" if said.endswith((".", "?", "?)")) else "."
    return UserError(f"{said}{stop} See {error.ctx.command_path} --help.")


if __name__ == "__main__":
    main()
