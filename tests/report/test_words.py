import numpy as np
import pytest

from errata.report import _words, summary_in_markdown
from report.fake_summary import random_summary


def blind():
    """A summary of columns that do not tell the labels apart."""
    return {
        "rows": 2000,
        "has_skill": False,
        "noise_rate": {"estimate": 0.05, "low": 0.0, "high": 0.6},
        "flagged": {"count": 0, "expected_precision": None, "expected_recall": None},
        "hypotheses": [{"kind": "uniform", "weight": 1.0, "rate": 0.2}],
    }


def test_without_skill_no_card_shows_a_number_that_nobody_knows():
    cards = [(card["figure"], card["note"]) for card in _words.build_cards(blind())]
    assert cards == [
        ("unknown", "anything from none to 60%"),
        ("0", "0% of 2,000 rows"),
        ("unknown", "no row is flagged"),
        ("unknown", "no row is flagged"),
    ]
    assert _words.describe_hypotheses(blind()) == []


def test_the_kinds_of_noise_are_told_in_words():
    kinds = ["none", "uniform", "pattern", "class to class", "boundary", "a new one"]
    told = _words.describe_hypotheses(
        blind()
        | {"has_skill": True}
        | {"hypotheses": [{"kind": kind, "weight": 0.2, "rate": 0.1} for kind in kinds]}
    )
    assert [each["kind"] for each in told] == [
        "no noise, the classes overlap",
        "labels wrong uniformly at random",
        "some classes wrong more often",
        "classes flow into others",
        "wrong where classes meet",
        "a new one",
    ]
    assert told[0] | {"kind": None} == {"kind": None, "weight": 0.2, "rate": 0.1}


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
    examples = [{"flagged": place < here} for place in range(listed)]
    assert (
        _words.describe_listing({"examples": examples, "flagged": {"count": flagged}}) == expected
    )


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
