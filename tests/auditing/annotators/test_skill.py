"""Skill: agreement beyond chance, whatever the habits."""

import numpy as np
import pytest

from crowd_cases import draw_votes, make_crowd
from errata.auditing.annotators import read_votes
from errata.auditing.annotators._incidence import Incidence
from errata.auditing.annotators._skill import agreement_z, is_enough


def z_of(votes):
    return agreement_z(votes, Incidence.of(votes))


def habits_alone(seed, n=400, n_workers=20, n_votes=4, k=3):
    """Votes that do not depend on the class, by workers who like some labels better."""
    random = np.random.default_rng(seed)
    habits = np.repeat(random.dirichlet(np.ones(k), n_workers)[:, None], k, axis=1)
    return read_votes(draw_votes(random, np.zeros(n, dtype=int), habits, n_votes))


def test_votes_by_lot_show_no_skill():
    z = [z_of(habits_alone(seed)) for seed in range(20)]
    assert np.abs(np.mean(z)) < 1
    assert sum(map(is_enough, z)) <= 1


def test_workers_in_shifts_with_habits_of_their_own_show_no_skill():
    parts = [habits_alone(seed, n=60, n_workers=4) for seed in range(8)]
    columns = [
        np.concatenate([getattr(part, name) + 1000 * i for i, part in enumerate(parts)])
        for name in ("item", "worker")
    ]
    label = np.concatenate([part.label for part in parts])
    assert not is_enough(z_of(read_votes((*columns, label))))


@pytest.mark.parametrize("shares", [None, [0.9, 0.07, 0.03]])
def test_votes_that_follow_classes_show_skill(shares):
    assert is_enough(z_of(make_crowd(0, n=200, n_votes=3, shares=shares).votes))


def test_single_votes_show_nothing_and_full_agreement_everything():
    assert z_of(make_crowd(0, n=50, n_votes=1).votes) == 0
    item, worker = np.divmod(np.arange(60), 3)
    assert is_enough(z_of(read_votes((item, worker, item % 2))))
