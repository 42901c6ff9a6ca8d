"""Which cells the self-check flips."""

import numpy as np

from errata.auditing.multilabel._finding import cells_to_flip


def test_as_many_are_added_as_taken_away_and_no_label_loses_more_than_half():
    random = np.random.default_rng(0)
    Y = (random.random((300, 4)) < [0.5, 0.3, 0.1, 0.02]).astype(int)
    chosen = cells_to_flip(Y, np.array([0, 1, 3]), random)
    assert not chosen[:, 2].any()
    assert chosen[Y == 1].sum() == chosen[Y == 0].sum() == round(0.05 * 900) // 2
    assert np.all(np.sum(chosen & (Y == 1), axis=0) <= Y.sum(axis=0) // 2)


def test_a_rare_label_loses_half_of_its_rows_at_most():
    Y = np.zeros((200, 2), dtype=int)
    Y[:9, 0] = Y[:7, 1] = 1
    chosen = cells_to_flip(Y, np.array([0, 1]), np.random.default_rng(0))
    assert np.sum(chosen & (Y == 1), axis=0).tolist() == [4, 3]
    assert chosen[Y == 0].sum() == 10
