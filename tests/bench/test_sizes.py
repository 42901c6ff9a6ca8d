import numpy as np
import pytest

from errata.bench.experiments._sizes import (
    collect_size_curves,
    compare_sizes,
    make_error_names,
    make_table_of_means,
    measure_errors,
    write_sizes,
)

NAN = float("nan")


def row(method, repetition, *errors, level=0.2):
    named = dict(zip(make_error_names(3), errors, strict=True))
    cell = {"dataset": "Iris", "noise_level": level, "method": method, "repetition": repetition}
    return cell | named


@pytest.fixture
def results():
    """B errs more than A with one column, less with two, and there is no third."""
    return [
        row(method, i, 30 + i + extra, 20 + i - extra, NAN)
        for i in range(12)
        for method, extra in (("A", 0), ("B", 2 + i % 3))
    ]


def test_subsets_are_judged_by_size_and_absent_ones_are_not():
    found = measure_errors({1: np.array([2]), 3: np.array([0, 1, 2])}, lambda of: float(sum(of)), 3)
    assert found["error_of_1"] == 2
    assert np.isnan(found["error_of_2"])
    assert found["error_of_3"] == 3


def test_curves_end_with_the_last_column_and_hold_shared_repetitions_only(results):
    curves = collect_size_curves(results[:-1], 3)["Iris", 0.2]
    assert {method: curve.shape for method, curve in curves.items()} == {"A": (11, 2), "B": (11, 2)}


def test_differences_are_found_in_both_directions():
    errors = np.arange(12.0)[:, None] + [30, 20, 10, 5]
    rival = errors + np.array([3, -3, 0, 9])
    assert compare_sizes(errors, rival) == ([1], [2])  # the last is never compared


def test_holm_asks_for_more_where_there_are_more_sizes():
    # Six equal signs have p = 1/32 by themselves, which is not enough for one of two sizes.
    rival = np.array([[1.0, 0.0, 0.0]] * 6)
    assert compare_sizes(np.zeros((6, 2)), rival[:, :2]) == ([1], [])
    assert compare_sizes(np.zeros((6, 3)), rival) == ([], [])


def test_one_repetition_differs_from_nothing():
    assert compare_sizes(np.ones((1, 3)), np.zeros((1, 3))) == ([], [])


def test_means_leave_out_the_size_at_which_all_are_the_same(results):
    table = make_table_of_means(collect_size_curves(results, 3), [("A", "B")])
    assert table.rows == [["Iris", "20%", "12", "35.5", "38.5", "1 / none"]]


def test_table_and_picture_are_written(results, tmp_path):
    files = write_sizes(results, tmp_path, 3, [("A", "B")])
    assert [path.name for path in files] == ["sizes.md", "sizes.png"]
    assert "| Iris | 20% | 12 | 35.5 | 38.5 | 1 / none |" in files[0].read_text(encoding="utf-8")
    assert files[1].stat().st_size > 1000
