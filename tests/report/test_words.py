import pytest

from errata.report import _words


def rate(count, low, high):
    return {
        "estimate": 0.1,
        "low": low / 1000,
        "high": 1,
        "count": count,
        "count_low": low,
        "count_high": high,
    }


def judged(rows, noise_rate, flagged, precision):
    return {
        "rows": rows,
        "has_skill": True,
        "noise_rate": noise_rate,
        "flagged": {
            "count": flagged,
            "expected_precision": precision,
            "expected_recall": precision,
        },
    }


@pytest.mark.parametrize(
    ("count", "flagged", "precision", "expected"),
    [
        (87, 74, 0.81, "74 rows are flagged; we expect 8 in 10 of them to be real errors."),
        (1, 1, 0.81, "About 1 of 1,000 labels is probably wrong (between 61 and 112)."),
        (1, 1, 0.81, "1 row is flagged; the chance that it is a real error is 81\xa0%."),
        (87, 74, 0.99, "we expect nearly all of them to be real errors."),
        (87, 74, None, "74 rows are flagged."),
        (87, 74, 0.3, "About 87 of 1,000 labels are probably wrong (between 61 and 112)."),
        (87, 0, None, "No row is flagged."),
        (0, 0, None, "Hardly any label looks wrong; at most 112 of 1,000 could be."),
    ],
)
def test_the_answer_in_words(count, flagged, precision, expected):
    assert expected in _words.answer(judged(1000, rate(count, 61, 112), flagged, precision))


@pytest.mark.parametrize(
    ("count", "flagged", "expected"),
    [
        (
            31,
            2,
            "Perhaps 31 of 1,473 labels are wrong, at most 120; it may well be that hardly any "
            "is and the classes merely overlap. 2 rows are flagged; we expect 3 in 10 of them "
            "to be real errors.",
        ),
        (
            1,
            1,
            "Perhaps 1 of 1,473 labels is wrong, at most 120; it may well be that hardly any "
            "is and the classes merely overlap. 1 row is flagged; the chance that it is a "
            "real error is 30\xa0%.",
        ),
        (0, 0, "Hardly any label looks wrong; at most 120 of 1,473 could be. No row is flagged."),
    ],
)
def test_where_none_may_be_wrong_the_first_sentence_says_overlap(count, flagged, expected):
    assert _words.answer(judged(1473, rate(count, 0, 120), flagged, 0.3)) == expected


@pytest.mark.parametrize(("precision", "overlap"), [(None, True), (0.74, True), (0.76, False)])
def test_flags_that_promise_much_are_no_overlap(precision, overlap):
    flagged = 0 if precision is None else 2
    said = _words.answer(judged(60, rate(2, 0, 12), flagged, precision))
    assert ("merely overlap" in said) == overlap
    assert said.startswith("About 2 of 60 labels are probably wrong (at most 12).") != overlap


def blind():
    """A summary of columns that do not tell the labels apart."""
    return judged(2000, rate(100, 0, 1200), 0, None) | {
        "has_skill": False,
        "noise_rate": rate(100, 0, 1200) | {"estimate": 0.05, "low": 0.0, "high": 0.6},
        "hypotheses": [{"kind": "uniform", "weight": 1.0, "rate": 0.2}],
        "notes": ["These columns do not tell.", "Left out 'x'."],
    }


def test_without_skill_the_answer_says_so():
    assert _words.answer(blind()) == (
        "These columns do not tell the labels apart, so nobody can say from them which labels are "
        "wrong: anything from none to 60\xa0% of the 2,000 labels is possible. Nothing is flagged."
    )
    assert _words.notes(blind()) == ["Left out 'x'."]
    assert _words.notes(blind() | {"has_skill": True}) == blind()["notes"]


def test_without_skill_no_card_shows_a_number_that_nobody_knows():
    cards = [(card["figure"], card["note"]) for card in _words.cards(blind())]
    assert cards == [
        ("unknown", "anything from none to 60\xa0%"),
        ("0", "0\xa0% of 2,000 rows"),
        ("unknown", "no row is flagged"),
        ("unknown", "no row is flagged"),
    ]
    assert _words.hypotheses(blind()) == []


def test_the_kinds_of_noise_are_told_in_words():
    kinds = ["none", "uniform", "pattern", "class to class", "boundary", "a new one"]
    told = _words.hypotheses(
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


def test_nothing_wrong_at_all():
    summary = judged(9, rate(0, 0, 0), 0, None)
    assert _words.answer(summary) == "Hardly any label looks wrong. No row is flagged."


def test_shares_in_ten_never_round_to_none():
    assert _words.in_ten(0.06) == "1 in 10"
    assert _words.in_ten(0.949) == "9 in 10"


def test_an_interval_that_begins_next_to_none_may_be_overlap():
    near, away = (_words.answer(judged(1000, rate(90, low, 200), 80, 0.5)) for low in (9, 11))
    assert "merely overlap" in near
    assert "merely overlap" not in away
