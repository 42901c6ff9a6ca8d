import pytest

from errata import _sentences


def rate(count, low, high):
    return {
        "estimate": 0.1,
        "low": low / 1000,
        "high": 1,
        "count": count,
        "count_low": low,
        "count_high": high,
    }


def found(rows, noise_rate, flagged, precision):
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
        (1, 1, 0.81, "1 row is flagged; the probability that it is a real error is 81%."),
        (87, 74, 0.99, "we expect nearly all of them to be real errors. Review them"),
        (1, 1, 0.81, "Review it, or clean the table without a review."),
        (87, 74, 0.51, "About 87 of 1,000 labels are probably wrong (between 61 and 112)."),
        (87, 74, 0.49, "Perhaps 87 of 1,000 labels are wrong (between 61 and 112), but errors"),
        (87, 0, None, "No row is flagged. Look at the 20 most suspicious rows"),
        (0, 0, None, "Hardly any label looks wrong; at most 112 of 1,000 could be."),
    ],
)
def test_the_answer_in_words(count, flagged, precision, expected):
    assert expected in _sentences.answer(found(1000, rate(count, 61, 112), flagged, precision))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 0.9, "to be real errors (between hardly any and 9 in 10)."),
        (0.49, 1.0, "to be real errors (between 5 in 10 and nearly all)."),
        (0.5, 1.0, "to be real errors."),
    ],
)
def test_how_many_flags_are_right_is_a_range_where_less_than_half_may_be(low, high, expected):
    summary = found(1000, rate(87, 61, 112), 74, 0.6)
    summary["flagged"] |= {"expected_precision_low": low, "expected_precision_high": high}
    assert expected in _sentences.answer(summary)


OVERLAP = "errors cannot be told from classes that overlap"
TWENTY = "Look at the 20 most suspicious rows: they tell which it is."


@pytest.mark.parametrize(
    ("count", "flagged", "expected"),
    [
        (
            31,
            2,
            f"Perhaps 31 of 1,473 labels are wrong (between none and 120), but {OVERLAP}. "
            f"2 rows are flagged; we expect 3 in 10 of them to be real errors. {TWENTY}",
        ),
        (
            1,
            1,
            f"Perhaps 1 of 1,473 labels is wrong (between none and 120), but {OVERLAP}. "
            f"1 row is flagged; the probability that it is a real error is 30%. {TWENTY}",
        ),
        (
            0,
            0,
            "Hardly any label looks wrong; at most 120 of 1,473 could be. No row is flagged. "
            "There is nothing to do.",
        ),
        (
            0,
            1,
            "Hardly any label looks wrong; at most 120 of 1,473 could be. 1 row is flagged; the "
            "probability that it is a real error is 30%. Look at it.",
        ),
    ],
)
def test_where_none_may_be_wrong_the_first_sentence_says_overlap(count, flagged, expected):
    assert _sentences.answer(found(1473, rate(count, 0, 120), flagged, 0.3)) == expected


@pytest.mark.parametrize(("estimate", "says"), [(0.009, "Hardly any"), (0.011, "Perhaps 1 of")])
def test_next_to_nothing_that_is_not_flagged_is_nothing(estimate, says):
    little = rate(1, 0, 12) | {"estimate": estimate}
    assert _sentences.answer(found(110, little, 0, None)).startswith(says)


@pytest.mark.parametrize(("precision", "overlap"), [(None, True), (0.74, True), (0.76, False)])
def test_flags_that_promise_much_are_not_overlap(precision, overlap):
    flagged = 0 if precision is None else 2
    said = _sentences.answer(found(60, rate(2, 0, 12), flagged, precision))
    assert (OVERLAP in said) == overlap
    assert said.startswith("About 2 of 60 labels are probably wrong (at most 12).") != overlap


