import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from errata._neighbors import nearest_in
from errata.bench.experiments._sizes import (
    NUMBERS,
    compute_balanced_errors,
    find_majorities,
    find_nearest_elsewhere,
    measure_chosen_neighbors_error,
)


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
