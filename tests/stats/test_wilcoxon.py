from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy.stats import binomtest, norm, rankdata, wilcoxon

from errata.stats import friedman_test, wilcoxon_holm
from stats.score_tables import METHODS, random_table, tables


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
    """The definition: the fraction of all ways of giving signs that are as extreme, both sides."""
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


def naive_holm(p):
    """The definition: the j-th smallest of m times m + 1 - j, at most 1, and never falling."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    largest = 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = largest
    return adjusted


def test_holm_by_hand():
    # Sorted .005 .01 .03 .04 times 4 3 2 1 is .02 .03 .06 .04, which may not fall: .06 at the end.
    adjusted = naive_holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert_allclose(adjusted, [0.03, 0.06, 0.06, 0.02], rtol=1e-12, atol=0)


@given(tables)
def test_p_values_are_corrected_by_holm(scores):
    found = wilcoxon_holm(scores)
    pairs = np.triu_indices(scores.shape[1], 1)
    assert_allclose(found.p_values[pairs], naive_holm(found.p_raw[pairs]), rtol=1e-12, atol=0)


@given(tables, st.randoms(use_true_random=False))
def test_wilcoxon_holm_follows_its_methods_when_these_are_permuted(scores, random):
    order = random.sample(range(scores.shape[1]), scores.shape[1])
    found, moved = wilcoxon_holm(scores), wilcoxon_holm(scores[:, order])
    assert_allclose(moved.p_raw, found.p_raw[np.ix_(order, order)], rtol=1e-9, atol=0)
    assert_allclose(moved.p_values, found.p_values[np.ix_(order, order)], rtol=1e-9, atol=0)


@given(tables)
def test_wilcoxon_holm_is_symmetric_and_corrects_upwards(scores):
    found = wilcoxon_holm(scores, significance=0.2)
    assert (found.p_values == found.p_values.T).all()
    assert (found.p_values >= found.p_raw).all()
    assert (np.diag(found.p_values) == 1).all()
    assert (found.significant == (found.p_values <= 0.2)).all()


@given(tables)
def test_fractions_have_the_p_values_of_percentages(scores):
    # 0.9 - 0.8 and 0.7 - 0.6 differ in floating point; 90 - 80 and 70 - 60 do not.
    fractions, percentages = wilcoxon_holm(scores / 10), wilcoxon_holm(10 * scores)
    assert_allclose(fractions.p_raw, percentages.p_raw, rtol=1e-12, atol=0)


def test_a_pair_is_significant_up_to_the_level():
    # Five wins in five have p = 2 / 2**5 exactly, whatever their sizes.
    scores = np.c_[np.arange(1.0, 6), np.zeros(5)]
    for level, expected in [(0.05, False), (0.0625, True), (0.1, True)]:
        assert wilcoxon_holm(scores, significance=level).significant[0, 1] == expected


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
    assert_allclose(
        found.p_values[2, others], naive_holm(every.p_raw[2, others]), rtol=1e-12, atol=0
    )
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


def test_rounding_error_is_not_a_difference():
    # To a reader 0.1 + 0.2 is 0.3; in floating point it is larger by 5.6e-17, on every data set.
    equal = np.column_stack([np.full(8, 0.3), np.full(8, 0.1 + 0.2)])
    assert wilcoxon_holm(equal).p_raw[0, 1] == 1
    ranks = friedman_test(np.column_stack([equal, np.full(8, 0.5)])).average_ranks
    np.testing.assert_array_equal(ranks, [2.5, 2.5, 1])