def test_without_skill_the_answer_says_so():
    blind = found(2000, rate(100, 0, 1200) | {"high": 0.6}, 0, None)
    blind |= {"has_skill": False, "notes": ["These columns do not tell.", "Left out 'x'."]}
    assert _sentences.answer(blind) == (
        "These columns do not tell the labels apart, so nobody can say from them which labels are "
        "wrong: anything from none to 60% of the 2,000 labels is possible. No row is flagged. What "
        "may help: other columns, more rows, or --trust for a column that was left out although it "
        "was measured independently of the label."
    )
    assert _sentences.notes(blind) == ["Left out 'x'."]
    assert _sentences.notes(blind | {"has_skill": True}) == blind["notes"]


def test_nothing_wrong_at_all():
    summary = found(9, rate(0, 0, 0), 0, None)
    assert _sentences.answer(summary) == (
        "Hardly any label looks wrong. No row is flagged. There is nothing to do."
    )


def test_fractions_in_ten_never_round_to_none():
    assert _sentences.in_ten(0.06) == "1 in 10"
    assert _sentences.in_ten(0.949) == "9 in 10"


def test_an_interval_that_begins_next_to_none_may_be_overlap():
    near, away = (_sentences.answer(found(1000, rate(90, low, 200), 80, 0.5)) for low in (9, 11))
    assert OVERLAP in near
    assert OVERLAP not in away


LIKELY = "more likely wrong than right"


@pytest.mark.parametrize(
    ("flagged", "dropped", "above", "expected"),
    [
        (181, 181, 181, f"the 181 rows that are {LIKELY}"),
        (181, 170, 170, f"the 170 rows that are {LIKELY} (181 are flagged to look at)"),
        (1, 1, 1, f"the row that is {LIKELY}"),
        (1, 2, 2, f"the 2 rows that are {LIKELY} (1 is flagged to look at)"),
        (0, 1, 1, f"the row that is {LIKELY} (none is flagged)"),
        (20, 10, 20, f"10 of the 20 rows that are {LIKELY}, to spare small classes"
                     " (20 are flagged to look at)"),
        (10, 10, 20, f"10 of the 20 rows that are {LIKELY}, to spare small classes"),
        (0, 0, 2, f"none of the 2 rows that are {LIKELY}, to spare small classes"),
        (7, 0, 0, f"no row, as none is {LIKELY} (7 are flagged to look at)"),
        (0, 0, 0, f"no row, as none is {LIKELY}"),
    ],
)  # fmt: skip
def test_what_clean_drops_agrees_with_the_flags(flagged, dropped, above, expected):
    cleaned = {"threshold": 0.5, "rows": dropped, "above": above}
    assert _sentences.cleaning({"count": flagged, "cleaned": cleaned}) == expected


def test_a_summary_names_what_it_judges():
    prices = found(506, rate(46, 12, 90), 40, 0.8) | {"noun": ["price", "prices"]}
    assert _sentences.answer(prices).startswith("About 46 of 506 prices are probably wrong")


def votes_summary(**changes):
    rate = {"estimate": 0.095, "low": 0.075, "high": 0.12}
    counts = {"count": 190, "count_low": 150, "count_high": 240}
    flagged = {"count": 120, "expected_precision": 0.8, "expected_recall": 0.5}
    known = {"kind": "votes", "rows": 2000, "has_skill": True, "annotators": 120}
    still = {"count": 90}
    return known | {"noise_rate": rate | counts, "flagged": flagged, "still_wrong": still} | changes


def test_of_votes_it_is_said_how_many_labels_are_wrong_before_and_after_weighing():
    assert _sentences.answer(votes_summary()) == (
        "Of 2,000 majority labels about 190 (150 to 240) are probably wrong; after weighing the "
        "120 annotators about 90 still are. 120 items are flagged; we expect 8 in 10 of them to be "
        "real errors. Review them, or clean the table without a review."
    )
    none_left = _sentences.answer(votes_summary(still_wrong={"count": 0}))
    assert "after weighing the 120 annotators hardly any still is." in none_left


def test_votes_without_skill_are_not_called_columns():
    assert _sentences.answer(votes_summary(has_skill=False)).startswith(
        "These votes do not tell who is right, so nobody can say from them which majority labels"
    )
