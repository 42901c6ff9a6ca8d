import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare

from errata.stats import (
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi_test,
    plot_critical_difference,
    wilcoxon_holm,
)
from stats.score_tables import (
    DEMSAR,
    DEMSAR_PRINTED,
    NOISE,
    differing,
    random_table,
    tables,
    walmsley,
    walmsley_p_values,
)

# Few different scores, hence many ties; whole numbers, so that transformations are exact.
tied_tables = hnp.arrays(
    float, st.tuples(st.integers(1, 8), st.integers(2, 6)), elements=st.integers(-5, 5)
)


def naive_average_ranks(scores):
    """The definition: one plus those ahead, plus half of those level."""
    ahead = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    level = (scores[:, None, :] == scores[:, :, None]).sum(axis=2) - 1
    return (1 + ahead + level / 2).mean(axis=0)


def test_ranks_by_hand():
    # First row: 1, 3, 2. Second row: the best two share ranks 1 and 2.
    assert average_ranks([[0.9, 0.8, 0.85], [0.7, 0.6, 0.7]]).tolist() == [1.25, 3.0, 1.75]


@given(tied_tables)
def test_average_ranks_follow_their_definition(scores):
    np.testing.assert_allclose(
        average_ranks(scores), naive_average_ranks(scores), rtol=0, atol=1e-12
    )


@given(tied_tables)
def test_average_ranks_sum_to_what_is_to_be_shared(scores):
    k = scores.shape[1]
    np.testing.assert_allclose(average_ranks(scores).sum(), k * (k + 1) / 2, rtol=1e-12, atol=0)


@given(tied_tables, st.randoms(use_true_random=False))
def test_average_ranks_follow_their_methods_when_these_are_permuted(scores, random):
    order = random.sample(range(scores.shape[1]), scores.shape[1])
    assert average_ranks(scores[:, order]).tolist() == average_ranks(scores)[order].tolist()


@given(tied_tables)
def test_increasing_transformations_of_the_scores_change_nothing(scores):
    assert average_ranks(np.arctan(scores)).tolist() == average_ranks(scores).tolist()
    assert average_ranks(scores**3 + scores).tolist() == average_ranks(scores).tolist()


@given(tied_tables)
def test_lower_is_better_equals_higher_is_better_of_the_negative(scores):
    lower = average_ranks(scores, higher_is_better=False)
    assert lower.tolist() == average_ranks(-scores).tolist()


def test_demsar_table_6_gives_his_ranks_and_statistics():
    result = friedman_test(DEMSAR, correct_ties=False)
    # Demšar (2006), Table 6 and section 3.2.3: printed digits.
    assert_allclose(result.average_ranks, [3.143, 2.000, 2.893, 1.964], rtol=0, atol=5e-4)
    assert_allclose(result.statistic, 9.28, rtol=0, atol=5e-3)
    assert_allclose(result.f_statistic, 3.69, rtol=0, atol=5e-3)
    assert (result.n_datasets, result.n_methods) == (14, 4)


def test_demsar_table_6_corrected_for_ties_has_a_larger_statistic():
    # Ties of sizes 2, 2, 4, 2: the uncorrected chi-square divided by 1 - (6+6+60+6) / (14 * 60).
    plain, corrected = friedman_test(DEMSAR, correct_ties=False), friedman_test(DEMSAR)
    assert_allclose(corrected.statistic, plain.statistic / (1 - 78 / 840), rtol=1e-12, atol=0)
    assert_allclose(corrected.statistic, friedmanchisquare(*DEMSAR.T)[0], rtol=1e-12, atol=0)


def test_demsar_table_6_as_rounded_in_print_gives_other_ranks():
    # With both 0.975 tied the ranks of C4.5+cf and C4.5+m+cf move by 0.5 / 14.
    ranks = average_ranks(DEMSAR_PRINTED)
    assert_allclose(ranks, [3.143, 2.000, 2.929, 1.929], rtol=0, atol=5e-4)


@pytest.mark.parametrize("noise", NOISE)
def test_walmsley_friedman_p_values_come_out_as_printed(noise):
    row = walmsley_p_values()[noise]
    printed = row["p_value_published"]
    if noise == "0.4":  # the digits agree, the exponent does not: a slip of the paper
        assert printed == "1.7848e-11"
        printed = "1.7848e-10"
    found = friedman_test(walmsley(noise))
    digits = ".4f" if "e" not in printed else ".4e"
    assert float(format(found.p_value, digits)) == float(printed)
    assert (found.p_value < 0.05) == (row["reject_at_0.05_published"] == "yes")
    assert_allclose(found.f_statistic, float(row["iman_davenport_F_recomputed"]), rtol=0, atol=5e-5)


