import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from errata._neighbors import nearest_in
from errata.bench._experiment import load_largest
from errata.bench._report import to_markdown
from errata.bench.experiments._noisy_selection import (
    NUMBERS,
    collect_size_curves,
    compare_sizes,
    compute_balanced_errors,
    find_majorities,
    find_nearest_elsewhere,
    make_error_names,
    make_table_of_means,
    measure_chosen_neighbors_error,
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
    assert to_markdown(table).endswith("| Iris | 20% | 12 | 35.5 | 38.5 | 1 / none |")


def test_table_and_picture_are_written(results, tmp_path):
    files = write_sizes(results, tmp_path, 3, [("A", "B")])
    assert [path.name for path in files] == ["sizes.md", "sizes.png"]
    assert "| Iris | 20% | 12 | 35.5 | 38.5 | 1 / none |" in files[0].read_text(encoding="utf-8")
    assert files[1].stat().st_size > 1000


def blobs(n, seed):
    random = np.random.RandomState(seed)
    codes = random.choice(3, n, p=[0.6, 0.3, 0.1])
    return random.normal(size=(n, 2)) + 1.5 * codes[:, None], codes


def test_the_numbers_are_those_of_the_paper():
    assert NUMBERS.tolist() == [*range(1, 11), 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50]


def test_votes_say_what_a_classifier_for_each_number_says():
    X, codes = blobs(200, 0)
    points = blobs(50, 1)[0]
    found = find_majorities(codes[nearest_in(X, points, 50)[1]], NUMBERS)
    for number, column in zip(NUMBERS, found.T, strict=True):
        model = KNeighborsClassifier(number).fit(X, codes)
        np.testing.assert_array_equal(column, model.predict(points))


def test_rows_of_the_own_fold_are_passed_over():
    X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]])
    folds = np.array([0, 0, 0, 1, 1, 1])
    found = find_nearest_elsewhere(X, folds, 2, largest=3)
    assert found.tolist() == [[3, 4], [3, 4], [3, 4], [2, 1], [2, 1], [2, 1]]


def test_classes_count_alike_however_many_rows_they_have():
    codes = np.array([0, 0, 0, 0, 1])
    predicted = np.array([[0, 0], [0, 0], [0, 0], [1, 0], [1, 0]])
    np.testing.assert_allclose(compute_balanced_errors(codes, predicted), [0.125, 0.5], rtol=1e-12)


def test_the_number_is_chosen_by_ten_folds_and_judged_on_the_test_rows():
    (X, codes), (X_test, codes_test) = blobs(150, 2), blobs(100, 3)
    folds = KFold(10, shuffle=True, random_state=5)
    errors = [
        1 - balanced_accuracy_score(codes, cross_val_predict(model, X, codes, cv=folds))
        for model in map(KNeighborsClassifier, NUMBERS)
    ]
    best = KNeighborsClassifier(NUMBERS[np.argmin(errors)]).fit(X, codes)
    expected = 100 * (1 - balanced_accuracy_score(codes_test, best.predict(X_test)))
    found = measure_chosen_neighbors_error(X, codes, X_test, codes_test, seed=5)
    assert found == pytest.approx(expected, rel=1e-12)


def test_no_more_neighbours_are_asked_for_than_a_fold_has():
    X, codes = blobs(12, 4)
    assert 0 <= measure_chosen_neighbors_error(X, codes, X, codes, seed=0) <= 100


@pytest.fixture
def folder(tmp_path):
    rows = [(i, 7, i % 3, "a") for i in range(5)] + [(9, 7, 1, "b")] * 4 + [(1, 8, 1, "c")] * 2
    lines = ["x,nearly_constant,z,label", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "small.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_small_classes_go_and_then_the_columns_that_no_longer_vary(folder):
    X, y = load_largest("small", folder, 2)
    assert sorted(set(y)) == ["a", "b"]
    assert X.shape == (9, 2)
    np.testing.assert_array_equal(X[:5, 0], range(5))


def test_all_classes_stay_when_no_number_is_told(folder):
    X, y = load_largest("small", folder)
    assert X.shape == (11, 3)
    assert len(set(y)) == 3
