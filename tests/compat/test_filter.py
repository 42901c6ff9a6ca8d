"""The rows that cleanlab flags, by its rules; errata's own by default."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import f1_score

from errata.compat.cleanlab.count import compute_confident_joint
from errata.compat.cleanlab.filter import RULES, find_label_issues, find_predicted_neq_given

SETTINGS = [
    {"frac_noise": 0.5},
    {"frac_noise": 0.7, "min_examples_per_class": 10},
    {"min_examples_per_class": 0},
    {"min_examples_per_class": 20},
    {"min_examples_per_class": 50},
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.filterwarnings("ignore::UserWarning:cleanlab")
def test_the_rows_are_those_of_cleanlab(case, rule):
    theirs = pytest.importorskip("cleanlab.filter", reason="cleanlab is not installed")
    labels, pred_probs = case
    prunes = rule in RULES[:3]
    # Where remainders tie, rounding is left to the sort: both get the same counts.
    joint = compute_confident_joint(labels, pred_probs) if prunes else None
    for settings in [{}, *SETTINGS] if prunes else [{}]:
        settings = {"filter_by": rule, "confident_joint": joint, **settings}
        ours = find_label_issues(labels, pred_probs, method="confident_learning", **settings)
        expected = theirs.find_label_issues(labels, pred_probs, n_jobs=1, **settings)
        assert ours.dtype == expected.dtype
        assert_array_equal(ours, expected, err_msg=str(settings))


@pytest.mark.parametrize("score", ["self_confidence", "normalized_margin"])
def test_the_order_is_that_of_cleanlab(case, score):
    theirs = pytest.importorskip("cleanlab.filter", reason="cleanlab is not installed")
    labels, pred_probs = case
    joint = compute_confident_joint(labels, pred_probs)
    settings = {"return_indices_ranked_by": score, "confident_joint": joint}
    ours = find_label_issues(labels, pred_probs, method="confident_learning", **settings)
    expected = theirs.find_label_issues(labels, pred_probs, n_jobs=1, **settings)
    assert ours.dtype == expected.dtype
    assert_array_equal(ours, expected)


def test_so_many_rows_of_each_label_are_those_of_cleanlab(case):
    theirs = pytest.importorskip("cleanlab.filter", reason="cleanlab is not installed")
    labels, pred_probs = case
    settings = {
        "filter_by": "prune_by_class",
        "num_to_remove_per_class": list(range(1, pred_probs.shape[1] + 1)),
    }
    ours = find_label_issues(labels, pred_probs, method="confident_learning", **settings)
    assert_array_equal(ours, theirs.find_label_issues(labels, pred_probs, n_jobs=1, **settings))


def test_the_rules_find_what_their_formulas_say():
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    p = np.array([0.9, 0.8, 0.3, 0.05, 0.1, 0.2, 0.4, 0.9])
    pred_probs = np.column_stack([p, 1 - p])

    def flagged(rule):
        mask = find_label_issues(labels, pred_probs, filter_by=rule, method="confident_learning")
        return np.flatnonzero(mask).tolist()

    assert flagged("predicted_neq_given") == [2, 3, 7]
    # Thresholds are 0.5125 and 0.6: of the other class are rows 2 (0.7), 3 (0.95) and 7 (0.9).
    assert flagged("confident_learning") == [2, 3, 7]
    assert flagged("prune_by_class") == [2, 3, 7]
    assert flagged("prune_by_noise_rate") == [2, 3, 7]


@pytest.mark.parametrize("rule", RULES[:3])
def test_a_label_that_no_class_exceeds_is_never_flagged(rule):
    labels = np.repeat([0, 1], 4)
    p = np.array([0.9, 0.8, 0.5, 0.2, 0.1, 0.2, 0.3, 0.4])
    flagged = find_label_issues(
        labels,
        np.column_stack([p, 1 - p]),
        filter_by=rule,
        confident_joint=[[1, 3], [0, 4]],  # says that three of the first four are wrong
        method="confident_learning",
    )
    assert np.flatnonzero(flagged).tolist() == [3]


def test_errata_answers_by_default(planted):
    labels, pred_probs, flipped = planted
    ours = find_label_issues(labels, pred_probs)
    theirs = find_label_issues(labels, pred_probs, method="confident_learning")
    assert f1_score(flipped, ours) > 0.85
    assert f1_score(flipped, ours) > f1_score(flipped, theirs) + 0.05


def test_indices_are_the_mask_the_worst_first(planted):
    labels, pred_probs, flipped = planted
    mask = find_label_issues(labels, pred_probs)
    rows = find_label_issues(labels, pred_probs, return_indices_ranked_by="normalized_margin")
    assert_array_equal(np.sort(rows), np.flatnonzero(mask))
    assert flipped[rows[:50]].mean() > flipped[rows[-50:]].mean()


def test_a_fraction_is_the_first_of_the_ranked(planted):
    labels, pred_probs, _ = planted
    ranked = {"return_indices_ranked_by": "self_confidence"}
    rows = find_label_issues(labels, pred_probs, **ranked)
    half = find_label_issues(labels, pred_probs, frac_noise=0.5, **ranked)
    assert_array_equal(half, rows[: -(-len(rows) // 2)])


def test_so_many_of_each_label_are_flagged_and_so_many_left(planted):
    labels, pred_probs, _ = planted
    mask = find_label_issues(labels, pred_probs, num_to_remove_per_class=range(10))
    assert np.bincount(labels[mask], minlength=10).tolist() == list(range(10))
    least = np.bincount(labels) - 3
    mask = find_label_issues(labels, pred_probs, min_examples_per_class=int(least.max()))
    assert np.bincount(labels[mask], minlength=10).max() <= 3


def test_what_belongs_to_confident_learning_is_said(planted):
    labels, pred_probs, _ = planted
    with pytest.warns(UserWarning, match="filter_by belong to confident learning") as caught:
        find_label_issues(labels, pred_probs, filter_by="both")
    assert caught[0].filename == __file__


def test_a_class_that_no_label_names_is_left_out():
    labels = np.repeat([0, 2], 50)
    pred_probs = np.where(labels[:, None] == np.arange(3), 0.9, 0.05)
    labels[3] = 2
    assert np.flatnonzero(find_label_issues(labels, pred_probs)).tolist() == [3]
    rule = find_label_issues(labels, pred_probs, method="confident_learning")
    assert np.flatnonzero(rule).tolist() == [3]


def test_the_prediction_is_not_the_label():
    assert find_predicted_neq_given([0, 1], [[0.5, 0.5], [0.6, 0.4]]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("labels", "settings", "message"),
    [
        ([0, 2], {}, "between 0 and 1, as pred_probs has 2 columns, but they lie between 0 and 2"),
        (["a", "b"], {}, "must be integers from 0 to K - 1; for labels of any kind use errata"),
        ([0], {}, r"their shapes are \(1,\) and \(2, 2\)"),
        (
            [0, 1],
            {"filter_by": "magic"},
            "filter_by='magic' is not known; choose from prune_by_noise_rate",
        ),
        ([0, 1], {"method": "magic"}, "choose from posterior, confident_learning"),
        (
            [0, 1],
            {"num_to_remove_per_class": [1, 1], "method": "confident_learning"},
            "num_to_remove_per_class needs filter_by='prune_by_class'",
        ),
    ],
)
def test_what_cannot_be_done_is_said(labels, settings, message):
    with pytest.raises(ValueError, match=message):
        find_label_issues(labels, [[0.9, 0.1], [0.2, 0.8]], **settings)
