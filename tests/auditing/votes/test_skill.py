"""Skill: agreement beyond chance, whatever the habits."""

import numpy as np
import pytest

from auditing.crowd_cases import draw_votes, make_crowd, workers_right
from errata.auditing.votes import read_votes
from errata.auditing.votes._noise_model import Incidence, agree_beyond_chance


def shows_skill(votes):
    return agree_beyond_chance(votes, Incidence.of(votes))


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
