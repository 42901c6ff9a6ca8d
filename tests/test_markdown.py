import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from errata._format import as_code, as_prose, markdown_table

HOSTILE = ["a|b", "``x``", "back\\slash|", "<script>", "@ada", "line\nend", "\u202eturned", "\\"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_one_cell_of_code(text):
    cell = as_code(text)
    assert "\n" not in cell
    assert re.fullmatch(r"`[^`|\\]+`|<code>[^<>`|\\]*</code>", cell)


@given(st.text())
def test_whatever_a_cell_holds_it_stays_one(text):
    table = markdown_table(["label"], [[as_code(text)]])
    assert len(table.splitlines()) == 3
    assert table.splitlines()[2].count("|") == 2


@given(st.text(alphabet="|`\\\\<>&*_[]()@#!~$ab \n", max_size=30))
def test_a_reader_of_markdown_shows_the_text_and_nothing_else(text):
    table = markdown_table(["label", "why"], [[as_code(text), as_prose(text)]])
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(table)
    cells = re.findall(r"<td>(.*?)</td>", page)
    shown = " ".join(text.split())
    assert [unescape(re.sub("<[^>]*>", "", cell)) for cell in cells] == [shown, shown]


def test_a_long_text_is_shortened_before_it_is_written_out():
    assert as_code("|" * 100) == f"<code>{'&#124;' * 59}…</code>".replace("…", "&#8230;")


@given(st.text(alphabet="@#<>[]()*_`|~ab \n"))
def test_prose_has_no_markup_and_mentions_nobody(text):
    prose = as_prose(text).replace("<!-- -->", "\0")
    assert not set("<>[]*_`|~\n") & set(prose)
    assert not re.search("[@#](?!<!-- -->)", unescape(as_prose(text)))  # as a browser reads it
