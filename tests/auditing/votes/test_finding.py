"""Findings as a whole: how good they are where the truth is known, and what does not matter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from auditing.crowd_cases import by_matrices, calibration_error, make_crowd
from errata.auditing.votes import judge_votes, read_votes


def accuracy(proba, classes):
    return np.mean(proba.argmax(axis=1) == classes)


def test_consensus_beats_the_majority_and_knows_how_sure_it_is():
    right, best, majority, errors, weights = [], [], [], [], []
    for seed in range(4):
        crowd = make_crowd(seed)
        findings = judge_votes(crowd.votes)
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
    findings = judge_votes(crowd.votes)
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
        findings = judge_votes(crowd.votes)
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
    found, again = judge_votes(votes), judge_votes(other)
    assert_allclose(again.proba[items][:, labels], found.proba, rtol=0, atol=1e-9)
    assert_allclose(again.p_wrong[items], found.p_wrong, rtol=0, atol=1e-9)
    assert_allclose(again.ask[items], found.ask, rtol=0, atol=1e-9)
    accuracies = [
        np.array([worker["accuracy"] for worker in each.workers]) for each in (again, found)
    ]
    assert_allclose(accuracies[0][workers], accuracies[1], rtol=0, atol=1e-9)


def test_single_votes_stay_as_they_are():
    crowd = make_crowd(0, n=200, n_votes=1, shares=[0.8, 0.1, 0.1])
    findings = judge_votes(crowd.votes)
    assert not findings.has_skill
    assert_array_equal(findings.proba.argmax(axis=1), crowd.votes.label)
    assert ((findings.p_wrong > 0) & (findings.p_wrong < 1)).all()
    assert_allclose(findings.p_wrong, 0.05, rtol=1e-9, atol=0)
    assert findings.noise_rate.low == 0
    assert_allclose(findings.noise_rate.high, 1 - crowd.votes.shares.max(), rtol=1e-12, atol=0)
    assert "no more often than chance" in findings.notes[0]
    assert "one vote" in findings.notes[1]


def test_where_all_agree_nothing_looks_wrong():
    item, worker = np.divmod(np.arange(300), 3)
    findings = judge_votes(read_votes((item, worker, item % 2)))
    assert findings.has_skill
    assert findings.p_wrong.max() < 0.02
    assert not any(entry["guessing"] for entry in findings.workers)


def test_a_rare_class_survives():
    crowd = make_crowd(1, n=2000, n_classes=2, shares=[0.97, 0.03])
    findings = judge_votes(crowd.votes)
    rare = crowd.classes == 1
    assert np.mean(findings.proba.argmax(axis=1)[rare] == 1) > 0.5
    assert accuracy(findings.proba, crowd.classes) >= np.mean(crowd.votes.majority == crowd.classes)


def test_items_without_votes_are_asked_about_first_and_never_suspected():
    crowd = make_crowd(2, n=300)
    votes = crowd.votes.for_items(np.arange(310))
    findings = judge_votes(votes)
    assert (findings.p_wrong[300:] == 0).all()
    assert_allclose(findings.proba[300:].sum(axis=1), 1, rtol=1e-12, atol=0)
    assert findings.ask[300:].min() >= np.quantile(findings.ask[:300], 0.9)
    alone = judge_votes(crowd.votes)
    assert_allclose(findings.proba[:300], alone.proba, rtol=0, atol=1e-12)
    assert_allclose(findings.noise_rate.estimate, alone.noise_rate.estimate, rtol=1e-12, atol=0)


@pytest.mark.parametrize("k", [2, 12])
def test_few_votes_and_many_classes_are_no_trouble(k):
    crowd = make_crowd(3, n=40, n_workers=6, n_votes=3, n_classes=k)
    findings = judge_votes(crowd.votes)
    assert np.isfinite(findings.proba).all()
    assert ((findings.p_wrong >= 0) & (findings.p_wrong <= 1)).all()
    assert findings.shared.shape == (k, k)
