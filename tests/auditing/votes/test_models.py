"""Models of items: better labels where columns tell, none the worse where they do not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from auditing.crowd_cases import make_crowd
from errata.auditing.votes import ItemModels, JudgedVotes
from errata.auditing.votes._finding import keep_shares
from errata.auditing.votes._models import ByFeatures


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Quick, as hundreds of trees show nothing that some do not."""
    monkeypatch.setattr("errata.auditing.votes._models.TREES", {np.inf: 30})


def accuracy(findings, classes):
    return np.mean(findings.proba.argmax(axis=1) == classes)


def columns_of(classes, distance, seed=0):
    """Three columns of noise, each moved where the class is its own."""
    noise = np.random.default_rng(seed).normal(size=(len(classes), 3))
    return noise + distance * np.eye(3)[classes]


def test_columns_that_tell_help_items_with_few_votes():
    crowd = make_crowd(0, n=400, n_votes=2)
    alone = JudgedVotes(crowd.votes)
    both = JudgedVotes(crowd.votes, ItemModels(columns_of(crowd.classes, 3.0), 3))
    assert accuracy(both, crowd.classes) > accuracy(alone, crowd.classes) + 0.08
    assert both.feature_weight > 0
    assert alone.feature_weight is None
    assert {"name", "weight", "agreement"} == both.models[0].keys()


def test_columns_of_noise_cost_nothing():
    losses = []
    for seed in range(3):
        crowd = make_crowd(seed, n=300, n_votes=3)
        both = JudgedVotes(crowd.votes, ItemModels(columns_of(crowd.classes, 0.0, seed), 3))
        losses.append(accuracy(JudgedVotes(crowd.votes), crowd.classes))
        losses[-1] -= accuracy(both, crowd.classes)
    assert np.mean(losses) <= 0.005


@pytest.mark.parametrize("grouped", [False, True])
def test_items_without_votes_are_told_by_their_columns(grouped):
    crowd = make_crowd(1, n=300)
    votes = crowd.votes.for_items(np.arange(360))
    classes = np.r_[crowd.classes, np.arange(60) % 3]
    groups = np.arange(360) // 4 if grouped else None
    models = ItemModels(columns_of(classes, 4.0), 3, groups=groups)
    findings = JudgedVotes(votes, models)
    assert accuracy(findings, classes) > 0.9
    assert np.mean(findings.proba.argmax(axis=1)[300:] == classes[300:]) > 0.9
    assert (findings.p_wrong[300:] == 0).all()


def test_single_votes_are_judged_by_columns():
    crowd = make_crowd(2, n=400, n_votes=1)
    findings = JudgedVotes(crowd.votes, ItemModels(columns_of(crowd.classes, 4.0), 3))
    assert findings.has_skill
    assert accuracy(findings, crowd.classes) > np.mean(crowd.votes.label == crowd.classes) + 0.1


def test_an_estimator_joins_and_classes_that_nobody_has_stay_possible():
    crowd = make_crowd(3, n=200, n_classes=4, shares=[0.4, 0.3, 0.3, 0.0])
    X = columns_of(crowd.classes, 3.0)
    names = np.array(["ash", "elm", "oak", "yew"])
    models = ItemModels(X, 4, LogisticRegression(), X[:, :2], names)
    proba, told, has_skill = models(crowd.classes)
    assert told[-1]["name"] == "your model"
    assert has_skill
    assert (proba > 0).all()
    assert proba[:, 3].max() < 0.01
    _, _, has_skill = ItemModels(X, 4)(np.zeros(200, dtype=int))  # one class to learn
    assert not has_skill


SHARES = np.array([0.7, 0.3])


def test_shares_are_the_same_for_all_items():
    assert_allclose(keep_shares(SHARES)(np.zeros((4, 2)), 0), np.log(SHARES), rtol=1e-12, atol=0)


def noisy_votes(random, classes):
    return np.log(4) * np.eye(2)[np.where(random.random(len(classes)) < 0.8, classes, 1 - classes)]


def test_features_that_say_nothing_leave_the_shares():
    random = np.random.default_rng(1)
    classes = random.choice(2, 2000, p=SHARES)
    told = random.dirichlet([1, 1], 2000)
    prior = ByFeatures(SHARES, told)
    found = prior(noisy_votes(random, classes), 0)
    assert prior.weight <= 0.25  # by chance
    assert np.abs(np.exp(found) - SHARES).mean() < 0.05


def test_without_weight_the_prior_is_the_shares():
    prior = ByFeatures(SHARES, np.array([[0.1, 0.9]]))
    found = prior(np.array([[5.0, 0.0]]), 0)  # the votes contradict
    assert prior.weight == 0
    assert_allclose(found, np.log([SHARES]), rtol=1e-9, atol=0)


def test_features_that_tell_are_taken_at_their_word_or_more():
    random = np.random.default_rng(0)
    classes = random.choice(2, 2000, p=SHARES)
    timid = 0.5 + 0.1 * (2 * np.eye(2)[classes] - 1)
    prior = ByFeatures(SHARES, timid)
    found = prior(noisy_votes(random, classes), 0)
    assert prior.weight >= 1
    assert_allclose(np.exp(found).sum(axis=1), 1, rtol=1e-9, atol=0)


def test_with_full_weight_the_prior_is_what_models_say():
    told = np.random.default_rng(0).dirichlet([1, 1], 5)
    assert_allclose(ByFeatures(SHARES, told)._powered(1.0), told, rtol=1e-9, atol=0)


def test_weights_are_chosen_anew_in_some_steps_only():
    random = np.random.default_rng(0)
    classes = random.choice(2, 500, p=SHARES)
    prior = ByFeatures(SHARES, 0.5 + 0.4 * (2 * np.eye(2)[classes] - 1))
    votes = noisy_votes(random, classes)
    prior(votes, 5)
    chosen = prior.weight
    assert chosen > 0
    prior(-votes, 7)
    assert prior.weight == chosen
    prior(np.zeros_like(votes), 9)
    assert prior.weight == 0
