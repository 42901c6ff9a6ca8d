import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import errata
from auditing.target_cases import friedman, swapped
from errata.auditing.numbers import write_numbers
from errata.auditing.numbers._audit import find_hints, find_target_leaks, undo_slips
from errata.auditing.numbers._inputs import Digits, few_values
from errata.auditing.numbers._result import SLIPS


def test_distinct_numbers_are_counted_only_until_there_are_many(monkeypatch):
    monkeypatch.setattr("errata.auditing.numbers._inputs.CACHED", 100)
    ratings = np.repeat([5.0, 1.0, 3.0, 2.0], 300)
    assert few_values(ratings, 4).tolist() == [1, 2, 3, 5]
    assert few_values(ratings, 3) is None
    seen = []
    union = np.union1d

    def note(known, block):
        seen.append(len(block))
        return union(known, block)

    monkeypatch.setattr(np, "union1d", note)
    assert few_values(np.arange(1_000.0), 30) is None
    assert seen == [100]


@pytest.mark.parametrize(
    ("targets", "decimals"),
    [([1.25, 3.5, 2.0], 2), ([1, 2, 30], 0), ([1200, 3400], -2), ([1 / 3, 2 / 3], None)],
)
def test_suggestions_have_the_digits_of_the_column(targets, decimals):
    assert Digits(np.array(targets, dtype=float)).decimals == decimals


def test_one_odd_number_does_not_change_how_numbers_are_written():
    targets = np.r_[np.arange(1.0, 100.0), 3.14159]
    assert Digits(targets).decimals == 0


def test_no_sign_is_suggested_that_the_column_never_has():
    targets = np.array([0.5, 2.0, 9.5])
    assert Digits(targets).write(np.array([-3.0]))[0] == 0.5
    assert Digits(targets - 0.5).write(np.array([-3.0]))[0] == 0.0
    assert Digits(targets - 5).write(np.array([-7.0]))[0] == -7.0


def test_bounds_have_a_digit_more():
    np.testing.assert_allclose(Digits(np.array([1.5, 2.0])).finer(np.array([1.2345])), 1.23)


TENTHS = Digits(np.array([0.0, 0.5]))


def changed(cells, row, value, digits=TENTHS):
    mask = np.arange(len(cells)) == row
    return write_numbers(cells, mask, np.where(mask, value, 0.0), digits)


def test_cells_that_stay_are_what_they_were():
    assert changed(["4.00", "7", "x"], 1, 5.25) == ["4.00", "5.2", "x"]


def test_decimal_commas_and_units_are_kept():
    assert changed(["12,5 kg", "130 kg"], 1, 13.04) == ["12,5 kg", "13,0 kg"]
    assert changed(["$1,200.5", "$90"], 1, 950.0) == ["$1,200.5", "$950.0"]


def test_numbers_stay_numbers_and_whole_ones_whole():
    assert changed([3, 40], 1, 4.0) == [3, 4]
    assert isinstance(changed([3, 40], 1, 4.0)[1], int)
    assert changed([3.5, 40.5], 1, 4.0) == [3.5, 4.0]


def test_nothing_empties_a_cell_and_gaps_stay_gaps():
    assert changed(["4.5", "7"], 1, np.nan) == ["4.5", None]
    assert changed([4.5, float("nan")], 0, 5.0) == [5.0, None]


def test_what_people_typed_keeps_its_digits():
    mask, digits = np.array([True, True]), Digits(np.array([0.0, 1.0]))
    both = write_numbers(["12 kg", "13 kg"], mask, np.array([12.25, 13.25]), digits, ~mask ^ [1, 0])
    assert both == ["12.25 kg", "13 kg"]


RANDOM = np.random.default_rng(0)


Y = RANDOM.normal(size=200)


def found(trust=(), **columns):
    pd = pytest.importorskip("pandas", reason="the tables extra is not installed")
    table = pd.DataFrame(columns)
    return find_target_leaks(table, Y, list(columns), trust)


def test_a_column_made_from_the_target_is_named():
    leaks, [note] = found(size=RANDOM.normal(size=200), cents=np.round(100 * Y), log=np.exp(-Y))
    assert leaks == ["cents", "log"]
    assert "By 'cents', 'log' the rows" in note
    assert "so they were left out" in note
    assert "trust=['cents', 'log']" in note


def test_a_column_that_merely_tells_much_is_not():
    assert found(near=Y + 0.1 * RANDOM.normal(size=200), word=["a", "b"] * 100) == ([], [])


