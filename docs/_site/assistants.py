"""What assistants read of errata: a list of the pages, and how to use it, both from these pages."""

import re
from pathlib import Path

from click.testing import CliRunner
from written import write_if_new

from errata.cli.__main__ import main

FOLDERS = {"start": "Start", "guide": "Guide", "howto": "How-tos", "evidence": "Evidence"}
SKILL = """---
name: errata
description: Find wrong labels in a table, decide on them, and write a clean table.
---

# errata

{about}

Run `errata audit FILE --label COLUMN --json` first and read `answer`. Show the person the most
suspicious rows; what they say of a row is recorded with `errata review`, or by the tool `decide` of
`errata mcp`. Never decide in their place. `errata clean AUDIT -o FILE` writes a new table and
leaves the old one as it is. A count is an estimate: tell its interval, too.

```text
{help}
```
"""


def write(pages: Path, site: Path) -> None:
    """Write ``llms.txt`` and ``SKILL.md`` for the root of the site."""
    about = _read_first_sentence(pages.parent / "README.md")
    lines = ["# errata", "", f"> {about}"]
    for folder, title in FOLDERS.items():
        lines += ["", f"## {title}", ""]
        lines += [_describe(page, pages) for page in sorted((pages / folder).glob("*.md"))]
    write_if_new(site / "llms.txt", "\n".join(lines) + "\n")
    shown = CliRunner().invoke(main, ["--help"], prog_name="errata", terminal_width=80).output
    write_if_new(site / "SKILL.md", SKILL.format(about=about, help=shown.strip()))


def _describe(page: Path, pages: Path) -> str:
    """A link to a page with its title and first sentence."""
    title = page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
    address = page.relative_to(pages).with_suffix(".html").as_posix()
    return f"- [{title}]({address}): {_read_first_sentence(page)}"


def _read_first_sentence(page: Path) -> str:
    """The first sentence of the first paragraph, without links and emphasis."""
    paragraphs = page.read_text(encoding="utf-8").split("\n\n")
    text = next(part for part in paragraphs if re.match(r"(?!```)[\w`*]", part))
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
    return re.split(r"(?<=[.?])\s", text.replace("**", ""), maxsplit=1)[0]
