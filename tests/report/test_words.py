import pytest

from errata.report import _words


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
