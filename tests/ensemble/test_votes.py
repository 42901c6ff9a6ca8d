import numpy as np

from errata.ensemble._bags import vote_fractions

VOTES = np.array([[0, 1, 1, 2], [2, 2, 2, 2]])


def test_fractions_by_hand():
    np.testing.assert_array_equal(vote_fractions(VOTES, 3), [[0.25, 0.5, 0.25], [0, 0, 1]])
    weighted = vote_fractions(VOTES, 3, np.array([3.0, 1, 1, 0]))
    np.testing.assert_allclose(weighted, [[0.6, 0.4, 0], [0, 0, 1]], rtol=0, atol=1e-15)


def test_votes_that_do_not_count():
    counted = np.array([[True, True, False, False], [False] * 4])
    found = vote_fractions(VOTES, 3, counted=counted)
    np.testing.assert_array_equal(found, [[0.5, 0.5, 0], [np.nan] * 3])
