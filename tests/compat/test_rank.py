"""Scores of labels, as cleanlab gives them; errata's posterior by default."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score

from errata.compat.cleanlab import rank

# Where nearly all probability is on the label, cleanlab's score falls from 1 to 0 again.
CERTAIN = 1e-5


@pytest.mark.parametrize("method", rank.SCORES)
@pytest.mark.parametrize("adjust", [False, True])
def test_scores_are_those_of_cleanlab(case, method, adjust):
    theirs = pytest.importorskip("cleanlab.rank", reason="cleanlab is not installed")
    if adjust and method == "confidence_weighted_entropy":
        pytest.skip("it takes no adjusted probabilities")
    labels, pred_probs = case
    settings = {"method": method, "adjust_pred_probs": adjust}
    ours = rank.get_label_quality_scores(labels, pred_probs, **settings)
    expected = theirs.get_label_quality_scores(labels, pred_probs, **settings)
    rows = pred_probs[np.arange(len(labels)), labels] < 1 - CERTAIN
    assert_allclose(ours[rows], expected[rows], rtol=0, atol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "accuracy", "log_loss_search", "custom"])
def test_scores_of_several_models_are_those_of_cleanlab(case, weights):
    theirs = pytest.importorskip("cleanlab.rank", reason="cleanlab is not installed")
    labels, pred_probs = case
    models = [pred_probs, 0.6 * pred_probs + 0.4 / pred_probs.shape[1]]
    settings = {"method": "self_confidence", "weight_ensemble_members_by": weights}
    if weights == "custom":
        settings["custom_weights"] = np.array([0.3, 0.7])
    ours = rank.get_label_quality_ensemble_scores(labels, models, **settings)
    expected = theirs.get_label_quality_ensemble_scores(labels, models, verbose=False, **settings)
    assert_allclose(ours, expected, rtol=0, atol=1e-9)


def test_scores_by_hand():
    pred_probs = [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1]]
    score = rank.get_label_quality_scores
    assert_allclose(score([0, 0], pred_probs, method="self_confidence"), [0.5, 0.2])
    assert_allclose(score([0, 0], pred_probs, method="normalized_margin"), [0.6, 0.25])
    entropy = -(0.2 * np.log(0.2) + 0.7 * np.log(0.7) + 0.1 * np.log(0.1)) / np.log(3)
    expected = np.log1p(entropy / 0.2) / (entropy / 0.2)
    ours = score([0, 0], pred_probs, method="confidence_weighted_entropy")
    assert_allclose(ours[1], expected, rtol=1e-12)
    # Thresholds are 0.35, and 1 where no label is: the rest is moved up to the largest of them.
    moved = np.array([0.5, 0.3, 0.2]) - [0.35, 1, 1] + 1
    adjusted = score([0, 0], pred_probs, method="self_confidence", adjust_pred_probs=True)
    assert_allclose(adjusted[0], moved[0] / moved.sum(), rtol=1e-12)


def test_models_are_weighed_by_the_log_loss_of_their_mean():
    # The second is worse, but knows what the first does not: of the default values t = 1 is best.
    own = np.array([[0.9, 0.05, 0.9, 0.5], [0.05, 0.65, 0.05, 0.6]])
    models = np.stack([own, 1 - own], axis=-1)
    losses = -np.log(own).mean(axis=1)
    ours = rank.get_label_quality_ensemble_scores(
        [0] * 4, models, method="self_confidence", weight_ensemble_members_by="log_loss_search"
    )
    assert_allclose(ours, np.average(own, axis=0, weights=np.exp(-losses)), rtol=1e-12)


def test_a_certain_label_is_good():
    scores = rank.get_confidence_weighted_entropy_for_each_label([0, 0], [[1, 0], [0.9999, 0.0001]])
    assert scores[0] > scores[1] > 0.99


def test_errata_scores_by_default(planted):
    labels, pred_probs, flipped = planted
    ours = rank.get_label_quality_scores(labels, pred_probs)
    theirs = rank.get_label_quality_scores(labels, pred_probs, method="self_confidence")
    assert 0 <= ours.min() < ours.max() <= 1
    ap = average_precision_score
    assert ap(flipped, -ours) > ap(flipped, -theirs)
    # What is said to be a probability is one: so many labels are wrong.
    assert_allclose(1 - ours.mean(), flipped.mean(), rtol=0.35)
    mean = rank.get_label_quality_ensemble_scores(labels, [pred_probs, pred_probs])
    assert_allclose(mean, ours)


def test_the_worst_are_first():
    assert rank.find_top_issues([0.9, 0.1, 0.4, 0.2], top=3).tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"method": "magic"},
            "method='magic' is not known; choose from posterior, self_confidence",
        ),
        (
            {"method": "confidence_weighted_entropy", "adjust_pred_probs": True},
            "adjust_pred_probs=True does not go with",
        ),
    ],
)
def test_what_cannot_be_scored_is_said(settings, message):
    with pytest.raises(ValueError, match=message):
        rank.get_label_quality_scores([0, 1], [[0.9, 0.1], [0.2, 0.8]], **settings)


@pytest.mark.parametrize(
    ("models", "settings", "message"),
    [
        ([], {}, "pred_probs_list is empty"),
        ([[[1, 0]]], {"weight_ensemble_members_by": "custom"}, "each of the 1 models"),
        ([[[1, 0]]], {"weight_ensemble_members_by": "magic"}, "'magic' must be 'uniform'"),
    ],
)
def test_models_that_cannot_be_weighed_are_said(models, settings, message):
    with pytest.raises(ValueError, match=message):
        rank.get_label_quality_ensemble_scores([0], models, method="self_confidence", **settings)
