"""Findings as a whole: how good they are where the truth is known, and what does not matter."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from auditing.crowd_cases import (
    by_matrices,
    calibration_error,
    draw_votes,
    make_crowd,
    workers_right,
)
from auditing.vote_cases import crowd
from errata.auditing.votes import JudgedVotes, _finding, read_votes
from errata.auditing.votes._finding import (
    choose_vote_weight,
    gain_of_asking,
    keep_shares,
    votes_by_others,
    weaken_table,
)
from errata.auditing.votes._noise_model import Annotators, Incidence


def accuracy(proba, classes):
    return np.mean(proba.argmax(axis=1) == classes)


def test_consensus_beats_the_majority_and_knows_how_sure_it_is():
    right, best, majority, errors, weights = [], [], [], [], []
    for seed in range(4):
        crowd = make_crowd(seed)
        findings = JudgedVotes(crowd.votes)
        right.append(accuracy(findings.proba, crowd.classes))
        best.append(np.mean(by_matrices(crowd) == crowd.classes))
        majority.append(np.mean(crowd.votes.majority == crowd.classes))
        errors.append(calibration_error(findings.proba, crowd.classes))
        weights.append(findings.vote_weight)
    assert np.mean(right) >= np.mean(best) - 0.02
    assert np.mean(right) > np.mean(majority) + 0.03
    assert np.mean(errors) < 0.03
    assert min(weights) >= 0.8


def test_noise_rate_holds_the_wrong_majority_labels():
    crowd = make_crowd(0)
    findings = JudgedVotes(crowd.votes)
    wrong = crowd.votes.majority != crowd.classes
    assert findings.noise_rate.low <= findings.noise_rate.estimate <= findings.noise_rate.high
    assert abs(findings.noise_rate.estimate - wrong.mean()) < 0.03
    still = np.mean(findings.proba.argmax(axis=1) != crowd.classes)
    assert abs(findings.expected_wrong.estimate - still) < 0.03
    assert findings.suspicion[wrong].mean() > 3 * findings.suspicion[~wrong].mean()
    weights, p_wrong = zip(*findings.hypotheses, strict=True)
    assert_allclose(sum(weights), 1, rtol=1e-12, atol=0)
    assert_array_equal(p_wrong[0], findings.p_wrong)


def test_intervals_hold_the_truth_on_both_sides():
    held, below, workers = [], [], []
    for seed in range(20):
        crowd = make_crowd(seed, n=150, n_workers=12, n_votes=4)
        findings = JudgedVotes(crowd.votes)
        rate = findings.noise_rate
        wrong = np.mean(crowd.votes.majority != crowd.classes)
        held.append(rate.low <= wrong <= rate.high)
        below.append(rate.estimate - rate.low)
        right = crowd.votes.label == crowd.classes[crowd.votes.item]
        share = np.bincount(crowd.votes.worker, weights=right) / np.bincount(crowd.votes.worker)
        low, high = np.array([(each["low"], each["high"]) for each in findings.workers]).T
        workers.append(np.mean((low <= share) & (share <= high)))
    assert np.mean(held) >= 0.85
    assert min(below) > 0.01  # how many are wrong is chance, whatever votes are worth
    assert np.mean(workers) >= 0.88


def test_interval_reaches_further_down_than_chance_where_votes_err_on_their_own():
    findings = JudgedVotes(make_crowd(0).votes)
    assert findings.vote_weight == 1.0
    rate = findings.noise_rate
    p = findings.p_wrong
    by_chance = 1.645 * np.sqrt(np.sum(p * (1 - p))) / len(p)
    assert rate.low < rate.estimate - 1.1 * by_chance


def test_names_and_order_do_not_matter():
    votes = make_crowd(5, n=200).votes
    random = np.random.default_rng(0)
    order = random.permutation(len(votes))
    items, workers, labels = (
        random.permutation(len(names)) for names in (votes.items, votes.workers, votes.classes)
    )
    other = read_votes(
        (items[votes.item][order], workers[votes.worker][order], labels[votes.label][order])
    )
    found, again = JudgedVotes(votes), JudgedVotes(other)
    assert_allclose(again.proba[items][:, labels], found.proba, rtol=0, atol=1e-9)
    assert_allclose(again.p_wrong[items], found.p_wrong, rtol=0, atol=1e-9)
    assert_allclose(again.ask[items], found.ask, rtol=0, atol=1e-9)
    accuracies = [
        np.array([worker["accuracy"] for worker in each.workers]) for each in (again, found)
    ]
    assert_allclose(accuracies[0][workers], accuracies[1], rtol=0, atol=1e-9)


def test_single_votes_stay_as_they_are():
    crowd = make_crowd(0, n=200, n_votes=1, shares=[0.8, 0.1, 0.1])
    findings = JudgedVotes(crowd.votes)
    assert not findings.has_skill
    assert_array_equal(findings.proba.argmax(axis=1), crowd.votes.label)
    assert ((findings.p_wrong > 0) & (findings.p_wrong < 1)).all()
    assert_allclose(findings.p_wrong, 0.05, rtol=1e-9, atol=0)
    assert findings.noise_rate.low == 0
    # All of them may be of the rarest class.
    assert_allclose(findings.noise_rate.high, 1 - crowd.votes.shares.min(), rtol=1e-12, atol=0)
    assert "no more often than chance" in findings.notes[0]
    assert "one vote" in findings.notes[1]


def test_where_all_agree_nothing_looks_wrong():
    item, worker = np.divmod(np.arange(300), 3)
    findings = JudgedVotes(read_votes((item, worker, item % 2)))
    assert findings.has_skill
    assert findings.p_wrong.max() < 0.02
    assert not any(entry["guessing"] for entry in findings.workers)


def test_a_rare_class_survives():
    crowd = make_crowd(1, n=2000, n_classes=2, shares=[0.97, 0.03])
    findings = JudgedVotes(crowd.votes)
    rare = crowd.classes == 1
    assert np.mean(findings.proba.argmax(axis=1)[rare] == 1) > 0.5
    assert accuracy(findings.proba, crowd.classes) >= np.mean(crowd.votes.majority == crowd.classes)


def test_items_without_votes_are_asked_about_first_and_never_suspected():
    crowd = make_crowd(2, n=300)
    votes = crowd.votes.for_items(np.arange(310))
    findings = JudgedVotes(votes)
    assert (findings.p_wrong[300:] == 0).all()
    assert_allclose(findings.proba[300:].sum(axis=1), 1, rtol=1e-12, atol=0)
    assert findings.ask[300:].min() >= np.quantile(findings.ask[:300], 0.9)
    alone = JudgedVotes(crowd.votes)
    assert_allclose(findings.proba[:300], alone.proba, rtol=0, atol=1e-12)
    assert_allclose(findings.noise_rate.estimate, alone.noise_rate.estimate, rtol=1e-12, atol=0)


@pytest.mark.parametrize("k", [2, 12])
def test_few_votes_and_many_classes_are_no_trouble(k):
    crowd = make_crowd(3, n=40, n_workers=6, n_votes=3, n_classes=k)
    findings = JudgedVotes(crowd.votes)
    assert np.isfinite(findings.proba).all()
    assert ((findings.p_wrong >= 0) & (findings.p_wrong <= 1)).all()
    assert findings.shared.shape == (k, k)


def test_gain_is_the_expected_fall_of_entropy():
    random = np.random.default_rng(0)
    proba, shared = random.dirichlet(np.ones(3), 5), random.dirichlet(np.ones(3), 3)
    for q, gain in zip(proba, gain_of_asking(proba, shared), strict=True):
        fall = -np.sum(q * np.log(q))
        for label in range(3):
            joint = q * shared[:, label]
            after = joint / joint.sum()
            fall += joint.sum() * np.sum(after * np.log(after))
        assert_allclose(gain, fall, rtol=1e-9, atol=0)


def test_nothing_is_gained_where_the_class_is_known_or_votes_say_nothing():
    open_ = np.array([[0.5, 0.5]])
    assert_allclose(gain_of_asking(open_, np.full((2, 2), 0.5)), 0, rtol=0, atol=1e-12)
    assert_allclose(gain_of_asking(np.array([[1.0, 0.0]]), np.eye(2)), 0, rtol=0, atol=1e-12)
    assert_allclose(gain_of_asking(open_, np.eye(2)), np.log(2), rtol=1e-12, atol=0)


def with_matrices(incidence, matrices):
    """Annotators whose matrices are given: votes of their own count for nothing."""
    k = matrices.shape[1]
    annotators = Annotators(incidence, np.full((len(incidence.n_votes), k), 1 / k))
    annotators.counts = np.zeros((len(incidence.worker), k))
    annotators.totals = np.zeros((len(matrices), k))
    annotators.prior = matrices[incidence.worker, :, incidence.label]
    annotators.kappa_matrix = 1e9
    return annotators


def test_the_posterior_is_that_of_all_labelings():
    random = np.random.default_rng(0)
    matrices = random.dirichlet(np.ones(2), (3, 2))
    label = random.integers(2, size=12)
    item, worker = np.divmod(np.arange(12), 3)
    votes = read_votes((item, worker, label), classes=[0, 1])
    incidence = Incidence(votes)
    shares, totals = np.array([0.3, 0.7]), np.zeros((4, 2))
    for classes in product(range(2), repeat=4):
        p = shares[list(classes)].prod()
        p *= matrices[votes.worker, np.array(classes)[votes.item], votes.label].prod()
        totals[np.arange(4), classes] += p
    annotators, q = with_matrices(incidence, matrices), np.full((4, 2), 0.5)
    [(items, _, logs)] = annotators.vote_logs(q, leaves_out=False)
    found = _finding.ClassPosterior(incidence.by_item(logs, items), np.log(shares), q, annotators)
    expected = totals / totals.sum(axis=1, keepdims=True)
    assert_allclose(found.proba, expected, rtol=1e-8, atol=0)


def one_hot(votes):
    return np.eye(len(votes.classes))[votes.label]


def test_without_its_matrix_a_worker_is_one_coin():
    votes = make_crowd(1, n=400).votes
    incidence, k = Incidence(votes), 3
    found = _finding.class_posterior_of_votes(
        incidence,
        _finding.start(votes.counts),
        keep_shares(votes.shares),
        coin=8.0,
        matrix=1e12,
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
    incidence = Incidence(votes)
    found = _finding.class_posterior_of_votes(
        incidence,
        _finding.start(votes.counts),
        keep_shares(votes.shares),
        coin=1e-9,
        matrix=1e-9,
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
    incidence, q = Incidence(votes), _finding.start(votes.counts)
    annotators = Annotators(incidence, q, 2.0, 4.0, fixed=True)
    [(_, _, logs)] = annotators.vote_logs(q)
    v = 17
    others = np.flatnonzero((votes.worker == votes.worker[v]) & (np.arange(len(votes)) != v))
    same = others[votes.label[others] == votes.label[v]]
    prior = 4.0 * annotators.prior[incidence.pair[v]]
    expected = (q[votes.item[same]].sum(axis=0) + prior) / (q[votes.item[others]].sum(axis=0) + 4)
    assert_allclose(np.exp(logs[v]), expected, rtol=1e-10, atol=0)


@pytest.mark.parametrize("most", [1, 30, 1000])
def test_blocks_of_votes_change_nothing(monkeypatch, most):
    votes = make_crowd(4, n=100).votes.for_items(np.arange(-3, 104))  # some have none
    incidence, prior = Incidence(votes), keep_shares(votes.shares)
    q = _finding.start(votes.counts)
    whole = _finding.class_posterior_of_votes(incidence, q, prior, steps=3)
    monkeypatch.setattr("errata.auditing.votes._noise_model.CACHED", most)
    parts = list(incidence.blocks())
    assert [items.start for items, _ in parts[1:]] == [items.stop for items, _ in parts[:-1]]
    assert (parts[0][0].start, parts[-1][0].stop, parts[-1][1].stop) == (0, 107, len(votes))
    found = _finding.class_posterior_of_votes(incidence, q, prior, steps=3)
    assert_allclose(found.proba, whole.proba, rtol=0, atol=1e-12)


def weight_of(votes):
    incidence = Incidence(votes)
    found = _finding.class_posterior_of_votes(
        incidence, _finding.start(votes.counts), keep_shares(votes.shares)
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
    incidence = Incidence(votes)
    found = _finding.class_posterior_of_votes(
        incidence, _finding.start(votes.counts), keep_shares(votes.shares)
    )
    [(_, _, logs)] = found.annotators.vote_logs(found.before)
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


def test_without_verdicts_the_mean_over_the_components_is_what_the_audit_says():
    found = JudgedVotes(read_votes(crowd()[0]))
    kinds, weights, p = found.group_hypotheses()
    assert kinds[:3] == ("votes as weighed", "votes worth less", "votes worth more")
    np.testing.assert_allclose(weights.sum(), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(p @ weights, found.p_wrong, rtol=0, atol=1e-5)


def test_votes_worth_less_make_more_labels_look_wrong():
    found = JudgedVotes(read_votes(crowd()[0]))
    rate = found.group_hypotheses()[2].mean(axis=0)
    assert rate[1] > rate[0]
