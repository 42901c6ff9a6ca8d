"""The scripts in ``benchmarks`` are run rarely; what they import and what pages call must exist."""

import ast
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))
COMMAND = re.compile(r"benchmarks/([a-z]\w*)\.py(?: ([a-z]\w*))?")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_what_a_script_imports_from_errata_exists(script):
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "errata":
            for alias in node.names:
                pkgutil.resolve_name(f"{node.module}.{alias.name}")


def test_the_page_of_the_folder_lists_every_script_by_its_question():
    page = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+\.py)` \| (.*) \|$", page, re.MULTILINE)
    docstrings = [ast.get_docstring(ast.parse(s.read_text(encoding="utf-8"))) for s in SCRIPTS]
    questions = [text.partition("\n")[0].replace("``", "`") for text in docstrings]
    assert listed == list(zip([script.name for script in SCRIPTS], questions, strict=True))


def parts_of(script):
    """The parts that a script names in its call of ``main``, or as choices of an argument."""
    found = set()
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "main":
            found |= {keyword.arg for keyword in node.keywords}
        if isinstance(node, ast.keyword) and node.arg == "choices":
            texts = [each for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
            found |= {each.value for each in texts}
    return found


def test_commands_that_pages_and_comments_name_exist():
    parts = {script.stem: parts_of(script) for script in SCRIPTS}
    files = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py"), *SCRIPTS]
    files += ROOT.glob("benchmarks/results/*.txt")
    files += [ROOT / "benchmarks" / "registered.md", ROOT / "CHANGELOG.md"]
    missing = set()
    seen = 0
    for path in files:
        for name, part in COMMAND.findall(path.read_text(encoding="utf-8")):
            seen += 1
            if name not in parts or (part and parts[name] and part not in parts[name]):
                missing.add(f"{path.relative_to(ROOT)}: {name} {part}")
    assert seen > 100
    assert not missing, "\n".join(sorted(missing))


def test_steps_of_the_surveys_trials_are_what_their_formulas_say():
    command = [sys.executable, str(ROOT / "benchmarks" / "survey.py"), "check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "all steps" in done.stdout
