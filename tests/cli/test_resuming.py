import io

import pytest
from rich.console import Console

from errata.cli._console import explain_resuming, show_bar


def test_a_title_is_shown_as_it_is_and_commands_nothing():
    terminal = Console(file=io.StringIO(), force_terminal=True, width=120)
    with show_bar(terminal, "[red]pets\x1b[2J.csv") as progress:
        progress(1, 2)
    shown = terminal.file.getvalue()
    assert r"[red]pets\x1b[2J.csv" in shown
    assert "1/2" in shown


def test_a_pipe_gets_no_bar():
    pipe = Console(file=io.StringIO())
    with show_bar(pipe, "pets") as progress:
        progress(1, 2)
    assert pipe.file.getvalue().strip() == ""


def test_who_stops_is_told_that_nothing_is_lost(capsys):
    with pytest.raises(SystemExit, match="130"), explain_resuming():
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "Stopped. The same command goes on from here.\n"
