"""The command line as tests call it, and what it says against commands in scripts and on pages."""

import shlex

import click
from click.testing import CliRunner

from errata.cli.__main__ import main

OPERATORS = ("||", "&&", "|", ">", ">>", ";")


def invoke(*arguments, **how):
    """Run ``errata`` with these arguments; what it printed, and its exit code."""
    return CliRunner().invoke(main, list(map(str, arguments)), **how)


def commands_in(script):
    """The arguments of every command of errata that a shell would run."""
    for line in script.splitlines():
        command = line.lstrip(" $").removeprefix("- run: ")
        if command.startswith("errata "):
            words = shlex.split(command, comments=True)
            end = next((at for at, word in enumerate(words) if word in OPERATORS), len(words))
            yield [word for word in words[1:end] if word != "${more[@]}"]


def objection_to(words):
    """Why errata would not run with these arguments, or None if it would."""
    name, *rest = words
    if name not in main.commands and not name.startswith("-"):
        return f"there is no command {name}"
    try:
        if name.startswith("-"):
            main.make_context("errata", [*words])
        else:
            above = click.Context(main, **main.context_settings)
            main.commands[name].make_context(name, rest, parent=above)
    except click.exceptions.Exit:  # of --version
        return None
    except click.UsageError as error:
        return error.format_message()
    return None
