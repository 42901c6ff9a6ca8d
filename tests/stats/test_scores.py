import numpy as np
import pytest

from errata._validation import check_significance
from errata.stats import average_ranks, friedman_test, plot_critical_difference, wilcoxon_holm
from errata.stats._ranks import get_method_names

GOOD = [[0.9, 0.8, 0.7], [0.6, 0.7, 0.5], [0.8, 0.9, 0.4]]


def with_cell(row, column, value):
    table = np.array(GOOD)
    table[row, column] = value
    return table


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_missing_or_infinite_score_is_named_by_its_cell(value):
    with pytest.raises(ValueError, match=r"1 missing .* the first in row 2, column 1;"):
        friedman_test(with_cell(2, 1, value))


def test_a_missing_score_in_a_dataframe_is_named_by_its_column():
    pandas = pytest.importorskip("pandas", reason="the dataframe under test")
    frame = pandas.DataFrame(with_cell(1, 0, np.nan), columns=["bagging", "boosting", "tree"])
    with pytest.raises(ValueError, match=r"row 1, column 0 \(bagging\)"):
        average_ranks(frame)


@pytest.mark.parametrize("scores", [[1, 2, 3], 5, np.zeros((2, 3, 4))])
def test_scores_that_are_no_table_are_refused(scores):
    with pytest.raises(ValueError, match="one row per data set and one column per method"):
        average_ranks(scores)


def test_a_column_of_data_set_names_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match="numbers only; if a column names the data sets, drop it"):
        average_ranks([["pima", 0.9, 0.8], ["wdbc", 0.7, 0.6]])


def test_one_data_set_is_too_few_for_a_test():
    with pytest.raises(ValueError, match=r"1 data sets \(rows\); at least 2 are needed"):
        friedman_test(GOOD[:1])


def test_one_method_is_too_few_for_a_comparison():
    with pytest.raises(ValueError, match=r"1 methods \(columns\); at least 2 are needed"):
        wilcoxon_holm([[1], [2]])


def test_two_methods_are_sent_from_friedman_to_wilcoxon():
    with pytest.raises(ValueError, match="2; compare two methods with wilcoxon_holm"):
        friedman_test([[1, 2], [2, 1]])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_dataframes_give_the_numbers_and_the_names(library):
    frames = pytest.importorskip(library, reason="the dataframe under test")
    table = np.array(GOOD)
    frame = frames.DataFrame({"bagging": table[:, 0], "tree": table[:, 1], "elm": table[:, 2]})
    assert average_ranks(frame).tolist() == average_ranks(GOOD).tolist()
    assert get_method_names(frame, None, 3) == ["bagging", "tree", "elm"]


def test_given_names_go_before_those_of_the_columns():
    pandas = pytest.importorskip("pandas", reason="the dataframe under test")
    assert get_method_names(pandas.DataFrame(GOOD), ["a", "b", "c"], 3) == ["a", "b", "c"]


def test_methods_without_names_are_numbered():
    assert get_method_names(GOOD, None, 3) == ["method 0", "method 1", "method 2"]


@pytest.mark.parametrize("names", [["a", "b"], ["a", "b", "b"]])
def test_too_few_or_repeated_names_are_refused(names):
    with pytest.raises(ValueError, match="3 different names, one per method, but it is"):
        plot_critical_difference(GOOD, names=names)


@pytest.mark.parametrize("significance", [0, 1.0])
def test_a_level_that_decides_beforehand_is_refused(significance):
    with pytest.raises(ValueError, match="decides everything beforehand"):
        check_significance("significance", significance)


@pytest.mark.parametrize("significance", [-0.1, 5, "0.05", None])
def test_a_level_outside_0_and_1_is_refused(significance):
    with pytest.raises(ValueError, match=r"significance=.* must be a number between 0 and 1"):
        check_significance("significance", significance)
