import pytest

from errata.report import _words


def rate(count, low, high):
    return {
        "estimate": 0.1,
        "low": 0,
        "high": 1,
        "count": count,
        "count_low": low,
        "count_high": high,
    }


@pytest.mark.parametrize(
    ("count", "flagged", "precision", "expected"),
    [
        (87, 74, 0.81, "74 rows are flagged; we expect 8 in 10 of them to be real errors."),
        (1, 1, 0.81, "About 1 of 1,000 labels is probably wrong (between 61 and 112)."),
        (1, 1, 0.81, "1 row is flagged; the chance that it is a real error is 81\xa0%."),
        (87, 74, 0.99, "we expect nearly all of them to be real errors."),
        (87, 74, None, "74 rows are flagged."),
        (87, 0, None, "No row is flagged."),
        (0, 0, None, "Hardly any label looks wrong; at most 112 of 1,000 could be."),
    ],
)
def test_the_answer_in_words(count, flagged, precision, expected):
    summary = {
        "rows": 1000,
        "noise_rate": rate(count, 61, 112),
        "flagged": {"count": flagged, "expected_precision": precision},
    }
    assert expected in _words.answer(summary)


def test_nothing_wrong_at_all():
    summary = {"rows": 9, "noise_rate": rate(0, 0, 0), "flagged": {"count": 0}}
    assert _words.answer(summary) == "Hardly any label looks wrong. No row is flagged."


def test_shares_in_ten_never_round_to_none():
    assert _words.in_ten(0.06) == "1 in 10"
    assert _words.in_ten(0.949) == "9 in 10"
