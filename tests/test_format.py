import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from errata import _format
from errata._format import as_code, as_prose, instead, markdown_table


@pytest.mark.parametrize(
    ("fraction", "expected"),
    [
        (0, "0%"),
        (0.0004, "<0.1%"),
        (0.001, "0.1%"),
        (0.0994, "9.9%"),
        (0.0995, "10%"),
        (0.125, "12%"),
        (1, "100%"),
        (None, "unknown"),
    ],
)
def test_fractions_in_percent(fraction, expected):
    assert _format.percent(fraction) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12_000, "12,000 rows")],
)
def test_nouns_follow_their_number(number, expected):
    assert _format.plural(number, "row") == expected


def test_a_noun_may_have_a_plural_of_its_own():
    assert [_format.plural(n, "class", "classes") for n in (1, 2)] == ["1 class", "2 classes"]


@pytest.mark.parametrize(
    ("number", "expected"), [(99.96, "100.0"), (100.4, "100"), (3.0, "3"), (1234567, "1,234,567")]
)
def test_counts(number, expected):
    assert _format.count(number) == expected


def test_a_list_is_shortened_only_when_it_is_too_long():
    assert _format.join_names(range(3), most=3) == "0, 1, 2"
    assert _format.join_names(range(5), most=3) == "0, 1, 2 and 2 more"
    assert _format.join_names(range(2_000), most=1) == "0 and 1,999 more"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red \x1b[31m", r"red \x1b[31m"),
        ("turned \u202etxt.exe", r"turned \u202etxt.exe"),
        ("isolated \u2066a\u2069", r"isolated \u2066a\u2069"),
        ("cat\u200b\ufeff\x00\x85", r"cat\u200b\ufeff\x00\x85"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\u200f10 20\u061c\u206a\udcff", r"\u200f10 20\u061c\u206a\udcff"),
        ("over\rwritten, but\r\n", "over\\rwritten, but\r\n"),
        ("שלום, می\u200cشود, 👩\u200d🔬, café", "שלום, می\u200cشود, 👩\u200d🔬, café"),
    ],
)
def test_what_the_screen_would_obey_unseen_is_written_out(text, expected):
    assert _format.visible(text) == expected


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


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("Pet", ["pet", "weight"], "did you mean 'pet'?"),
        ("weihgt", ["pet", "weight", "height"], "did you mean 'weight' or 'height'?"),
        ("zebra", ["pet", "weight"], "the columns are pet, weight."),
        ("zebra", ["pet"], "the only one is 'pet'."),
        ("pet", ["weight^pet"], "if it should be several, separate them by , ; | or tabs."),
        ("pet", [], "there are no columns with names."),
        (3, [1, 2], "the columns are 1, 2."),
    ],
)
def test_a_name_that_is_not_there_gets_a_hint(name, known, hint):
    assert instead(name, known).endswith(hint)


def test_what_the_names_stand_for_can_be_said():
    assert instead("q", ["cat", "dog"], what="classes") == "the classes are cat, dog."
