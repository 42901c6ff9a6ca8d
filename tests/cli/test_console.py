import pytest
from click.testing import CliRunner
from rich.table import Table

from errata.cli.__main__ import main
from errata.cli._console import make_console, say

HOSTILE = {
    "\x1b[2J": r"\x1b[2J",  # clears the screen
    "\x9b31m": r"\x9b31m",  # the same in one character
    "\x07\r": r"\x07\r",
    "\u202egnp.exe": r"\u202egnp.exe",  # reads exe.png from right to left
    "\u2066a\u2069": r"\u2066a\u2069",
    "\u2028": r"\u2028",
    "\udcff": r"\udcff",  # a byte of a file name that is not text
}


@pytest.mark.parametrize(
    ("variables", "seen"), [({}, "\x1b[31m!\x1b[0m\n"), ({"NO_COLOR": "1"}, "!\n")]
)
def test_colours_are_left_out_where_they_are_not_wanted(variables, seen, monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in ({"FORCE_COLOR": "1", "TERM": "xterm"} | variables).items():
        monkeypatch.setenv(name, value)
    make_console().print("!", style="red")
    assert capsys.readouterr().out == seen


@pytest.mark.parametrize(("text", "seen"), HOSTILE.items(), ids=ascii)
def test_what_would_command_the_terminal_is_spelled_out(text, seen, capsys):
    say(f"a{text}b")
    assert capsys.readouterr().out == f"a{seen}b\n"


def test_tables_are_no_way_around(capsys):
    table = Table("\x1b[1mlabel")
    table.add_row("\u202egod [bold]:cat:")
    make_console().print(table)
    make_console().print("\x1b[31mred")
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"\x1b[1mlabel" in shown
    assert r"\u202egod [bold]:cat:" in shown
    assert r"\x1b[31mred" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["\x1b[31maudit"],
        ["audit", "\x1b[31m.csv", "-l", "pet"],
        ["audit", "pets.csv", "-l", "pet", "--model", "\x1b[31m"],
        ["audit", "pets.csv", "-l", "pet", "--\x1b[31m"],
        ["noise", "pets.csv", "-l", "pet", "--pair", "\x1b[31m", "b", "-o", "noisy.csv"],
    ],
    ids=ascii,
)
def test_errors_are_no_way_around(arguments):
    result = CliRunner().invoke(main, arguments, color=True)  # else click would take escapes away
    assert result.exit_code == 2
    assert "\x1b" not in result.output
