import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import errata
from errata.cli.__main__ import main

COMMANDS = [[], ["audit"], ["clean"], ["noise"], ["datasets"], ["reproduce"]]


def fresh(code):
    """Run code in a new interpreter and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(["errata", *c]))
def test_help_answers(command):
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")


def test_help_and_version_do_not_wait_for_scikit_learn():
    heavy = "{'sklearn', 'scipy', 'numpy', 'numba', 'pandas', 'matplotlib', 'dask', 'pyarrow'}"
    told = fresh(
        "import sys\n"
        "from errata.cli.__main__ import main\n"
        "for arguments in (['--version'], ['--help'], ['noise', '--help'], ['audit', '--help']):\n"
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
    ]


def test_the_version_is_the_packages():
    result = CliRunner().invoke(main, ["--version"])
    assert result.output == f"errata, version {errata.__version__}\n"


WITHOUT_EXTRAS = """
import sys
class Absent:
    def find_spec(self, name, *_):
        if name.split(".")[0] in {"dask", "distributed", "polars", "pyarrow", "pandas"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import errata
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
X, y = load_iris(return_X_y=True)
print(len(errata.audit(X, y, estimators=[GaussianNB()], self_check=False, random_state=0)))
"""


def test_the_audit_of_a_table_in_memory_needs_no_cluster_and_no_arrow():
    assert fresh(WITHOUT_EXTRAS) == "150"


def test_importing_errata_is_light_and_no_slower_than_importing_scikit_learn():
    heavy = "{'sklearn', 'numba', 'pandas', 'dask', 'matplotlib', 'altair', 'pyarrow'}"
    assert fresh(f"import sys, errata; print(sorted({heavy} & set(sys.modules)))") == "[]"
    timed = (
        "import sys, time; start = time.process_time(); import {}; "
        "print(time.process_time() - start)"
    )
    ours = min(float(fresh(timed.format("errata"))) for _ in range(2))
    theirs = min(float(fresh(timed.format("sklearn"))) for _ in range(2))
    assert ours <= 1.3 * theirs


def test_an_unknown_command_is_one_sentence():
    result = CliRunner().invoke(main, ["audti"], prog_name="errata")
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
    result = CliRunner().invoke(main, arguments, prog_name="errata")
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


def test_ctrl_c_while_commands_are_imported_is_one_line():
    # rich is the first large thing that the commands import.
    code = (
        "import builtins, runpy\n"
        "original = builtins.__import__\n"
        "def interrupted(name, *rest, **more):\n"
        "    if name.startswith('rich'):\n"
        "        raise KeyboardInterrupt\n"
        "    return original(name, *rest, **more)\n"
        "builtins.__import__ = interrupted\n"
        "runpy.run_module('errata.cli', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "Stopped; nothing was written.\n")


def test_warnings_of_a_command_are_lines_without_escapes(capsys):
    main_module = sys.modules[main.__class__.__module__]
    main_module._warn(UserWarning("the class \x1b[31mcat is rare"))
    assert capsys.readouterr().err == "Warning: the class \\x1b[31mcat is rare\n"
