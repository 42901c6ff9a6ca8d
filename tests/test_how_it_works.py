"""The audit in sixty lines on its page: it runs, and finds the rows that errata finds."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import errata

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "guide" / "how_it_works.md"


@pytest.fixture(scope="module")
def page():
    """The names that the code of the page leaves behind, and what it prints."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    printed = StringIO()
    with redirect_stdout(printed):
        for kind, text in blocks:
            if kind == "python":
                exec(text, names)
    (shown,) = (text for kind, text in blocks if kind == "text")
    return names, printed.getvalue(), shown, blocks[0][1]


def test_the_audit_has_sixty_lines_and_prints_what_the_page_shows(page):
    _, printed, shown, code = page
    assert printed == shown
    assert len([line for line in code.splitlines() if line.strip()]) <= 60


def test_it_ranks_first_what_the_real_audit_ranks_first(page):
    names = page[0]
    audit = errata.audit(names["X"], names["labels"], self_check=False, random_state=0)
    n_wrong = int(names["flipped"].sum())
    ours = np.argsort(-names["p_wrong"])[:n_wrong]
    theirs = np.argsort(-audit.suspicion)[:n_wrong]
    assert len(np.intersect1d(ours, theirs)) >= 0.9 * n_wrong


def test_every_sub_package_is_in_the_picture():
    picture = (ROOT / "docs" / "figures" / "packages.svg").read_text(encoding="utf-8")
    parts = [name for name in errata.__all__ if hasattr(getattr(errata, name), "__path__")]
    assert parts
    assert [name for name in parts if f">{name}</text>" not in picture] == []
