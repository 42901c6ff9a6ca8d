import numpy as np
import pytest

import errata
from errata.auditing.numbers import read_targets

pd = pytest.importorskip("pandas", reason="the tables extra is not installed")

N = 120


def table(**columns):
    return pd.DataFrame({"size": np.arange(N), **columns})


def prices(n=N):
    return np.random.default_rng(0).normal(50, 10, n).round(1)


def notes(y):
    return " ".join(read_targets(table(price=y), "price")[2])


def test_a_column_is_taken_out_of_the_table():
    left, targets, notes = read_targets(table(price=prices()), "price")
    assert list(left.columns) == ["size"]
    np.testing.assert_array_equal(targets, prices())
    assert notes == []


@pytest.mark.parametrize(
    ("form", "remark"),
    [
        ("{:,.1f}", "marks of thousands"),
        ("{:.1f} EUR", "'EUR' as the unit"),
        ("$ {:,.1f}", "'$' as the unit"),
    ],
)
def test_text_that_is_numbers_is_read_with_a_note(form, remark):
    y = 1000 + prices()
    assert remark in notes([form.format(v) for v in y])
    _, targets, _ = read_targets(table(price=[form.format(v) for v in y]), "price")
    np.testing.assert_allclose(targets, y, rtol=1e-12)


@pytest.mark.parametrize("form", ["{} (kg)", "(about) {}", "{},-", "{:,.2f} kg"])
def test_other_marks_are_no_minus(form):
    words = [form.format(number) for number in range(1, 91)]
    _, targets, _ = read_targets({"price": words}, "price")
    np.testing.assert_array_equal(targets, np.arange(1, 91))


def test_the_column_is_named_once():
    found = notes([f"{value:.1f}".replace(".", ",") for value in prices()])
    assert "In column 'price', read commas as decimal points." in found


def test_missing_targets_stay_missing():
    y = prices()
    y[[3, 4]] = np.nan
    assert "2 rows have no target" in notes(y)
    texts = ["" if np.isnan(v) else f"{v} kg" for v in y]
    _, targets, _ = read_targets(table(price=texts), "price")
    assert np.flatnonzero(np.isnan(targets)).tolist() == [3, 4]


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (["red", "blue", "green"] * 40, r"holds values that are not numbers \(blue, green"),
        (["1 kg", "2 lb"] * 60, r"2 different units \(kg, lb\); convert them"),
        (["2020-01-05"] * N, "values that are not numbers"),
        ([True, False] * 60, "holds true or false, not numbers"),
        (pd.date_range("2020", periods=N), "holds dates or durations"),
        ([*prices(N - 1), np.inf], r"1 infinite number \(the first is in row 119"),
        (np.full(N, 7.0), "holds the number 7 only: nothing"),
        (np.where(np.arange(N) % 2, 0.0, -0.0), "holds the number 0 only: nothing"),
        (2**60 + np.arange(N), r"holds the number 1.15292e\+18 only, to 15 digits: nothing"),
        (["5.25", "($1,250.00)"] * 60, r"may be negative \(\(\$1,250.00\)\); write these"),
        (["5.25 EUR", "17.5- EUR", "2-"] * 40, r"may be negative \(2-\)"),
        (["5.25", "\u22127.5"] * 60, "may be negative \\(\u22127.5\\)"),
        ([*prices(20), *[np.nan] * (N - 20)], "holds 20 targets, and fewer than 30"),
    ],
)
def test_what_cannot_be_audited_gets_a_sentence(y, sentence):
    with pytest.raises(ValueError, match=f"column 'price' .*{sentence}"):
        read_targets(table(price=y), "price")


def test_a_column_that_is_not_there_and_a_matrix_get_a_sentence():
    with pytest.raises(ValueError, match="no column 'prize' to take targets from; did you mean"):
        read_targets(table(price=prices()), "prize")
    with pytest.raises(ValueError, match=r"its shape is \(4, 2\); audit one column"):
        read_targets(None, np.ones((4, 2)))


@pytest.mark.parametrize(
    ("y", "remark"),
    [
        (prices(60), "60 rows only, so the answer is rough"),
        (np.arange(N) % 5, "holds 5 different whole numbers. If they are names of classes"),
        (np.minimum(prices(), np.sort(prices())[-5]), "the largest: they may be cut off"),
    ],
)
def test_what_a_reader_should_know_is_noted(y, remark):
    assert remark in " ".join(read_targets(None, y)[2])


def test_what_very_many_rows_share_is_no_limit():
    assert read_targets(None, np.where(np.arange(N) < 40, 0.0, prices()))[2] == []


def test_ordinary_targets_need_no_note():
    assert read_targets(None, prices())[2] == []


def test_two_rows_at_an_end_of_a_short_table_are_no_limit():
    y = prices()
    y[[1, 2]] = y.max()  # more than a hundredth of the rows
    assert read_targets(None, y)[2] == []


@pytest.mark.parametrize("large", [1e308, -1e200])
def test_numbers_too_large_to_compute_with_are_refused_up_front(large):
    targets = np.linspace(0, 1, 60)
    targets[7] = large
    with pytest.raises(ValueError, match=r"too large to compute with, beyond 1e\+100 .* in row 7"):
        errata.audit_targets(np.linspace(0, 1, 60)[:, None], targets)
