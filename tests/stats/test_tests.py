import csv
from importlib.resources import files
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy.stats import binomtest, friedmanchisquare, norm, rankdata, wilcoxon

from errata.stats import (
    average_ranks,
    cliques,
    critical_difference,
    friedman_test,
    nemenyi_test,
    wilcoxon_holm,
)
from errata.stats._tests import _holm

# AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets: Demšar, JMLR 7 (2006), Table 6.
DEMSAR_PRINTED = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
# The paper gives the two 0.975 of "voting" the ranks 2 and 3, not 2.5 each: they were equal only
# after rounding. A fourth digit brings its ranks back.
DEMSAR = DEMSAR_PRINTED.copy()
DEMSAR[12, 2] += 0.0001

METHODS = ["Perceptron", "Random Subspace", "Bagging", "Proposed (Linear)", "Proposed (Softmax)"]
NOISE = ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]

# Few different scores, hence many ties; whole numbers, so that transformations are exact.
tables = hnp.arrays(
    float, st.tuples(st.integers(2, 9), st.integers(3, 6)), elements=st.integers(0, 9)
)


def published(name):
    with (files("errata.bench") / "published" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def walmsley(noise):
    """Accuracy of five methods on 15 data sets: Walmsley (2017), Tables 4.2.1 to 4.2.6."""
    rows = [row for row in published("walmsley_2017_accuracy") if row["noise_level"] == noise]
    cells = {(row["dataset"], row["method"]): float(row["mean"]) for row in rows}
    datasets = sorted({row["dataset"] for row in rows})
    return np.array([[cells[dataset, method] for method in METHODS] for dataset in datasets])


def walmsley_p_values():
    return {row["noise_level"]: row for row in published("walmsley_2017_friedman")}


def differing(ranks, cd):
    """Pairs of methods whose average ranks lie at least ``cd`` apart, by the last word."""
    words = [name.split()[-1].strip("()") for name in METHODS]
    pairs = combinations(range(len(ranks)), 2)
    return {frozenset([words[i], words[j]]) for i, j in pairs if abs(ranks[i] - ranks[j]) >= cd}


def random_table(seed, n=12, k=5):
    return np.random.default_rng(seed).normal(size=(n, k)) + np.linspace(0, 1, k)


# --- Friedman


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


# --- Nemenyi


@pytest.mark.parametrize(
    ("alpha", "quantiles"),
    [  # Demšar (2006), Table 5a, for 2 to 10 classifiers
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_demsar_table_5(alpha, quantiles):
    for k, q in enumerate(quantiles, start=2):
        found = critical_difference(k, 100, alpha=alpha) / np.sqrt(k * (k + 1) / 600)
        assert_allclose(found, q, rtol=0, atol=1e-3)


def test_critical_differences_of_demsars_example():
    # Demšar (2006), section 3.2.3.
    assert round(critical_difference(4, 14, alpha=0.05), 2) == 1.25
    assert round(critical_difference(4, 14, alpha=0.10), 2) == 1.12


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
        ({"n_methods": 3, "n_datasets": 9, "alpha": 2}, "alpha=2 must be a number between 0 and 1"),
    ],
)
def test_a_critical_difference_of_nonsense_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        critical_difference(**parameters)


@given(tables)
def test_nemenyi_p_values_and_critical_difference_give_the_same_verdict(scores):
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


# --- Walmsley's critical difference


def test_walmsleys_printed_formula_lacks_a_factor():
    # Walmsley (2017), section 4.1.4, prints q sqrt(k (k + 1) / N); Demšar has 6 N below.
    right = critical_difference(5, 15)
    assert_allclose(right, 1.575, rtol=0, atol=5e-4)
    assert_allclose(right * np.sqrt(6), 3.858, rtol=0, atol=5e-4)


def test_walmsleys_verdicts_follow_from_the_right_formula():
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


def test_walmsleys_groups_at_30_percent_noise():
    # The bars that figure 4.2.4 must have, best method first.
    ranks = np.sort(average_ranks(walmsley("0.3")))
    assert cliques(np.abs(ranks[:, None] - ranks) < 1.575) == [(0, 1), (1, 2), (2, 3), (3, 4)]


# --- Wilcoxon and Holm


@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_holm_agrees_with_scikit_posthocs(seed):
    posthocs = pytest.importorskip("scikit_posthocs", reason="the other implementation")
    scores = random_table(seed)
    expected = posthocs.posthoc_wilcoxon(scores.T.tolist(), p_adjust="holm").to_numpy()
    raw = posthocs.posthoc_wilcoxon(scores.T.tolist()).to_numpy()
    found = wilcoxon_holm(scores)
    assert_allclose(found.p_values, expected, rtol=1e-9, atol=0)
    assert_allclose(found.p_raw, raw, rtol=1e-9, atol=0)


@pytest.mark.parametrize(("n", "p"), [(n, 2 / 2**n) for n in (5, 6, 10, 13, 30, 50)])
def test_a_method_that_always_wins_has_the_exact_p_value(n, p):
    # Only two of the 2**n ways of giving signs are as extreme: all plus, all minus.
    better = np.arange(1.0, n + 1)
    assert_allclose(wilcoxon_holm(np.c_[better, 0 * better]).p_raw[0, 1], p, rtol=1e-12, atol=0)


def naive_signed_ranks(differences):
    """The definition: the share of all ways of giving signs that are as extreme, both sides."""
    differences = differences[differences != 0]
    ranks = rankdata(np.abs(differences))
    sums = np.array([np.dot(signs, ranks) for signs in product([0, 1], repeat=len(ranks))])
    seen = ranks[differences > 0].sum()
    return min(1, 2 * min(np.mean(sums <= seen), np.mean(sums >= seen)))


@given(hnp.arrays(float, st.integers(2, 9), elements=st.integers(-4, 4)))
def test_wilcoxon_counts_all_ways_of_giving_signs_even_with_ties(differences):
    found = wilcoxon_holm(np.c_[differences, 0 * differences]).p_raw[0, 1]
    assert_allclose(found, naive_signed_ranks(differences), rtol=1e-12, atol=0)


@pytest.mark.parametrize("n", [13, 14, 25, 26, 49, 50])
def test_wilcoxon_is_exact_up_to_fifty_pairs(n):
    differences = np.random.default_rng(n).normal(size=n) + 0.3
    found = wilcoxon_holm(np.c_[differences, 0 * differences]).p_raw[0, 1]
    assert_allclose(found, wilcoxon(differences, method="exact").pvalue, rtol=1e-9, atol=0)


@pytest.mark.parametrize(("n", "n_won"), [(13, 3), (20, 14), (33, 16), (50, 15)])
def test_wilcoxon_of_differences_all_of_one_size_is_the_sign_test(n, n_won):
    # All ranks are equal, so that their sum only counts the signs: a binomial distribution.
    differences = np.where(np.arange(n) < n_won, 2.0, -2.0)
    found = wilcoxon_holm(np.c_[differences, 0 * differences]).p_raw[0, 1]
    assert_allclose(found, binomtest(n_won, n).pvalue, rtol=1e-9, atol=0)


@pytest.mark.parametrize("n", [50, 51])
def test_exact_and_normal_p_values_meet_where_one_takes_over_from_the_other(n):
    differences = np.random.default_rng(3).normal(size=n) + 0.3
    positive = rankdata(np.abs(differences))[differences > 0].sum()
    z = (positive - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    found = wilcoxon_holm(np.c_[differences, 0 * differences]).p_raw[0, 1]
    assert_allclose(found, 2 * norm.sf(abs(z)), rtol=0.05 if n == 50 else 1e-9, atol=0)


def test_holm_by_hand():
    # Sorted .005 .01 .03 .04 times 4 3 2 1 is .02 .03 .06 .04, which may not fall: .06 at the end.
    adjusted = _holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert_allclose(adjusted, [0.03, 0.06, 0.06, 0.02], rtol=1e-12, atol=0)


@given(hnp.arrays(float, st.integers(1, 20), elements=st.floats(0, 1)))
def test_holm_never_lowers_a_p_value_nor_changes_the_order(p):
    adjusted = _holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert adjusted.min() == min(1, len(p) * p.min())


@given(tables, st.randoms(use_true_random=False))
def test_wilcoxon_holm_follows_its_methods_when_these_are_permuted(scores, random):
    order = random.sample(range(scores.shape[1]), scores.shape[1])
    found, moved = wilcoxon_holm(scores), wilcoxon_holm(scores[:, order])
    assert_allclose(moved.p_raw, found.p_raw[np.ix_(order, order)], rtol=1e-9, atol=0)
    assert_allclose(moved.p_values, found.p_values[np.ix_(order, order)], rtol=1e-9, atol=0)


@given(tables)
def test_wilcoxon_holm_is_symmetric_and_corrects_upwards(scores):
    found = wilcoxon_holm(scores, alpha=0.2)
    assert (found.p_values == found.p_values.T).all()
    assert (found.p_values >= found.p_raw).all()
    assert (np.diag(found.p_values) == 1).all()
    assert (found.significant == (found.p_values <= 0.2)).all()


@given(tables)
def test_fractions_have_the_p_values_of_percentages(scores):
    # 0.9 - 0.8 and 0.7 - 0.6 differ in floating point; 90 - 80 and 70 - 60 do not.
    fractions, percentages = wilcoxon_holm(scores / 10), wilcoxon_holm(10 * scores)
    assert_allclose(fractions.p_raw, percentages.p_raw, rtol=1e-12, atol=0)


def test_identical_methods_do_not_differ():
    column = np.arange(8.0)
    found = wilcoxon_holm(np.c_[column, column, column + 1])
    assert found.p_values[0, 1] == found.p_raw[0, 1] == 1.0
    assert wilcoxon_holm(np.ones((4, 3))).p_values.tolist() == np.ones((3, 3)).tolist()


def test_a_control_is_compared_with_each_other_method_and_nothing_else_is():
    scores = random_table(1)
    every, found = wilcoxon_holm(scores), wilcoxon_holm(scores, control=2)
    others = [0, 1, 3, 4]
    assert_allclose(found.p_raw[2, others], every.p_raw[2, others], rtol=1e-12, atol=0)
    assert_allclose(found.p_values[2, others], _holm(every.p_raw[2, others]), rtol=1e-12, atol=0)
    untested = found.p_values[np.ix_(others, others)]
    assert np.isnan(untested[~np.eye(4, dtype=bool)]).all()
    assert not found.significant[np.ix_(others, others)].any()


def test_a_control_may_be_named():
    scores = random_table(1)
    named = wilcoxon_holm(scores, control="Bagging", names=METHODS)
    assert_allclose(named.p_values, wilcoxon_holm(scores, control=2).p_values, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("control", "message"),
    [
        ("Boosting", "control='Boosting' is not a method; choose from Perceptron, Random Subspace"),
        (5, "control=5 must be a whole number between 0 and 4"),
    ],
)
def test_an_unknown_control_is_refused(control, message):
    with pytest.raises(ValueError, match=message):
        wilcoxon_holm(random_table(1), control=control, names=METHODS)


def test_rounding_error_is_no_difference():
    # To a reader 0.1 + 0.2 is 0.3; in floating point it is larger by 5.6e-17, on every data set.
    equal = np.column_stack([np.full(8, 0.3), np.full(8, 0.1 + 0.2)])
    assert wilcoxon_holm(equal).p_raw[0, 1] == 1
    ranks = friedman_test(np.column_stack([equal, np.full(8, 0.5)])).average_ranks
    np.testing.assert_array_equal(ranks, [2.5, 2.5, 1])
