"""The options of every command, as `--help` or, where there is one, `--help-all` prints them."""

from pathlib import Path

from click.testing import CliRunner
from written import write_if_new

from errata.cli.__main__ import main


def write(path: Path) -> None:
    """Write a page with the help of each command."""
    parts = ["Commands\n========\n"]
    for name in ("", *main.commands):
        options = [option for each in main.commands.get(name, main).params for option in each.opts]
        words = [*name.split(), "--help-all" if "--help-all" in options else "--help"]
        shown = CliRunner().invoke(main, words, prog_name="errata", terminal_width=80).output
        title = f"errata {name}".strip()
        lines = "\n".join(f"   {line}".rstrip() for line in shown.strip().splitlines())
        parts.append(f"{title}\n{'-' * len(title)}\n\n.. code-block:: text\n\n{lines}\n")
    write_if_new(path, "\n".join(parts))
