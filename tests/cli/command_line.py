"""The command line as tests call it."""

from click.testing import CliRunner

from errata.cli.__main__ import main


def invoke(*arguments, **how):
    """Run ``errata`` with these arguments; what it printed, and its exit code."""
    return CliRunner().invoke(main, list(map(str, arguments)), **how)
