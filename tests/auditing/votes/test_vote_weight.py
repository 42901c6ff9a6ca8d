"""The vote weight: one where votes are independent, less where voters err together."""

import numpy as np

from auditing.crowd_cases import draw_votes, make_crowd, workers_right
from errata.auditing.votes import _finding, read_votes
from errata.auditing.votes._finding import choose_vote_weight, votes_by_others, weaken_table
from errata.auditing.votes._models import ByShares
from errata.auditing.votes._noise_model import Incidence


def weight_of(votes):
    incidence = Incidence.of(votes)
    found = _finding.class_posterior_of_votes(
        incidence, _finding.start(votes.counts), ByShares(votes.shares)
    )
    return choose_vote_weight(incidence, found)


def test_independent_votes_count_in_full():
    assert all(weight_of(make_crowd(seed).votes) >= 0.8 for seed in range(3))


def test_votes_that_err_together_count_less():
    random = np.random.default_rng(0)
    classes = random.integers(3, size=600)
    seems = np.where(random.random(600) < 0.3, random.integers(3, size=600), classes)
    hard = random.random(600) < 0.5
    easy_votes = draw_votes(random, seems, workers_right([0.95] * 20, 3), 9)
    hard_votes = draw_votes(random, seems, workers_right([0.45] * 20, 3), 9)
    label = np.where(hard[easy_votes[0]], hard_votes[2], easy_votes[2])
    votes = read_votes((easy_votes[0], easy_votes[1], label))
    assert weight_of(votes) <= 0.65


def test_votes_are_predicted_by_the_others_of_their_item():
    votes = make_crowd(0, n=40, n_votes=2).votes
    incidence = Incidence.of(votes)
    found = _finding.class_posterior_of_votes(
        incidence, _finding.start(votes.counts), ByShares(votes.shares)
    )
    [(_, _, logs)] = _finding.vote_logs(incidence, found.annotators, found.before)
    total = 0.0
    for v in range(len(votes)):
        others = np.flatnonzero((votes.item == votes.item[v]) & (np.arange(len(votes)) != v))
        q = votes.shares * np.exp(logs[others].sum(axis=0))
        total += np.log(q @ np.exp(logs[v]) / q.sum())
    np.testing.assert_allclose(votes_by_others(incidence, found)[0], total, rtol=1e-9, atol=0)


def test_a_table_counts_less_where_workers_err_together():
    prior = np.log([[0.9, 0.1]])
    shares = np.array([0.5, 0.5])
    np.testing.assert_allclose(weaken_table(prior, shares, 1.0), prior, rtol=1e-12)
    np.testing.assert_allclose(weaken_table(prior, shares, 0.0), np.log([shares]), rtol=1e-12)
    half = np.diff(weaken_table(prior, shares, 0.5))
    np.testing.assert_allclose(half, np.diff(prior) / 2, rtol=1e-12)
