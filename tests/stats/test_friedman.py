import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare

from errata.stats import (
    average_ranks,
    friedman_test,
)
from stats.score_tables import (
    DEMSAR,
    DEMSAR_PRINTED,
    NOISE,
    random_table,
    tables,
    walmsley,
    walmsley_p_values,
)


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
