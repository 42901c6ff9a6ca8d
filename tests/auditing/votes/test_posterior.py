"""The posterior against enumeration, one coin and Dawid-Skene, each written out."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from auditing.crowd_cases import make_crowd, workers_right
from errata.auditing.votes import _finding, read_votes
from errata.auditing.votes._models import ByShares
from errata.auditing.votes._noise_model import Annotators, Incidence, Kappas


def with_matrices(incidence, matrices):
    """Annotators whose matrices are given: votes of their own count for nothing."""
    k = matrices.shape[1]
    n_pairs = len(incidence.worker)
    prior = matrices[incidence.worker, :, incidence.label]
    nothing = np.zeros((n_pairs, k))
    totals = np.zeros((len(matrices), k))
    return Annotators(nothing, totals, totals, prior, 1.0, 1e9, totals[:, 0], 0.5, np.eye(k))


def test_the_posterior_is_that_of_all_labelings():
    random = np.random.default_rng(0)
    matrices = random.dirichlet(np.ones(2), (3, 2))
    label = random.integers(2, size=12)
    item, worker = np.divmod(np.arange(12), 3)
    votes = read_votes((item, worker, label), classes=[0, 1])
    incidence = Incidence.of(votes)
    shares, totals = np.array([0.3, 0.7]), np.zeros((4, 2))
    for classes in product(range(2), repeat=4):
        p = shares[list(classes)].prod()
        p *= matrices[votes.worker, np.array(classes)[votes.item], votes.label].prod()
        totals[np.arange(4), classes] += p
    annotators, q = with_matrices(incidence, matrices), np.full((4, 2), 0.5)
    [(items, _, logs)] = _finding.vote_logs(incidence, annotators, q, leaves_out=False)
    found = _finding.ClassPosterior(incidence.by_item(logs, items), np.log(shares), q, annotators)
    expected = totals / totals.sum(axis=1, keepdims=True)
    assert_allclose(found.proba, expected, rtol=1e-8, atol=0)


def one_hot(votes):
    return np.eye(len(votes.classes))[votes.label]


def test_without_its_matrix_a_worker_is_one_coin():
    votes = make_crowd(1, n=400).votes
    incidence, k = Incidence.of(votes), 3
    found = _finding.class_posterior_of_votes(
        incidence,
        _finding.start(votes.counts),
        ByShares(votes.shares),
        Kappas(8.0, 1e12, fixed=True),
        shape=0.0,
        steps=7,
    )
    q = _finding.start(votes.counts)
    for _ in range(7):  # one coin, written out
        right = np.bincount(votes.worker, weights=q[votes.item, votes.label])
        n = np.bincount(votes.worker)
        overall = right.sum() / n.sum()
        mean = np.mean((right + 2 * overall) / (n + 2))
        p = workers_right((right + 8 * mean) / (n + 8), k)[votes.worker, :, votes.label]
        logs = np.zeros_like(q)
        np.add.at(logs, votes.item, np.log(p))
        q = np.exp(logs) * votes.shares
        q /= q.sum(axis=1, keepdims=True)
    assert_allclose(found.proba, q, rtol=0, atol=1e-6)


def test_without_what_is_shared_it_is_dawid_skene():
    votes = make_crowd(2, n=400).votes
    incidence = Incidence.of(votes)
    found = _finding.class_posterior_of_votes(
        incidence,
        _finding.start(votes.counts),
        ByShares(votes.shares),
        Kappas(1e-9, 1e-9, fixed=True),
        leaves_out=False,
        steps=6,
    )
    q = _finding.start(votes.counts)
    for _ in range(6):  # Dawid and Skene (1979), with the shares held
        counts = np.zeros((len(votes.workers), 3, 3))
        np.add.at(counts, (votes.worker, slice(None), votes.label), q[votes.item])
        p = counts / counts.sum(axis=2, keepdims=True)
        logs = np.zeros_like(q)
        np.add.at(logs, votes.item, np.log(np.maximum(p[votes.worker, :, votes.label], 1e-300)))
        q = np.exp(logs - logs.max(axis=1, keepdims=True)) * votes.shares
        q /= q.sum(axis=1, keepdims=True)
    assert_allclose(found.proba, q, rtol=0, atol=1e-6)


def test_a_vote_does_not_vouch_for_itself():
    votes = make_crowd(3, n=60).votes
    incidence, q = Incidence.of(votes), _finding.start(votes.counts)
    annotators = _finding.fit_annotators(incidence, q, Kappas(2.0, 4.0, fixed=True))
    [(_, _, logs)] = _finding.vote_logs(incidence, annotators, q)
    v = 17
    others = np.flatnonzero((votes.worker == votes.worker[v]) & (np.arange(len(votes)) != v))
    same = others[votes.label[others] == votes.label[v]]
    prior = 4.0 * annotators.prior[incidence.pair[v]]
    expected = (q[votes.item[same]].sum(axis=0) + prior) / (q[votes.item[others]].sum(axis=0) + 4)
    assert_allclose(np.exp(logs[v]), expected, rtol=1e-10, atol=0)


@pytest.mark.parametrize("most", [1, 30, 1000])
def test_blocks_of_votes_change_nothing(monkeypatch, most):
    votes = make_crowd(4, n=100).votes.for_items(np.arange(-3, 104))  # some have none
    incidence, prior = Incidence.of(votes), ByShares(votes.shares)
    q = _finding.start(votes.counts)
    whole = _finding.class_posterior_of_votes(incidence, q, prior, steps=3)
    monkeypatch.setattr("errata.auditing.votes._noise_model.VOTE_NUMBERS", most)
    parts = list(incidence.blocks())
    assert [items.start for items, _ in parts[1:]] == [items.stop for items, _ in parts[:-1]]
    assert (parts[0][0].start, parts[-1][0].stop, parts[-1][1].stop) == (0, 107, len(votes))
    found = _finding.class_posterior_of_votes(incidence, q, prior, steps=3)
    assert_allclose(found.proba, whole.proba, rtol=0, atol=1e-12)
