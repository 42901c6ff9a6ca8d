"""Rows with several labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from errata.compat.cleanlab import filter as one_label
from errata.compat.cleanlab.count import compute_confident_joint, num_label_issues
from errata.compat.cleanlab.multilabel_classification import filter, rank

RULES = [rule for rule in one_label.RULES if not rule.startswith("low_")]


def drawn(seed, n=200, k=3):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < rng.uniform(0.2, 0.6, k)
    pred_probs = np.clip(np.where(truth, 0.85, 0.12) + rng.normal(0, 0.15, (n, k)), 0.001, 0.999)
    pred_probs += rng.uniform(0, 1e-6, (n, k))  # so that none are clipped to the same
    wrong = rng.random((n, k)) < 0.05
    labels = [np.flatnonzero(row).tolist() for row in truth ^ wrong]
    return labels, np.minimum(pred_probs, 1), wrong


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rule", RULES)
def test_rows_and_cells_are_those_of_cleanlab(seed, rule):
    name = "cleanlab.multilabel_classification.filter"
    theirs = pytest.importorskip(name, reason="cleanlab is not installed")
    labels, pred_probs, _ = drawn(seed)
    settings = {"filter_by": rule}
    ours = filter.find_label_issues(labels, pred_probs, method="confident_learning", **settings)
    assert_array_equal(ours, theirs.find_label_issues(labels, pred_probs, n_jobs=1, **settings))
    cells = filter.find_multilabel_issues_per_class(
        labels, pred_probs, method="confident_learning", **settings
    )
    expected = theirs.find_multilabel_issues_per_class(labels, pred_probs, n_jobs=1, **settings)
    assert_array_equal(cells, expected)


@pytest.mark.parametrize("seed", range(5))
def test_scores_and_order_are_those_of_cleanlab(seed):
    package = "cleanlab.multilabel_classification"
    theirs = pytest.importorskip(f"{package}.filter", reason="cleanlab is not installed")
    scores = pytest.importorskip(f"{package}.rank", reason="cleanlab is not installed")
    labels, pred_probs, _ = drawn(seed)
    settings = {"return_indices_ranked_by": "self_confidence"}
    ours = filter.find_label_issues(labels, pred_probs, method="confident_learning", **settings)
    assert_array_equal(ours, theirs.find_label_issues(labels, pred_probs, n_jobs=1, **settings))
    for method in ("self_confidence", "normalized_margin"):
        for function in ("get_label_quality_scores", "get_label_quality_scores_per_class"):
            ours = getattr(rank, function)(labels, pred_probs, method=method)
            assert_allclose(
                ours, getattr(scores, function)(labels, pred_probs, method=method), atol=1e-12
            )
    lists = filter.find_multilabel_issues_per_class(
        labels, pred_probs, method="confident_learning", **settings
    )
    expected = theirs.find_multilabel_issues_per_class(labels, pred_probs, n_jobs=1, **settings)
    for part, wanted in zip(lists, expected, strict=True):
        for column, other in zip(part, wanted, strict=True):
            assert_allclose(column, other, atol=1e-12)


def test_the_joint_is_a_table_for_each_label():
    labels = [[0], [0, 1], [1], []]
    pred_probs = [[0.9, 0.1], [0.9, 0.9], [0.9, 0.9], [0.1, 0.1]]
    joint = compute_confident_joint(labels, pred_probs, multi_label=True)
    assert joint.tolist() == [[[1, 1], [0, 2]], [[2, 0], [0, 2]]]


def test_errata_answers_by_default():
    labels, pred_probs, wrong = drawn(0, n=600)
    flagged = filter.find_label_issues(labels, pred_probs)
    cells = filter.find_multilabel_issues_per_class(labels, pred_probs)
    assert_array_equal(flagged, cells.any(axis=1))
    assert wrong[cells].mean() > 0.7
    assert cells[wrong].mean() > 0.7
    ranked = filter.find_label_issues(labels, pred_probs, return_indices_ranked_by="x")
    assert_array_equal(np.sort(ranked), np.flatnonzero(flagged))
    lists, members, pairs = filter.find_multilabel_issues_per_class(
        labels, pred_probs, return_indices_ranked_by="x"
    )
    assert [len(rows) for rows in lists] == cells.sum(axis=0).tolist()
    assert_allclose(pairs[0].sum(axis=1), 1)
    assert members[0].tolist() == [int(0 in row) for row in labels]
    quality = rank.get_label_quality_scores(labels, pred_probs)
    assert quality[wrong.any(axis=1)].mean() < 0.5 < quality[~wrong.any(axis=1)].mean()
    by_filter = one_label.find_label_issues(labels, pred_probs, multi_label=True)
    assert_array_equal(by_filter, flagged)
    assert num_label_issues(labels, pred_probs, multi_label=True) == flagged.sum()


def test_scores_can_be_put_together_otherwise():
    options = {"method": lambda scores, power: (scores**power).min(axis=1), "power": 2}
    score = rank.get_label_quality_scores(
        [[0]], [[0.9, 0.3]], method="self_confidence", aggregator_kwargs=options
    )
    assert_allclose(score, 0.49)


def test_what_cannot_be_done_is_said():
    with pytest.raises(ValueError, match="row 1 has the label 2, but pred_probs has columns for"):
        filter.find_label_issues([[0], [2]], [[0.9, 0.1], [0.9, 0.1]])
    with pytest.raises(ValueError, match="must be 'exponential_moving_average' or a function"):
        rank.get_label_quality_scores(
            [[0]], [[0.9]], method="self_confidence", aggregator_kwargs={"method": "magic"}
        )
    with pytest.warns(UserWarning, match="filter_by belong to confident learning"):
        filter.find_label_issues(*drawn(0)[:2], filter_by="both")
