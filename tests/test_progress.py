import io
import sys

import numpy as np
import pytest
from rich.console import Console

import errata
from auditing_cases import CODES, QUICK, X
from errata._engine import Stage
from errata._progress import is_notebook, open_progress, show_progress
from errata.comparing._compare import _open_counter


def shown(*stages, **options):
    terminal = Console(file=io.StringIO(), width=120, **options)
    with show_progress(terminal) as progress:
        for stage in stages:
            progress(stage)
    return terminal.file.getvalue()


def test_stages_are_words_or_rows_with_what_is_left():
    judging = Stage("judging", done=400_000, total=1_000_000, seconds=8.0)
    assert "fitting the forest ..." in shown("fitting the forest", force_terminal=True)
    text = shown("reading the table", judging, force_terminal=True)
    assert "judging: 400,000 of 1,000,000 rows, 50,000 a second, 12 s left" in text


def test_models_are_counted_with_the_time_left():
    fitting = Stage("fitting extra trees", done=2, total=6, seconds=8.0, unit="models")
    assert str(fitting) == "fitting extra trees: 2 of 6 models, 16 s left"
    assert "2 of 6 models, 16 s left" in shown(fitting, force_terminal=True)


def test_a_stage_after_a_bar_is_words_again():
    judging = Stage("judging", done=10, total=10, seconds=8.0)
    text = shown(judging, "writing the report", force_terminal=True)
    assert "writing the report ..." in text
    bars = [line for line in text.split("\r") if "writing the report" in line]
    assert bars[-1].count("\x1b[35m") > 1  # a pulse, not an empty bar that stands still


def test_names_command_nothing():
    text = shown("fitting [red]forest\x1b[2J", force_terminal=True)
    assert r"fitting [red]forest\x1b[2J ..." in text


def test_a_pipe_hears_nothing():
    assert shown("reading the table", Stage("judging", 1, 2, 1.0)) == ""


class Notebook:
    """What IPython gives a kernel, as far as errata asks for it."""

    kernel = "a kernel"

    def __init__(self):
        self.shown = []

    def get_ipython(self):
        return self

    def display(self, page, display_id):
        assert display_id
        self.update(page)
        return self

    def update(self, page):
        self.shown.append(page)

    def HTML(self, text):
        return text


@pytest.fixture
def notebook(monkeypatch):
    found = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", found)
    monkeypatch.setitem(sys.modules, "IPython.display", found)
    return found


def test_a_notebook_shows_each_stage_in_one_place_and_nothing_in_the_end(notebook):
    with open_progress(True) as tell:
        tell("fitting <b>")
        tell(Stage("judging", done=4, total=10, seconds=8.0))
    assert notebook.shown[1:3] == [
        "<progress></progress> fitting &lt;b&gt; ...",
        '<progress value="4" max="10"></progress> judging: 4 of 10 rows, 0.5 a second, 12 s left',
    ]
    assert notebook.shown[3:] == [""]


def test_a_notebook_is_left_tidy_by_an_error(notebook):
    with pytest.raises(OSError, match="full"), open_progress(True):
        raise OSError("full")
    assert notebook.shown[-1] == ""


def test_ipython_in_a_terminal_is_no_notebook(notebook, monkeypatch):
    assert is_notebook()
    monkeypatch.setattr(notebook, "get_ipython", lambda: object())
    assert not is_notebook()


def test_counts_are_told_or_shown(notebook):
    told = []
    with _open_counter(lambda *count: told.append(count)) as tell:
        tell(0, 10)
    assert told == [(0, 10)]
    assert notebook.shown == []
    with _open_counter(True) as tell:
        tell(0, 10)
    assert notebook.shown[1] == '<progress value="0" max="10"></progress> measured: 0 of 10 fits'


@pytest.mark.parametrize("nobody", [None, False])
def test_nobody_needs_to_listen(nobody, capsys):
    with open_progress(nobody) as tell, _open_counter(nobody) as count:
        tell("reading")
        count(1, 2)
    assert capsys.readouterr() == ("", "")


def test_what_cannot_be_told_is_refused():
    sentence = r"progress='yes' must be True, .*, or a function"
    with pytest.raises(ValueError, match=sentence), open_progress("yes"):
        pass


AUDITS = {
    "audit": lambda **how: errata.audit(X, CODES, estimators=QUICK, self_check=False, **how),
    "audit_targets": lambda **how: errata.audit_targets(X, X[:, 0], self_check=False, **how),
    "audit_multilabel": lambda **how: errata.audit_multilabel(
        X, np.eye(3, dtype=int)[CODES], self_check=False, **how
    ),
    "audit_votes": lambda **how: errata.audit_votes(np.c_[CODES, CODES, CODES], **how),
    "compare": lambda **how: errata.compare(
        X, CODES, competitors=["SVM", "logistic regression"], repetitions=1, cv=2, **how
    ),
}


@pytest.mark.parametrize("name", AUDITS)
def test_all_that_takes_long_shows_progress_where_it_is_asked_for(name, notebook):
    AUDITS[name](random_state=0, progress=True)
    assert len(notebook.shown) > 2
    assert notebook.shown[-1] == ""
