import numpy as np
import pytest

from errata._validation import check_no_measurement, describe_measurement

DEGREES = np.round(np.linspace(36, 41, 51), 1)


def accepted(classes, n):
    """Whether labels pass, and whether a note doubts them."""
    check_no_measurement(classes, n, "y")
    return bool(describe_measurement(classes))


@pytest.mark.parametrize(
    ("classes", "n"),
    [
        (np.random.default_rng(0).normal(size=465), 500),
        (DEGREES, 5_000),  # each a hundred times, and a measurement all the same
        ([str(degree) for degree in DEGREES], 5_000),  # as a text file has them
        (np.arange(18, 138), 1_000),  # 120 whole numbers, a few rows each
        ([str(year) for year in range(1_900, 2_020)], 1_000),
    ],
)
def test_many_numbers_are_a_measurement(classes, n):
    with pytest.raises(
        ValueError, match=r"the labels holds .* looks like a continuous measurement"
    ):
        check_no_measurement(classes, n, "the labels")


@pytest.mark.parametrize(
    ("classes", "n", "doubted"),
    [
        (np.arange(10), 1_797, False),
        (np.arange(100), 1_000, True),  # digits 00 to 99, or ages
        (np.arange(120), 500, True),  # as an encoder of labels numbers classes
        (np.random.default_rng(0).integers(10_000, 99_999, 40), 1_000, True),  # postal codes
        ([f"{code:05}" for code in range(120)], 600, False),  # with a nought, they are codes
        (np.arange(0.5, 5.5, 0.5), 200, False),  # ratings
        (np.arange(1, 6, 0.25), 500, True),
        ([f"c{number}" for number in range(200)], 600, False),
        ([True, False], 50, False),
        (["nan", "inf", *map(str, range(50))], 100, False),
        ([(1, 2), "a", 3], 100, False),
    ],
)
def test_numbers_may_be_classes(classes, n, doubted):
    classes = classes if len(classes) > 3 else np.array([*classes, None], dtype=object)[:-1]
    assert accepted(classes, n) == doubted


def test_the_sentence_says_what_was_seen_and_what_to_do():
    with pytest.raises(
        ValueError, match=r"holds 51 different numbers in 900 rows \(36, 36.1, 36.2"
    ) as caught:
        check_no_measurement(DEGREES, 900, "column 'fever'")
    for hint in ("column 'fever'", "use errata.audit_targets", "--target", "put a letter in front"):
        assert hint in str(caught.value)
