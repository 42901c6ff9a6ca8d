import os
import subprocess
import sys

import pytest

import errata
from cli.command_line import invoke
from errata.cli.__main__ import main

COMMANDS = [[], ["audit"], ["clean"], ["noise"], ["datasets"], ["reproduce"]]


def fresh(code):
    """Run code in a new interpreter and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(["errata", *c]))
def test_help_answers(command):
    result = invoke(*command, "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")


def test_help_begins_with_the_four_commands_that_everybody_needs():
    text = invoke("--help").output
    first, _, more = text.partition("\nCommands:\n")[2].partition("\nMore commands:\n")
    assert [line.split()[0] for line in first.splitlines()] == ["audit", "review", "clean", "diff"]
    assert len(more.splitlines()) == len(main.commands) - 4


@pytest.mark.parametrize("command", [[], ["audit"]])
def test_help_says_how_to_try_it_without_installing(command):
    assert "uvx errata audit train.csv --label species" in invoke(*command, "--help").output


def test_help_of_audit_fits_a_screen():
    text = invoke("audit", "--help").output
    lines = text.splitlines()
    assert len(lines) < 48
    assert max(map(len, lines)) <= 80
    assert "errata audit train.csv --label species" in text
    assert "\n  -l, --label COLUMN  The column of labels.  [required]\n" in text
    assert "\n  --labels COLUMN    Several labels per row.\n" in text
    assert "--wavelets" not in text
    assert "--help-all" in text


def test_all_help_of_audit_shows_every_option_under_a_title():
    text = invoke("audit", "--help-all").output
    titles = (
        "What to audit",
        "What the columns mean",
        "How",
        "Output",
        "Larger than memory",
        "Other kinds of labels",
        "Help",
    )
    places = [text.index(f"\n{title}:\n") for title in titles]
    assert places == sorted(places)
    options = [each for each in main.commands["audit"].params if each.param_type_name == "option"]
    shown = text[places[0] :]
    assert all(f"{max(option.opts, key=len)}" in shown for option in options)
    assert "\n  -l, --label COLUMN" in shown[: places[1] - places[0]]
    assert "columns of 0 and 1" in shown  # of --labels
    assert "errata audit photos.jsonl --labels tags" in text


def test_help_and_version_do_not_wait_for_scikit_learn():
    heavy = "{'sklearn', 'scipy', 'numpy', 'numba', 'pandas', 'matplotlib', 'dask', 'pyarrow'}"
    told = fresh(
        "import sys\n"
        "from errata.cli.__main__ import main\n"
        "for arguments in (['--version'], ['--help'], ['noise', '--help'], ['audit', '--help'],\n"
        "                  ['audit', 'nofile.csv', '-l', 'pet']):\n"
        "    try: main(arguments)\n"
        "    except SystemExit: pass\n"
        f"    print('LOADED', *arguments, sorted({heavy} & set(sys.modules)))"
    )
    loaded = [line for line in told.splitlines() if line.startswith("LOADED")]
    assert loaded == [
        "LOADED --version []",
        "LOADED --help []",
        "LOADED noise --help []",
        "LOADED audit --help []",
        "LOADED audit nofile.csv -l pet []",
    ]


@pytest.mark.parametrize(
    "named",
    [
        ["-l", "pett"],
        ["--target", "pett"],
        ["-l", "pet", "--drop", "pett"],
        ["-l", "pet", "--by", "pett"],
        ["--item", "pet", "--worker", "size", "-l", "pett"],
    ],
)
def test_a_column_that_a_text_table_lacks_does_not_wait_for_scikit_learn(tmp_path, named):
    path = tmp_path / "pets.csv"
    path.write_text("size,pet\n1,cat\n2,dog\n", encoding="utf-8")
    told = fresh(
        "import contextlib, sys\n"
        "from errata.cli.__main__ import main\n"
        "with contextlib.redirect_stderr(sys.stdout):\n"
        f"    try: main(['audit', {str(path)!r}, *{named}])\n"
        "    except SystemExit: pass\n"
        "print('LOADED', sorted({'sklearn', 'scipy', 'pandas', 'pyarrow'} & set(sys.modules)))"
    )
    assert "has no column 'pett'; did you mean 'pet'?" in told
    assert told.splitlines()[-1] == "LOADED []"


def test_a_command_waits_for_no_other():
    told = fresh(
        "import sys\n"
        "from errata.cli.__main__ import main\n"
        "try: main(['diff', '--help'])\n"
        "except SystemExit: pass\n"
        "print('LOADED', sorted({'errata.cli._audit', 'errata.cli._diff'} & set(sys.modules)))"
    )
    assert told.endswith("LOADED ['errata.cli._diff']")


def test_the_version_is_the_packages():
    result = invoke("--version")
    assert result.output == f"errata, version {errata.__version__}\n"


WITHOUT_HEAVY_LIBRARIES = """
import sys
heavy = {"dask", "distributed", "polars", "pyarrow", "pandas", "matplotlib"}
asked = set()
class Absent:
    def find_spec(self, name, *_):
        if name.split(".")[0] in heavy:
            asked.add(name)
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import errata.ensemble
print("numba" in sys.modules)
print(errata.stats.average_ranks([[0.9, 0.8]]))
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
X, y = load_iris(return_X_y=True)
print(len(errata.audit(X, y, estimators=[GaussianNB()], self_check=False, random_state=0)))
print(sorted(asked - {"pandas"}))  # for which scikit-learn asks
"""


def test_an_audit_in_memory_imports_no_table_library_and_numba_waits_for_the_first_fit():
    assert fresh(WITHOUT_HEAVY_LIBRARIES).splitlines() == ["False", "[1. 2.]", "150", "[]"]


def test_a_review_waits_for_no_library_that_it_does_not_need():
    heavy = "{'scipy', 'sklearn', 'numba', 'pandas', 'dask', 'matplotlib'}"
    page = "import sys, errata.review, errata.review.server._serve"
    assert fresh(f"{page}; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_importing_errata_imports_no_library():
    heavy = "{'numpy', 'scipy', 'sklearn', 'numba', 'pandas', 'dask', 'matplotlib', 'pyarrow'}"
    assert fresh(f"import sys, errata; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_an_unknown_command_is_one_sentence():
    result = invoke("audti", prog_name="errata")
    assert result.exit_code == 2
    said = "Error: No such command 'audti'. Did you mean 'audit'? See errata --help.\n"
    assert result.output == said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--bogus"], "No such option '--bogus'. See errata --help."),
        (["audit"], "Missing argument 'FILE'. See errata audit --help."),
        (["clean", "nothere"], "Missing option '--out' / '-o'. See errata clean --help."),
        (["clean", "nothere", "-o", "x.csv"], "nothere does not exist; give the folder that"),
        (["datasets", "a", "b"], "Got unexpected extra argument (b). See errata datasets --help."),
    ],
)
def test_errors_of_usage_are_one_sentence(arguments, sentence):
    result = invoke(*arguments, prog_name="errata")
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: {sentence}")
    assert len(result.output.splitlines()) == 1


def test_output_that_is_not_a_terminal_is_plain():
    command = [sys.executable, "-m", "errata.cli", "datasets"]
    hidden = {"ERRATA_DATA", "NO_COLOR"}
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "\x1b" not in done.stdout
    assert "martinez-gray-2015, cantador-dorronsoro-2005" in done.stdout  # nothing cut off


# Presses Ctrl-C at a certain import, the first of which is that of click.
INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
seen = []
def interrupt(event, arguments):
    if event == "import" and (seen or arguments[0] == "click"):
        seen.append(arguments[0])
        if len(seen) == {at}:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
from errata.cli.__main__ import main
main(["audit", "pets.csv", "--label", "pet"])
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("at", [1, 30, 300, 1_000])
def test_ctrl_c_while_anything_is_imported_is_one_line(at, tmp_path):
    rows = [f"{i},{i * 7 % 5},{'cat' if i % 3 else 'dog'}\n" for i in range(60)]
    (tmp_path / "pets.csv").write_text("weight,age,pet\n" + "".join(rows))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(at=at)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (130, "Stopped; nothing was written.\n")
    assert os.listdir(tmp_path) == ["pets.csv"]


def test_nothing_is_imported_before_ctrl_c_can_be_answered():
    told = fresh(
        "import sys; old = set(sys.modules); import errata.cli; print(set(sys.modules) - old)"
    )
    assert eval(told) == {"errata", "errata.cli"}


def test_warnings_of_a_command_are_lines_without_escapes(capsys):
    main_module = sys.modules[main.__class__.__module__]
    main_module._warn(UserWarning("the class \x1b[31mcat is rare"))
    assert capsys.readouterr().err == "Warning: the class \\x1b[31mcat is rare\n"


def test_processes_that_a_command_starts_import_nothing_from_the_folder_of_the_table(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    rows = [f"a text of {word} words,{'cat' if word % 2 else 'dog'}" for word in range(60)]
    (tmp_path / "pets.csv").write_text("\n".join(["text,pet", *rows]))
    (tmp_path / "joblib.py").write_text("open('joblib.ran', 'w')")
    command = [sys.executable, "-P", "-m", "errata.cli", "audit", "pets.csv", "--label", "pet"]
    done = subprocess.run(
        [*command, "--jobs", "2", "--no-self-check"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not (tmp_path / "joblib.ran").exists()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("before", [None, "", "1"])
def test_a_command_leaves_the_environment_as_it_was(before, monkeypatch):
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    invoke("--version")
    assert os.environ.get("PYTHONSAFEPATH") == before
