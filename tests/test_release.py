"""What a release says of itself is said alike everywhere."""

import re
import tomllib
from pathlib import Path

import errata

ROOT = Path(__file__).parents[1]


def test_the_citation_names_the_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", text, re.MULTILINE)[1] == errata.__version__


def test_the_change_log_begins_with_the_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", text, re.MULTILINE)[1] == errata.__version__


def test_extras_on_the_page_are_those_of_the_package():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert {*shown} == {*package["optional-dependencies"]} - {"dev", "docs"}


def test_the_source_archive_holds_what_the_repository_does():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = package["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [name for name in listed if not (ROOT / name.lstrip("/")).exists()] == []


def test_the_badges_are_true():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = re.findall(">([^<>]+)</text>", (ROOT / "docs/figures/badges.svg").read_text("utf-8"))
    said = dict(zip(texts[::2], texts[1::2], strict=True))
    tests = "\n".join(path.read_text("utf-8") for path in ROOT.glob("tests/**/test_*.py"))
    there = len(re.findall(r"^ *def test_", tests, re.MULTILINE))
    at_least = int(said.pop("tests").rstrip("+").replace(",", ""))
    assert at_least <= there < at_least + 1000
    assert said == {
        "version": errata.__version__,
        "Python": package["requires-python"].removeprefix(">=") + "+",
        "licence": package["license"],
    }
