"""Labels by several annotators."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from errata.compat.cleanlab.multiannotator import (
    get_label_quality_multiannotator,
    get_majority_vote_label,
)


def voted(seed, n=200, m=5, k=3):
    """Annotators who are right more often the later their column."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, k, n)
    votes = np.full((n, m), np.nan)
    for j in range(m):
        gave = rng.random(n) < 0.6
        right = rng.random(gave.sum()) < 0.5 + 0.1 * j
        votes[gave, j] = np.where(right, classes[gave], rng.integers(0, k, gave.sum()))
    votes[np.isnan(votes).all(axis=1), 0] = 0
    pred_probs = np.where(classes[:, None] == np.arange(k), 0.8, 0.1) + 0.3 * rng.random((n, k))
    return votes, pred_probs / pred_probs.sum(axis=1, keepdims=True), classes


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "settings",
    [
        {"quality_method": "crowdlab"},
        {"quality_method": "crowdlab", "consensus_method": "majority_vote"},
        {"quality_method": "crowdlab", "consensus_method": ["majority_vote", "best_quality"]},
        {"quality_method": "agreement", "consensus_method": "majority_vote"},
    ],
    ids=str,
)
def test_the_answers_are_those_of_cleanlab(seed, settings):
    theirs = pytest.importorskip("cleanlab.multiannotator", reason="cleanlab is not installed")
    votes, pred_probs, _ = voted(seed)
    votes = pd.DataFrame(votes, columns=list("abcde"))
    several = isinstance(settings.get("consensus_method"), list)
    weighs = settings["quality_method"] == "crowdlab" and not several
    settings = {"return_weights": weighs, **settings}
    ours = get_label_quality_multiannotator(votes, pred_probs, **settings)
    expected = theirs.get_label_quality_multiannotator(votes, pred_probs, verbose=False, **settings)
    assert set(ours) == set(expected)
    names = ["label_quality", "annotator_stats"]
    if settings["quality_method"] == "crowdlab":
        names.append("detailed_label_quality")  # of "agreement" it counts other labels at times
    for name in names:
        assert set(ours[name].columns) == set(expected[name].columns)
        other = ours[name][expected[name].columns]
        pd.testing.assert_frame_equal(other, expected[name], rtol=0, atol=1e-9)
    if weighs:
        assert_allclose(ours["model_weight"], expected["model_weight"], rtol=1e-9)
        assert_allclose(ours["annotator_weight"], expected["annotator_weight"], rtol=1e-9)


def test_crowdlab_by_hand():
    votes = np.array([[0, 0], [1, 1], [1, 1], [0, 1]])
    pred_probs = np.array([[0.8, 0.2], [0.3, 0.7], [0.4, 0.6], [0.9, 0.1]])
    result = get_label_quality_multiannotator(
        votes,
        pred_probs,
        quality_method="crowdlab",
        consensus_method="majority_vote",
        return_weights=True,
    )
    # Half of the examples have either class, so that chance errs in one of two. Both annotators
    # agree in three of four; the model agrees with all, and with two labels for each example.
    assert_allclose(result["annotator_weight"], 1 - 0.25 / 0.5)
    assert_allclose(result["model_weight"], np.sqrt(2))
    likelihood = (1 + 1 + 1 + 0.5) / 4
    expected = [
        (np.sqrt(2) * 0.8 + likelihood) / (np.sqrt(2) + 1),
        (np.sqrt(2) * 0.9 + 0.5 * likelihood + 0.5 * (1 - likelihood)) / (np.sqrt(2) + 1),
    ]
    scores = result["label_quality"]["consensus_quality_score"]
    assert_allclose(scores[[0, 3]], expected)


def test_an_annotator_alone_agrees_with_nobody_else():
    nan = np.nan
    votes = [[0, 0, nan], [1, 0, nan], [1, nan, nan], [nan, nan, 1]]
    pred_probs = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.1, 0.9]]  # of a tie the second is right
    result = get_label_quality_multiannotator(
        votes, pred_probs, quality_method="agreement", consensus_method="majority_vote"
    )
    stats = result["annotator_stats"].sort_index()
    assert_allclose(stats["agreement_with_consensus"], [2 / 3, 1, 1])
    # The quality is that beside others, where there are others.
    assert_allclose(stats["annotator_quality"], [1 / 2, 1, 1])


def test_errata_answers_by_default():
    votes, pred_probs, classes = voted(0)
    result = get_label_quality_multiannotator(votes, 0.2 * pred_probs + 0.8 / 3)
    table = result["label_quality"]
    assert list(table.columns) == [
        "consensus_label",
        "consensus_quality_score",
        "annotator_agreement",
        "num_annotations",
    ]
    majority = np.mean(get_majority_vote_label(votes) == classes)
    assert np.mean(table["consensus_label"] == classes) > majority
    score = table["consensus_quality_score"]
    right = table["consensus_label"] == classes
    assert score[right].mean() > score[~right].mean() + 0.1
    assert_array_equal(np.isnan(result["detailed_label_quality"]), np.isnan(votes))
    stats = result["annotator_stats"]
    assert stats["annotator_quality"].is_monotonic_increasing
    assert stats.index[0] in (0, 1)
    assert stats.index[-1] in (3, 4)
    assert_array_equal(stats["num_examples_labeled"].sort_index(), (~np.isnan(votes)).sum(axis=0))


def test_ties_go_to_the_model_then_to_the_frequent_label():
    votes = [[0, 1], [0, 0], [0, np.nan]]
    assert get_majority_vote_label(votes).tolist() == [0, 0, 0]
    pred_probs = [[0.4, 0.6], [0.1, 0.9], [0.1, 0.9]]
    assert get_majority_vote_label(votes, pred_probs).tolist() == [1, 0, 0]


def test_less_is_returned_where_less_is_asked_for():
    votes, pred_probs, _ = voted(0)
    result = get_label_quality_multiannotator(
        votes, pred_probs, return_detailed_quality=False, return_annotator_stats=False
    )
    assert list(result) == ["label_quality"]


@pytest.mark.parametrize(
    ("votes", "settings", "message"),
    [
        ([[0, 1], [np.nan, np.nan]], {}, "example 1 has no label; leave such examples out"),
        ([0, 1], {}, "a row for each example, a column for each annotator"),
        (
            [[0], [1]],
            {"quality_method": "magic"},
            "quality_method='magic' is not known; choose from",
        ),
        (
            [[0], [1]],
            {"consensus_method": "magic"},
            "consensus_method='magic' is not known; choose from",
        ),
        ([[0], [1], [1]], {}, r"must have the shape \(3, K\), but its shape is \(2, 2\)"),
    ],
)
def test_what_cannot_be_done_is_said(votes, settings, message):
    with pytest.raises(ValueError, match=message):
        get_label_quality_multiannotator(votes, [[0.9, 0.1], [0.2, 0.8]], **settings)
