"""Words are checked too: links lead somewhere, rooms are documented, help texts are current."""

import re
import shlex
from pathlib import Path

import errata
from errata.cli.__main__ import main
from shell_commands import commands_in, objection_to

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
SHELL = re.compile(r"```(?:sh|bash|console|yaml)\n(.*?)```", re.DOTALL)


def paths_linked(page, text):
    """What links of a page lead to, as files, and whether they are there."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        yield target, (page.parent / target).exists()


def parts_linked(page, text):
    """The headings that links of a page lead to, and whether there are such headings."""
    for target, part in re.findall(r"\]\(([^)#:]*\.md)?#([^)]*)\)", text):
        there = page.parent / target if target else page
        yield f"{target}#{part}", there.exists() and part in headings(there)


def files_named(page, text):
    """The files of the repository that a page names, and whether they are there."""
    for name in re.findall(r"`((?:src|tests|benchmarks|examples)/[^`\s*]+)", text):
        yield name, (ROOT / name).exists()


def headings(page):
    """What links to parts of a page call them, as forges and the site do."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_and_names_of_files_on_pages_lead_somewhere():
    found = [
        (f"{page.relative_to(ROOT)}: {name}", there)
        for page in PAGES
        for references in (paths_linked, parts_linked, files_named)
        for name, there in references(page, page.read_text(encoding="utf-8"))
    ]
    assert len(found) > 400  # else the patterns no longer find what pages refer to
    missing = [name for name, there in found if not there]
    assert not missing, "\n".join(missing)


def test_commands_on_pages_and_their_options_exist():
    commands = [
        (page.relative_to(ROOT), words)
        for page in PAGES
        for block in SHELL.findall(page.read_text(encoding="utf-8"))
        for words in commands_in(block)
    ]
    assert {*main.commands} <= {words[0] for _, words in commands}
    wrong = [
        f"{page}: errata {shlex.join(words)}: {objection}"
        for page, words in commands
        if (objection := objection_to(words))
    ]
    assert not wrong, "\n".join(wrong)


def public_names():
    """Every public object of errata by its name, such as "noise.flip_labels"."""
    for name in errata.__all__:
        room = getattr(errata, name)
        yield name, room
        for public in getattr(room, "__all__", []):
            yield f"{name}.{public}", getattr(room, public)


def test_every_public_object_has_a_docstring_and_is_on_a_page_of_the_docs():
    silent = [name for name, thing in public_names() if not thing.__doc__]
    pages = "\n".join(page.read_text(encoding="utf-8") for page in ROOT.glob("docs/**/*.md"))
    shown = set(re.findall(r"\w+", " ".join(CODE.findall(pages))))
    inside = [name for name, _ in public_names() if "." in name]
    missing = [name for name in inside if name.rpartition(".")[2] not in shown]
    assert not silent + missing, f"without a docstring: {silent}; on no page: {missing}"
