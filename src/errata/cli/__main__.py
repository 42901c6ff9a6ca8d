"""``errata``: the entry point, and the list of commands.

Nothing here imports scikit-learn: commands reach the sub-packages of errata by attribute, which
loads them when a command runs, not when its help is shown.
"""

import os
import sys

try:
    import warnings
    from collections.abc import Iterator
    from contextlib import contextmanager
    from typing import Any

    import click

    from .. import __version__
    from ._audit import audit
    from ._clean import clean
    from ._compare import compare
    from ._console import say
    from ._datasets import datasets
    from ._decisions import decisions
    from ._diff import diff
    from ._endings import handle_errors, handle_signals, show
    from ._mcp import mcp
    from ._noise import noise
    from ._reproduce import reproduce
    from ._review import review
    from ._warm_up import warm_up
except KeyboardInterrupt:  # importing takes long enough to think better of it
    sys.stderr.write("Stopped; nothing was written.\n")
    raise SystemExit(130) from None
except MemoryError:
    sys.stderr.write("Error: the memory does not suffice to start errata; give it more.\n")
    raise SystemExit(2) from None


FOR_ALL = (audit, review, clean, diff)  # commands that everybody needs


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
        told = [(name, each.get_short_help_str(width)) for name, each in self.commands.items()]
        for title, commands in (
            ("Commands", told[: len(FOR_ALL)]),
            ("More commands", told[len(FOR_ALL) :]),
        ):
            with formatter.section(title):
                formatter.write_dl(commands)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
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


for command in (*FOR_ALL, decisions, compare, noise, datasets, reproduce, warm_up, mcp):
    main.add_command(command)


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


if __name__ == "__main__":
    main()
