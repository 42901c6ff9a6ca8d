import re

import numpy as np
import pytest

from errata.report import render, summary_in_markdown
from report.fake_summary import no_skill, random_summary

RATE = {
    **{"estimate": 0.05, "low": 0.0, "high": 0.6},
    **{"count": 100, "count_low": 0, "count_high": 1200},
}


def test_without_skill_no_card_shows_a_number_that_nobody_knows():
    told = no_skill(random_summary(2000, 3, 20)) | {"noise_rate": RATE}
    told["hypotheses"] = [{"kind": "uniform", "weight": 1.0, "rate": 0.2}]
    page = render(told)
    assert re.findall(r'"figure">(.*?)</dd>\s*<dd class="note">(.*?)</dd>', page) == [
        ("unknown", "anything from none to 60%"),
        ("0", "0% of 2,000 rows"),
        ("unknown", "no row is flagged"),
        ("unknown", "no row is flagged"),
    ]
    assert "labels wrong uniformly at random" not in page


def test_the_kinds_of_noise_are_told_in_words():
    kinds = ["none", "uniform", "pattern", "class to class", "boundary", "a new one"]
    hypotheses = [{"kind": kind, "weight": 0.25, "rate": 0.125} for kind in kinds]
    page = render(summary(hypotheses=hypotheses))
    section = page.split("Kinds of noise")[1].split("</table>")[0]
    line = r'"name">(.*?)</th>.*?"n">(.*?)</span>.*?"n">(.*?)</td>'
    assert re.findall(line, section, re.DOTALL) == [
        ("no noise, the classes overlap", "25%", "12%"),
        ("labels wrong uniformly at random", "25%", "12%"),
        ("some classes wrong more often", "25%", "12%"),
        ("classes flow into others", "25%", "12%"),
        ("wrong where classes meet", "25%", "12%"),
        ("a new one", "25%", "12%"),
    ]


@pytest.mark.parametrize(
    ("listed", "here", "flagged", "expected"),
    [
        (1, 1, 1, "The flagged row."),
        (1200, 1200, 1200, "The 1,200 flagged rows."),
        (100, 31, 31, "The 100 most suspicious rows, 31 of them flagged."),
        (100, 0, 0, "The 100 most suspicious rows, 0 of them flagged."),
        (1000, 1000, 1500, "The 1,000 most suspicious rows, with 1,000 of the 1,500 flagged ones."),
    ],
)
def test_the_list_says_which_rows_it_holds(listed, here, flagged, expected):
    told = summary()
    first = told["examples"][0] | {"image": None}
    told["examples"] = [first | {"flagged": place < here} for place in range(listed)]
    told["flagged"] |= {"count": flagged}
    assert f"<dd>{expected} <a" in render(told)


def summary(**changes):
    return random_summary(200, 3, 20) | {"title": "pets.csv"} | changes


def rows_of(text):
    """The cells of the table, without its heading."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines[2:]]


def test_it_says_what_was_found_with_its_interval():
    text = summary_in_markdown(summary())
    assert text.startswith("## Audit of `pets.csv`\n\n**About ")
    assert "\n- Noise rate: " in text
    assert "\n- Self-check: " in text
    assert text.endswith("|")


def test_the_ten_most_suspicious_of_the_flagged_rows_are_shown():
    told = summary()
    text = summary_in_markdown(told)
    flagged = [example for example in told["examples"] if example["flagged"]]
    assert len(flagged) > 10
    rows = rows_of(text)
    assert [int(row[0]) for row in rows] == [example["row"] for example in flagged[:10]]
    assert rows[0][1] == f"`{flagged[0]['id']}`"
    assert f"**The first 10 of {told['flagged']['count']} rows**" in text


def test_what_a_cell_holds_cannot_break_the_table_or_call_anybody():
    told = summary(notes=["'@ada' <img src=x> is left out"])
    hostile = {"label": "a|b\n<b>", "suggested": "`|@ada", "reasons": ["see <x> | @ada"]}
    told["examples"] = [told["examples"][0] | hostile | {"flagged": True}]
    text = summary_in_markdown(told)
    (cells,) = rows_of(text)
    assert cells[2:4] == ["<code>a&#124;b &#60;b&#62;</code>", "<code>&#96;&#124;&#64;ada</code>"]
    assert cells[5] == "see &#60;x&#62; &#124; @<!-- -->ada"
    assert "<img" not in text
    assert "'@<!-- -->ada'" in text


def test_without_flags_there_is_no_table():
    told = summary()
    told["flagged"]["count"] = 0
    told["examples"] = [example | {"flagged": False} for example in told["examples"]]
    assert "|" not in summary_in_markdown(told)


def test_without_skill_no_rate_is_told():
    told = summary(has_skill=False, self_check=None, notes=["Nobody can say.", "And more."])
    text = summary_in_markdown(told)
    assert "Noise rate" not in text
    assert "- Note: And more." in text
    assert "Nobody can say." not in text  # which is the answer already


def test_items_have_names_and_no_numbers():
    told = summary(kind="votes")
    told |= {"annotators": 3, "still_wrong": told["noise_rate"]}
    text = summary_in_markdown(told)
    assert "| item | label |" in text
    assert rows_of(text)[0][0].startswith("`P-")
    assert np.unique([len(row) for row in rows_of(text)]).tolist() == [5]
