"""Words are checked too: links lead somewhere, rooms are documented, help texts are current."""

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import errata
from errata.cli.__main__ import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
SHELL = re.compile(r"```(?:sh|bash|console)\n(.*?)```", re.DOTALL)


def help_of(*command):
    """What a command prints about itself, at the width of the docs."""
    result = CliRunner().invoke(main, [*command, "--help"], prog_name="errata", terminal_width=80)
    return result.output.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_are_there(page):
    named = re.findall(
        r"`((?:src|tests|benchmarks|examples)/[^`\s*]+)", page.read_text(encoding="utf-8")
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


def headings(page):
    """What links to parts of a page call them, as forges and the site do."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_parts_of_pages_lead_to_headings(page):
    text = page.read_text(encoding="utf-8")
    for target, part in re.findall(r"\]\(([^)#:]*\.md)?#([^)]*)\)", text):
        there = page.parent / target if target else page
        assert part in headings(there), f"{page.name} links to {target}#{part}"


def commands_on(page):
    """The words after "errata" in the shell commands of a page."""
    for block in SHELL.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["errata"]:
                ends = [place for place, word in enumerate(words) if word in ("||", "&&", "|", ">")]
                yield words[1 : ends[0] if ends else None]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_a_page_and_their_options_exist(page):
    above = click.Context(main, **main.context_settings)
    for name, *words in commands_on(page):
        if not name.startswith("-"):
            command = main.commands[name]
            command.make_parser(click.Context(command, parent=above)).parse_args(words)


@pytest.mark.parametrize("command", ["", *main.commands])
def test_help_in_the_docs_is_what_the_command_prints(command):
    text = (ROOT / "docs" / "guide" / "cli.md").read_text(encoding="utf-8")
    assert help_of(*command.split()) in text, f"docs/guide/cli.md is behind errata {command}"


@pytest.mark.parametrize("name", sorted({*errata.__all__} - {"exceptions", "Audit"}))
def test_what_errata_lists_is_in_the_readme(name):
    assert f"`errata.{name}`" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_public_object_has_a_docstring():
    for name in errata.__all__:
        thing = getattr(errata, name)
        assert thing.__doc__, f"errata.{name} has no docstring"
        for public in getattr(thing, "__all__", []):
            assert getattr(thing, public).__doc__, f"errata.{name}.{public} has no docstring"


CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


@pytest.mark.parametrize("room", [name for name in errata.__all__ if name.islower()])
def test_every_public_name_is_on_a_page_of_the_docs(room):
    pages = "\n".join(page.read_text(encoding="utf-8") for page in ROOT.glob("docs/**/*.md"))
    shown = set(re.findall(r"\w+", " ".join(CODE.findall(pages))))
    public = getattr(getattr(errata, room), "__all__", [])
    missing = [name for name in public if name not in shown]
    assert not missing, f"no page in docs/ has, of errata.{room}: {', '.join(missing)}"
