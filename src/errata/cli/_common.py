"""Of all commands: their help, texts on the terminal, small tables, progress; names of files."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from .._files import SET_ASIDE, is_pattern, name_beside, places_of, remove_litter
from .._format import count, plural, visible

_PIPE_WIDTH = 160  # nobody wants cells cut off in a pipe or a file


class TitledOption(click.Option):
    """An option that the help shows under a title; unless ``common``, only ``--help-all`` does."""

    def __init__(self, *names: Any, title: str, common: bool = False, **how: Any) -> None:
        super().__init__(*names, **how)
        self.title = title
        self.common = common


class TitledCommand(click.Command):
    """A command whose help fits a screen, with options under titles; ``--help-all`` shows the rest.

    The help proper is what stands before a form feed, with the first sentence on each common
    option.
    """

    def __init__(self, *names: Any, **how: Any) -> None:
        super().__init__(*names, **how)
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all_help,
                help="Show every option, what each is for, and what is written.",
            )
        )

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does."""
        parts = inspect.cleandoc(self.help or "").split("\f")
        for part in parts if _shows_all(ctx) else parts[:1]:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(part.strip("\n"))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; those without a title, as --help, come last."""
        titles: dict[str, list[tuple[str, str]]] = {}
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for option in sorted(options, key=lambda each: not isinstance(each, TitledOption)):
            record = option.get_help_record(ctx)
            if record is None or not (_shows_all(ctx) or getattr(option, "common", True)):
                continue
            if not _shows_all(ctx):
                record = record[0], re.sub(r"(?<=\.) [A-Z].*", "", record[1])
            titles.setdefault(getattr(option, "title", "Help"), []).append(record)
        for title, records in titles.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _shows_all(ctx: click.Context) -> bool:
    return bool(ctx.meta.get("errata.help_all"))


def _show_all_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta["errata.help_all"] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def say(text: str, *, err: bool = False) -> None:
    """Print a line that is not part of a table."""
    click.echo(visible(text), err=err)


class _Terminal(Console):
    """rich's console; a closed pipe is left to those who decide how commands end."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Every text, cells of tables included, comes by here."""
        return super().render_str(visible(text), **how)

    def on_broken_pipe(self) -> None:
        """Called where the error is at hand; rich would end with exit code 1."""
        raise


def make_console() -> Console:
    """Standard output; plain where it is not a terminal or NO_COLOR is set.

    Brackets in names are not markup, and colons around them no emoji: they are the user's.
    """
    return _Terminal(
        highlight=False,
        markup=False,
        emoji=False,
        width=None if sys.stdout.isatty() else _PIPE_WIDTH,
    )


def make_table(words: list[str], numbers: list[str]) -> Table:
    """A table with columns of words, then of numbers."""
    table = Table(box=SIMPLE_HEAD)
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def format_title(shown: int, flagged: int) -> str:
    """The title of the list of flagged rows.

    >>> format_title(10, 53)
    'The 10 most suspicious of 53 flagged rows, counted from 0 after the header:'
    """
    which = f"The {count(shown)} most suspicious of {count(flagged)} flagged rows"
    if shown == flagged:
        which = "The flagged row" if flagged == 1 else f"The {count(flagged)} flagged rows"
    return f"{which}, counted from 0 after the header:"


@contextmanager
def explain_resuming() -> Iterator[None]:
    """Say on Ctrl-C that what was measured is kept, unlike what other commands leave behind."""
    try:
        yield
    except KeyboardInterrupt:
        say("Stopped. The same command goes on from here.", err=True)
        raise SystemExit(130) from None


@contextmanager
def show_bar(terminal: Console, title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, silence elsewhere."""
    # The title may be the name of a file: its brackets are not markup.
    named = TextColumn("{task.description}", markup=False)
    columns = (named, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal, disable=not terminal.is_terminal) as bar:
        task = bar.add_task(visible(title))
        yield lambda done, total: bar.update(task, completed=done, total=total)


def fail(why: str) -> NoReturn:
    """End with exit code 1, as a pipeline asked for."""
    say(why, err=True)
    raise SystemExit(1)


def check_place(out: Path, force: bool) -> None:
    """Raise when an audit cannot be written there, before the work begins."""
    if not out.parent.is_dir():
        raise FileNotFoundError(f"cannot write {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    # --force replaces a whole folder: it must not be one that somebody else filled.
    from ..audit_folder import is_audit

    if not is_audit(out):
        raise FileExistsError(f"{out} already exists and is not an audit; choose another --out.")
    if not force:
        raise FileExistsError(
            f"{out} holds an audit already; choose another --out, or replace it with --force."
        )


def add_table(database: Path, name: str, file: Path, *, force: bool) -> None:
    """Write what a file holds to a new table of a database, and say so."""
    from ..tables.formats._database import write_database_table  # here, as it brings NumPy

    write_database_table(database, name, file, force=force)
    say(f"Wrote the table {name} of {database}.", err=True)


def clean_up(*folders: Path) -> None:
    """Remove what a run that was killed left in folders, and say so."""
    for folder in dict.fromkeys(folders):
        removed, left = remove_litter(folder)
        if removed:
            what = plural(len(removed), "temporary file", "temporary files")
            say(f"Removed from {folder}: {what} of a run that was killed.", err=True)
        for path in left:
            say(f"{path / SET_ASIDE} is what a run that was killed had set aside.", err=True)


def find_table(table: str | None, folder: Path) -> Path:
    """Where the table of an audit was, or beside the audit when both have moved.

    It may be a folder or a pattern.
    """
    if table is None:
        raise ValueError(f"{folder} does not say what it is an audit of; name the file: --table.")
    there = Path(table)
    for place in places_of(there, folder):
        if place.exists() or (has_magic(str(place)) and glob(str(place), recursive=True)):
            return place
    raise FileNotFoundError(f"{there} is not there any more; say where it is with --table.")


def name_audit(table: Path, addition: str, *, ending: str | None = None) -> Path:
    """A name beside the table; that of several files is a folder, and has no ending.

    >>> name_audit(Path("data/visits-*.csv.gz"), ".audit").as_posix()
    'data/visits.audit'
    >>> name_audit(Path("data/*.csv"), ".clean").as_posix()
    'data.clean'
    >>> name_audit(Path("train.csv.gz"), ".audit", ending="").as_posix()
    'train.audit'
    """
    if not is_pattern(table):
        return (
            _rename_folder(table, addition)
            if table.is_dir()
            else name_beside(table, addition, ending=ending)
        )
    above = Path(*(piece for piece in table.parent.parts if not has_magic(piece)))
    stem = re.sub(r"\[[^]]*\]|[*?]", "", table.name.partition(".")[0]).strip("-_ ")
    if stem:
        return above / f"{stem}{addition}"
    return _rename_folder(above, addition)


def _rename_folder(folder: Path, addition: str) -> Path:
    """The folder itself with another name; "." and ".." have none but where they are."""
    folder = folder if folder.name not in ("", "..") else folder.resolve()
    if not folder.name:
        raise ValueError(f"{folder} has no name to call anything by; say where it goes with --out.")
    return folder.with_name(f"{folder.name}{addition}")