@given(tables)
def test_friedman_agrees_with_scipy_unless_all_is_tied(scores):
    found = friedman_test(scores)
    if (np.ptp(scores, axis=1) == 0).all():
        assert (found.statistic, found.p_value, found.f_statistic, found.f_p_value) == (0, 1, 0, 1)
    else:
        expected = friedmanchisquare(*scores.T)
        assert_allclose(found.statistic, expected.statistic, rtol=1e-9, atol=1e-9)
        assert_allclose(found.p_value, expected.pvalue, rtol=1e-7, atol=1e-12)


def test_f_is_the_analysis_of_variance_of_the_ranks():
    # Iman and Davenport (1980): the two-way analysis of variance carried out on the ranks.
    scores = random_table(0).round(1)
    ranks = np.array([average_ranks([row]) for row in scores])
    n, k = ranks.shape
    methods = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    residual = ((ranks - (k + 1) / 2) ** 2).sum() - methods
    expected = (methods / (k - 1)) / (residual / ((n - 1) * (k - 1)))
    assert_allclose(friedman_test(scores).f_statistic, expected, rtol=1e-10, atol=0)


@pytest.mark.parametrize("shape", [(2, 3), (7, 3), (15, 11)])
def test_perfect_agreement_makes_f_infinite(shape):
    n, k = shape
    result = friedman_test(np.tile(np.arange(k) / 10, (n, 1)))
    assert (result.f_statistic, result.f_p_value) == (np.inf, 0.0)
    assert_allclose(result.statistic, n * (k - 1), rtol=1e-12, atol=0)


@pytest.mark.parametrize("correct_ties", [True, False])
def test_scores_all_tied_show_no_difference(correct_ties):
    result = friedman_test(np.ones((4, 3)), correct_ties=correct_ties)
    assert (result.statistic, result.p_value, result.f_p_value) == (0.0, 1.0, 1.0)
    assert result.average_ranks.tolist() == [2.0, 2.0, 2.0]


@given(tables, st.randoms(use_true_random=False))
def test_friedman_is_blind_to_the_order_of_methods_and_to_increasing_transformations(
    scores, random
):
    order = random.sample(range(scores.shape[1]), scores.shape[1])
    found, moved = friedman_test(scores), friedman_test(scores[:, order])
    bent = friedman_test(scores**3 + scores)
    assert moved.average_ranks.tolist() == found.average_ranks[order].tolist()
    assert moved[:4] == pytest.approx(found[:4], rel=1e-12, abs=1e-12)
    assert bent[:4] == found[:4]


@given(tables)
def test_losses_are_accuracies_turned_around(scores):
    losses, negative = friedman_test(scores, higher_is_better=False), friedman_test(-scores)
    assert losses[:4] == negative[:4]
    assert losses.average_ranks.tolist() == negative.average_ranks.tolist()


@pytest.mark.parametrize(
    ("significance", "quantiles"),
    [  # Demšar (2006), Table 5a, for 2 to 10 classifiers
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_demsar_table_5(significance, quantiles):
    for k, q in enumerate(quantiles, start=2):
        found = critical_difference(k, 100, significance=significance) / np.sqrt(k * (k + 1) / 600)
        assert_allclose(found, q, rtol=0, atol=1e-3)


def test_critical_differences_of_demsars_example():
    # Demšar (2006), section 3.2.3.
    assert round(critical_difference(4, 14, significance=0.05), 2) == 1.25
    assert round(critical_difference(4, 14, significance=0.10), 2) == 1.12


def test_demsars_example_differs_at_010_but_not_at_005():
    # Demšar (2006), section 3.2.3: at 0.10, C4.5 is worse than C4.5+m and C4.5+m+cf; at 0.05 the
    # test cannot tell them apart.
    p = nemenyi_test(DEMSAR)
    assert np.argwhere(np.triu(p <= 0.10)).tolist() == [[0, 1], [0, 3]]
    assert not (p <= 0.05).any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_methods": 1, "n_datasets": 10}, "n_methods=1 must be a whole number at least 2"),
        ({"n_methods": 3, "n_datasets": 1}, "n_datasets=1 must be a whole number at least 2"),
        (
            {"n_methods": 3, "n_datasets": 9, "significance": 2},
            "significance=2 must be a number between 0 and 1",
        ),
    ],
)
def test_a_critical_difference_of_nonsense_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        critical_difference(**parameters)


