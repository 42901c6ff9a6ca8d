"""How workers vote: likelihoods against SciPy, and the matrices between one coin and a full one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln
from scipy.stats import betabinom, dirichlet_multinomial

from auditing.crowd_cases import draw_votes, make_crowd, workers_right
from errata.auditing.votes import JudgedVotes, read_votes
from errata.auditing.votes import _noise_model as noise_model
from errata.auditing.votes._finding import find_copying_workers, start
from errata.auditing.votes._noise_model import Incidence, agree_beyond_chance


def log_binomial(n, k):
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


@pytest.mark.parametrize("kappa", [1.0, 8.0, 512.0])
def test_beta_binomial_is_that_of_scipy(kappa):
    right, votes, mean = np.array([3.0, 0, 7]), np.array([5.0, 2, 7]), 0.7
    expected = betabinom.logpmf(right, votes, kappa * mean, kappa * (1 - mean)).sum()
    found = noise_model.beta_binomial(right, votes, mean, kappa)
    assert_allclose(found + log_binomial(votes, right).sum(), expected, rtol=1e-10, atol=0)


@pytest.mark.parametrize("kappa", [1.0, 8.0, 512.0])
def test_dirichlet_multinomial_is_that_of_scipy(kappa):
    counts, prior = np.array([[3, 1, 0], [0, 4, 2]]), np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
    totals = counts.sum(axis=1)
    expected = sum(
        dirichlet_multinomial.logpmf(row, kappa * p, n)
        for row, p, n in zip(counts, prior, totals, strict=True)
    )
    ways = (gammaln(totals + 1) - gammaln(counts + 1).sum(axis=1)).sum()
    seen = counts > 0  # what never occurs adds nothing, and is not kept
    found = noise_model.dirichlet_multinomial(counts[seen], totals, prior[seen], kappa)
    assert_allclose(found + ways, expected, rtol=1e-10, atol=0)


def test_the_shared_matrix_lies_between_one_coin_and_what_was_counted():
    summed = np.array([[80.0, 15, 5], [10, 60, 30], [0, 20, 80]])
    coin, half, full = (noise_model.shared_matrix(summed, 0.7, shape) for shape in (0, 0.5, 1))
    assert_allclose(coin, np.full((3, 3), 0.15) + np.diag([0.55] * 3), rtol=1e-12, atol=0)
    assert_allclose(half.sum(axis=1), 1, rtol=1e-12, atol=0)
    assert full[2, 0] < half[2, 0] < coin[2, 0]
    smoothed = (80 + 0.8 + 0.2 / 3) / 101
    assert_allclose(full[0, 0], 0.98 * smoothed + 0.02 / 3, rtol=1e-12, atol=0)


def test_better_workers_have_better_matrices_and_keep_the_shape_of_mistakes():
    shared = np.array([[0.8, 0.15, 0.05], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
    theta = noise_model.bent(shared, np.array([0.7, 0.9]), 0.7)
    assert_allclose(theta[0], np.diag(shared), rtol=1e-12, atol=0)
    assert (theta[1] > theta[0]).all()
    assert_allclose(noise_model.mistakes_of(shared)[0], [0, 0.75, 0.25], rtol=1e-12, atol=0)


def test_priors_of_a_worker_sum_to_one_over_labels():
    votes = make_crowd(0, n=300).votes
    incidence = Incidence(votes)
    fitted = noise_model.Annotators(incidence, start(votes.counts))
    assert len(incidence.worker) == 90  # every worker gave every label
    assert_allclose(incidence.of_workers @ fitted.prior, 1, rtol=1e-12, atol=0)
    assert_allclose(incidence.of_workers @ fitted.counts, fitted.totals, rtol=1e-12, atol=0)
    assert_allclose(fitted.totals.sum(), len(votes), rtol=1e-12, atol=0)


def test_kappas_are_searched_for_beside_the_last_ones():
    votes = make_crowd(0, n=300).votes
    incidence, q = Incidence(votes), start(votes.counts)
    anywhere = noise_model.Annotators(incidence, q)
    near = noise_model.Annotators(incidence, q, anywhere.kappa_coin, 2 * anywhere.kappa_matrix)
    assert near.kappa_matrix == anywhere.kappa_matrix
    fixed = noise_model.Annotators(incidence, q, 3.0, 5.0, fixed=True)
    assert (fixed.kappa_coin, fixed.kappa_matrix) == (3.0, 5.0)


def wide_votes(seed, accuracies, n=400, k=3):
    random = np.random.default_rng(seed)
    classes = random.integers(k, size=n)
    matrices = workers_right(accuracies, k)
    item, worker, label = draw_votes(random, classes, matrices, len(accuracies))
    wide = np.empty((n, len(accuracies)))
    wide[item, worker] = label
    return wide, classes


def accuracy(wide, classes):
    return np.mean(JudgedVotes(read_votes(wide)).proba.argmax(axis=1) == classes)


@pytest.mark.parametrize("copies", [1, 4])
def test_copies_of_a_bad_worker_change_nothing(copies):
    wide = wide_votes(0, [0.75] * 6 + [0.5])[0]
    votes = read_votes(np.column_stack([wide, *[wide[:, 6]] * copies]))
    first = find_copying_workers(votes)
    assert first.tolist() == [*range(7), *[6] * copies]
    findings = JudgedVotes(votes)
    alone = JudgedVotes(read_votes(wide))
    np.testing.assert_allclose(findings.proba, alone.proba, rtol=0, atol=1e-9)
    assert f"{copies + 1} workers give the same votes" in findings.notes[-1]
    assert len(findings.workers) == 7 + copies
    assert findings.workers[-1]["worker"] == 6 + copies
    np.testing.assert_allclose(
        findings.workers[-1]["accuracy"], findings.workers[6]["accuracy"], rtol=1e-9, atol=0
    )


def test_copies_that_make_a_slip_now_and_then_are_found():
    wide, classes = wide_votes(1, [0.75] * 6 + [0.5], n=600)
    copy = wide[:, 6].copy()
    copy[::200] = (copy[::200] + 1) % 3
    assert find_copying_workers(read_votes(np.column_stack([wide, copy])))[7] == 6
    assert accuracy(np.column_stack([wide, copy, copy]), classes) > 0.9


def test_good_workers_are_no_copies():
    for votes in (
        read_votes(wide_votes(2, [0.95] * 5 + [0.6])[0]),
        make_crowd(0, n_votes=10).votes,
        read_votes(wide_votes(3, [0.9] * 4, n=30, k=2)[0]),
    ):
        assert (find_copying_workers(votes) == np.arange(len(votes.workers))).all()


def test_full_agreement_is_no_copying():
    item, worker = np.divmod(np.arange(300), 3)
    assert find_copying_workers(read_votes((item, worker, item % 2))).tolist() == [0, 1, 2]


def shows_skill(votes):
    return agree_beyond_chance(votes, Incidence(votes))


def habits_alone(seed, n=400, n_workers=20, n_votes=4, k=3):
    """Votes that do not depend on the class, by workers who like some labels better."""
    random = np.random.default_rng(seed)
    habits = np.repeat(random.dirichlet(np.ones(k), n_workers)[:, None], k, axis=1)
    return read_votes(draw_votes(random, np.zeros(n, dtype=int), habits, n_votes))


def test_votes_by_lot_show_no_skill():
    assert sum(shows_skill(habits_alone(seed)) for seed in range(30)) <= 1


def test_workers_in_shifts_with_habits_of_their_own_show_no_skill():
    parts = [habits_alone(seed, n=60, n_workers=4) for seed in range(8)]
    columns = [
        np.concatenate([getattr(part, name) + 1000 * i for i, part in enumerate(parts)])
        for name in ("item", "worker")
    ]
    label = np.concatenate([part.label for part in parts])
    assert not shows_skill(read_votes((*columns, label)))


@pytest.mark.parametrize("shares", [None, [0.9, 0.07, 0.03]])
def test_votes_that_follow_classes_show_skill(shares):
    assert shows_skill(make_crowd(0, n=200, n_votes=3, shares=shares).votes)


def test_those_who_turn_everything_around_do_not_hide_that_others_agree():
    random = np.random.default_rng(0)
    classes = random.integers(2, size=300)
    matrices = workers_right([0.85] * 5 + [0.1] * 2, 2)
    assert shows_skill(read_votes(draw_votes(random, classes, matrices, 7)))


def test_single_votes_show_nothing_and_full_agreement_everything():
    assert not shows_skill(make_crowd(0, n=50, n_votes=1).votes)
    item, worker = np.divmod(np.arange(60), 3)
    assert shows_skill(read_votes((item, worker, item % 2)))
