"""What is known before any vote: shares, and what models say as far as votes bear it out."""

import numpy as np
from numpy.testing import assert_allclose

from errata.auditing.votes._finding import keep_shares
from errata.auditing.votes._models import ByFeatures

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
