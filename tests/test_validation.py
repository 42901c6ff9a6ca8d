import numpy as np
import pytest

from errata._validation import check_choice, check_count, check_fraction, check_labels


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([3, 1, 3], [1, 3], [1, 0, 1]),
        ([True, False], [False, True], [1, 0]),
        ([1.0, 0.0], [0.0, 1.0], [1, 0]),
        ([["x"], ["y"]], ["x", "y"], [0, 1]),
    ],
)
def test_labels_of_every_kind_are_encoded_in_sorted_order(y, classes, codes):
    found, encoded = check_labels(y)
    assert found.tolist() == classes
    assert encoded.tolist() == codes


@pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT")])
def test_missing_labels_are_counted_and_located(missing):
    y = np.array(["a", missing, "b", missing], dtype=object)
    with pytest.raises(ValueError, match=r"2 rows without a label \(the first is row 1\)"):
        check_labels(y)


def test_the_missing_value_of_pandas_counts_as_missing():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    series = pandas.Series(["a", None, "b"], dtype="string")
    with pytest.raises(ValueError, match="1 row without a label"):
        check_labels(series)


def test_too_few_classes_are_named():
    with pytest.raises(ValueError, match=r"species holds one class only \(a\)"):
        check_labels(["a", "a"], name="species", min_classes=2)


@pytest.mark.parametrize("value", [True, 1.5, "3", None, 0, 11])
def test_counts_are_whole_numbers_in_range(value):
    with pytest.raises(ValueError, match="must be a whole number between 1 and 10"):
        check_count("n", value, high=10)
    assert check_count("n", np.int32(3), high=10) == 3


@pytest.mark.parametrize("value", [True, "0.5", None, -0.1, 1.1, float("nan")])
def test_fractions_are_numbers_in_range(value):
    with pytest.raises(ValueError, match="must be a number between 0 and 1"):
        check_fraction("rate", value)
    assert check_fraction("rate", np.float32(0.5)) == 0.5


def test_choices_are_listed():
    with pytest.raises(ValueError, match="mode='c' is not known; choose from a, b"):
        check_choice("mode", "c", ("a", "b"))