@given(tables)
def test_nemenyi_p_values_and_critical_difference_agree(scores):
    n, k = scores.shape
    ranks = average_ranks(scores)
    apart = np.abs(ranks[:, None] - ranks) >= critical_difference(k, n)
    assert ((nemenyi_test(scores) <= 0.05) == apart).all()


@pytest.mark.parametrize("seed", range(3))
def test_nemenyi_agrees_with_scikit_posthocs(seed):
    posthocs = pytest.importorskip("scikit_posthocs", reason="the other implementation")
    scores = random_table(seed)
    expected = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    assert_allclose(nemenyi_test(scores), expected, rtol=1e-6, atol=1e-9)


def test_nemenyi_p_values_are_finite_when_hundreds_of_data_sets_agree():
    p = nemenyi_test(np.tile(np.arange(5.0), (400, 1)))
    assert ((p >= 0) & (p <= 1)).all()
    assert np.diag(p).tolist() == [1.0] * 5


def test_walmsleys_printed_formula_lacks_a_factor():
    # Walmsley (2017), section 4.1.4, prints q sqrt(k (k + 1) / N); Demšar has 6 N below.
    right = critical_difference(5, 15)
    assert_allclose(right, 1.575, rtol=0, atol=5e-4)
    assert_allclose(right * np.sqrt(6), 3.858, rtol=0, atol=5e-4)


def test_walmsleys_conclusions_follow_from_the_right_formula():
    # Walmsley (2017), sections 4.2.1 to 4.2.3 and 5.
    verdicts = {noise: differing(average_ranks(walmsley(noise)), 1.575) for noise in NOISE}
    for ensemble in ("Bagging", "Linear", "Softmax"):
        assert {ensemble, "Perceptron"} in verdicts["0.0"]
    for noise in ("0.1", "0.2"):
        assert {"Bagging", "Linear"} not in verdicts[noise]
    for noise in ("0.3", "0.4"):
        assert {"Bagging", "Linear"} in verdicts[noise]
    for noise in NOISE:
        assert {"Bagging", "Softmax"} not in verdicts[noise]
        assert {"Linear", "Softmax"} not in verdicts[noise]
    assert verdicts["0.5"] == set()


def test_by_walmsleys_printed_formula_no_two_methods_would_differ_at_any_noise():
    widest = {noise: np.ptp(average_ranks(walmsley(noise))) for noise in NOISE}
    assert max(widest, key=widest.get) == "0.3"
    assert_allclose(widest["0.3"], 3.733, rtol=0, atol=5e-4)
    assert max(widest.values()) < 3.858


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
    named = wilcoxon_holm(frame, control="tree")
    assert_allclose(named.p_values, wilcoxon_holm(GOOD, control=1).p_values, rtol=0, atol=0)


def test_given_names_go_before_those_of_the_columns():
    pandas = pytest.importorskip("pandas", reason="the dataframe under test")
    named = wilcoxon_holm(pandas.DataFrame(GOOD), control="c", names=["a", "b", "c"])
    assert_allclose(named.p_values, wilcoxon_holm(GOOD, control=2).p_values, rtol=0, atol=0)


def test_methods_without_names_are_numbered():
    named = wilcoxon_holm(GOOD, control="method 1")
    assert_allclose(named.p_values, wilcoxon_holm(GOOD, control=1).p_values, rtol=0, atol=0)


@pytest.mark.parametrize("names", [["a", "b"], ["a", "b", "b"]])
def test_too_few_or_repeated_names_are_refused(names):
    with pytest.raises(ValueError, match="3 different names, one per method, but it is"):
        plot_critical_difference(GOOD, names=names)


@pytest.mark.parametrize("significance", [0, 1.0])
def test_a_level_that_decides_beforehand_is_refused(significance):
    with pytest.raises(ValueError, match="decides everything beforehand"):
        critical_difference(3, 10, significance=significance)


@pytest.mark.parametrize("significance", [-0.1, 5, "0.05", None])
def test_a_level_outside_0_and_1_is_refused(significance):
    with pytest.raises(ValueError, match=r"significance=.* must be a number between 0 and 1"):
        critical_difference(3, 10, significance=significance)