def test_a_trusted_column_is_kept():
    leaks, [note] = found(["log"], size=Y**2, cents=np.round(100 * Y), log=np.exp(-Y))
    assert leaks == ["cents"]
    assert "so it was left out" in note
    with pytest.raises(ValueError, match="there is no column 'lgo' to trust; did you mean 'log'"):
        found(["lgo"], log=np.exp(-Y))


def test_the_only_column_is_kept_with_a_note():
    leaks, [note] = found(cents=np.round(100 * Y))
    assert leaks == []
    assert "no other column is there" in note


SEEN = []


class Remembering(LinearRegression):
    """Tells which columns it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        SEEN.append(list(X.columns))
        return super().fit(X, y, sample_weight)


def leaking():
    X, y = friedman(200, noise=0.5)
    y, wrong = swapped(y, 12)
    pd = pytest.importorskip("pandas", reason="the tables extra is not installed")
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return table.assign(cents=np.round(100 * y)), y, wrong


def test_errors_are_found_in_spite_of_a_copy_of_the_target():
    table, y, wrong = leaking()
    SEEN.clear()
    audit = errata.audit_targets(
        table, y, estimator=Remembering(), self_check=False, random_state=0
    )
    without = errata.audit_targets(
        table.drop(columns="cents"),
        y,
        estimator=LinearRegression(),
        self_check=False,
        random_state=0,
    )
    np.testing.assert_allclose(audit.p_wrong, without.p_wrong, rtol=0, atol=1e-9)
    assert audit.flagged[wrong].mean() > 0.5
    assert any("'cents'" in note for note in audit.notes)
    assert all("cents" not in columns for columns in SEEN)


def test_what_a_trusted_copy_says_cannot_be_contradicted():
    table, y, _ = leaking()
    audit = errata.audit_targets(table, y, trust=["cents"], self_check=False, random_state=0)
    assert not any("'cents'" in note for note in audit.notes)
    assert not audit.flagged.any()


TRUE = np.array([19.0, 20.0, 21.5])
MAKE = {
    "sign": lambda y: -y,
    "x10": lambda y: 10 * y,
    "/10": lambda y: y / 10,
    "x100": lambda y: 100 * y,
    "/100": lambda y: y / 100,
    "x1000": lambda y: 1000 * y,
    "/1000": lambda y: y / 1000,
    "x2.54": lambda y: 2.54 * y,
    "/2.54": lambda y: y / 2.54,
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named_and_undone(slip):
    wrong = MAKE[slip](TRUE)
    hints = find_hints(wrong, TRUE - 1, TRUE + 1)
    assert hints.tolist() == [slip] * 3
    np.testing.assert_allclose(undo_slips(wrong, hints), TRUE, rtol=1e-12)


def test_nothing_is_named_where_no_slip_leads_to_what_is_expected():
    assert find_hints(np.array([70.0]), np.array([18.0]), np.array([22.0])).tolist() == [""]


def test_an_interval_so_wide_that_anything_fits_names_nothing():
    assert find_hints(np.array([50.0]), np.array([-60.0]), np.array([40.0])).tolist() == [""]


def test_the_simplest_slip_is_named_and_none_that_ends_outside_of_the_interval():
    target, low, high = np.array([7.1]), np.array([1.145]), np.array([3.36])
    assert find_hints(target, low, high).tolist() == [""]  # 0.71 is less than expected
    # Ten times 2.0 is as expected, and so would 20.32 be, of inches for centimetres twice over.
    assert find_hints(np.array([2.0]), np.array([19.0]), np.array([21.0])).tolist() == ["/10"]


def test_positive_numbers_are_compared_by_ratio():
    low, high = np.array([20_909.0]), np.array([50_400.0])
    assert find_hints(np.array([360.0]), low, high).tolist() == ["/100"]
    assert find_hints(np.array([69.0]), np.array([5.0]), np.array([32.0])).tolist() == [""]


@pytest.mark.parametrize(
    ("slip", "factor", "widths", "named"),
    [
        ("x10", 10, 1.9, False),
        ("x10", 10, 2.1, True),
        ("x10", 10, 2.9, True),
        ("x2.54", 2.54, 2.1, False),
        ("x2.54", 2.54, 2.9, False),
        ("x2.54", 2.54, 3.1, True),
    ],
)
def test_a_slip_leads_twice_as_far_as_the_interval_is_wide_a_unit_three_times(
    slip, factor, widths, named
):
    half = factor ** (0.5 / widths)  # of the interval, as a ratio
    hints = find_hints(np.array([20.0 * factor]), np.array([20 / half]), np.array([20 * half]))
    assert hints.tolist() == [slip if named else ""]
