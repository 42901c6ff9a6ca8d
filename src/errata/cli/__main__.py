"""``errata``: the entry point, and the one place where errors become sentences.

Nothing here imports scikit-learn: commands reach the rooms of errata by attribute, and a room is
loaded when a command runs, not when its help is shown.
"""

import warnings
from typing import Any

import click

from .. import __version__
from ._audit import audit
from ._clean import clean
from ._datasets import datasets
from ._noise import noise
from ._reproduce import reproduce
from ._usage import UserError, one_sentence


class Commands(click.Group):
    """A group of commands whose errors are sentences, not tracebacks."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Understand what stands before the command."""
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            raise one_sentence(error) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; say in one sentence what was wrong with the input."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise one_sentence(error) from error
        except BrokenPipeError:
            raise  # the reader of our output has gone; click ends quietly
        except KeyboardInterrupt:
            click.echo("Stopped; nothing was written.", err=True)
            raise SystemExit(130) from None  # 128 and the number of the signal, as shells have it
        except OSError as error:
            raise UserError(_os_message(error)) from error
        except (ValueError, ImportError) as error:
            # Messages of other libraries may go over several lines.
            raise UserError(" ".join(str(error).split())) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a newcomer needs them, not by the alphabet."""
        return list(self.commands)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="errata")
def main() -> None:
    """Find the wrong labels in a data set, and learn well in spite of them.

    \b
    On a table of yours:
      errata audit train.csv --label species       which labels are wrong
      errata clean train.audit -o train.clean.csv  the table without them

    \b
    To see how well it works:
      errata noise train.csv --label species --rate 0.1 -o noisy.csv
      errata reproduce walmsley --quick            a published experiment
    """
    # A file name and a line of code mean nothing to somebody who runs a command.
    warnings.showwarning = _warn  # type: ignore[assignment]


main.add_command(audit)
main.add_command(clean)
main.add_command(noise)
main.add_command(datasets)
main.add_command(reproduce)


def _os_message(error: OSError) -> str:
    """Errors of the system name the file; ours are sentences already."""
    if error.strerror is None:
        return str(error)
    return f"{error.strerror}: {error.filename}" if error.filename else error.strerror


def _warn(message: Warning | str, *_: Any) -> None:
    click.echo(f"Warning: {message}", err=True)


if __name__ == "__main__":
    main()
