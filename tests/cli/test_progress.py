import io

from rich.console import Console

from errata._engine import Stage
from errata.cli._progress import shown_progress


def shown(*stages, **options):
    terminal = Console(file=io.StringIO(), width=120, **options)
    with shown_progress(terminal) as progress:
        for stage in stages:
            progress(stage)
    return terminal.file.getvalue()


def test_stages_are_words_or_rows_with_what_is_left():
    judging = Stage("judging", done=400_000, total=1_000_000, seconds=8.0)
    assert "fitting the forest ..." in shown("fitting the forest", force_terminal=True)
    text = shown("reading the table", judging, force_terminal=True)
    assert "judging: 400,000 of 1,000,000 rows, 50,000 a second, 12 s left" in text


def test_a_stage_after_a_bar_is_words_again():
    judging = Stage("judging", done=10, total=10, seconds=8.0)
    assert "writing the report ..." in shown(judging, "writing the report", force_terminal=True)


def test_names_command_nothing():
    text = shown("fitting [red]forest\x1b[2J", force_terminal=True)
    assert r"fitting [red]forest\x1b[2J ..." in text


def test_a_pipe_hears_nothing():
    assert shown("reading the table", Stage("judging", 1, 2, 1.0)) == ""
