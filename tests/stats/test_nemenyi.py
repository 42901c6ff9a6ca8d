import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from errata.stats import (
    average_ranks,
    critical_difference,
    nemenyi_test,
)
from errata.stats._diagram import find_cliques
from stats.score_tables import (
    DEMSAR,
    NOISE,
    differing,
    random_table,
    tables,
    walmsley,
)


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


def test_walmsleys_groups_at_30_percent_noise():
    # The bars that figure 4.2.4 must have, best method first.
    ranks = np.sort(average_ranks(walmsley("0.3")))
    assert find_cliques(np.abs(ranks[:, None] - ranks) < 1.575) == [(0, 1), (1, 2), (2, 3), (3, 4)]
