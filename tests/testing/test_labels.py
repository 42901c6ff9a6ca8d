"""An assertion on labels, for pytest and for those who check tables otherwise."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from errata.testing import assert_labels

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "in_tests.md"


def flowers(n_wrong=0):
    table = load_iris(as_frame=True).frame
    table.loc[: n_wrong - 1, "target"] = 2
    return table


def test_few_wrong_labels_pass_and_the_audit_comes_back():
    audit = assert_labels(flowers(), "target", most_wrong=0.05)
    assert audit.noise_rate.estimate <= 0.05
    assert audit.self_check is None


def test_many_wrong_labels_fail_with_the_worst_rows():
    with pytest.raises(AssertionError, match="of the labels are probably wrong") as caught:
        assert_labels(flowers(15), "target", most_wrong=0.05, n_shown=3)
    message = str(caught.value)
    assert "more than 5.0%" in message
    lines = message.splitlines()
    assert len(lines) == 1 + 1 + 3  # a sentence, names of columns, rows
    assert all(int(line.split()[0]) < 15 for line in lines[2:])


def test_what_cannot_be_judged_fails():
    rng = np.random.default_rng(0)
    with pytest.raises(AssertionError, match="cannot be judged: the columns do not tell"):
        assert_labels(rng.normal(size=(90, 3)), rng.integers(0, 2, 90))


def test_a_limit_that_is_no_fraction_is_said():
    with pytest.raises(ValueError, match="most_wrong=2 must be a number between 0 and 1"):
        assert_labels(flowers(), "target", most_wrong=2)


def test_pytest_has_a_fixture(tmp_path):
    (tmp_path / "test_data.py").write_text(
        "from sklearn.datasets import load_iris\n"
        "def test_labels(assert_labels):\n"
        "    assert_labels(load_iris(as_frame=True).frame, 'target', most_wrong=0.05)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "errata.testing.plugin", str(tmp_path)]
    # Where errata is installed, pytest would load the plug-in by its entry point as well.
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_plugin_is_an_entry_point_of_pytest():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["entry-points"]["pytest11"]["errata"]
    assert hasattr(importlib.import_module(named), "_assert_labels")


def test_the_plugin_costs_nothing_at_start_up():
    code = "import pytest, sys; import errata.testing.plugin; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def page_code(library):
    """The code of the page that imports a library."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if f"import {library}" in block)


@pytest.mark.filterwarnings("ignore")
def test_pandera_checks_labels():
    pandera = pytest.importorskip("pandera.pandas", reason="pandera is not installed")
    names = {"flowers": flowers()}
    exec(page_code("pandera"), names)
    with pytest.raises(pandera.errors.SchemaError, match="of the labels are probably wrong"):
        names["schema"].validate(flowers(15))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("n_wrong", "passes"), [(0, True), (15, False)])
def test_great_expectations_checks_labels(n_wrong, passes):
    pytest.importorskip("great_expectations", reason="Great Expectations is not installed")
    names = {"flowers": flowers(n_wrong)}
    exec(page_code("great_expectations"), names)
    assert names["result"].success == passes
