import numpy as np

from errata.auditing.votes._audit import noise_of_majority


def test_a_class_that_nothing_speaks_for_keeps_its_label():
    prior, transition = noise_of_majority(np.array([[1.0, 0, 0], [0.2, 0.8, 0]]), np.array([0, 1]))
    np.testing.assert_allclose(prior, [0.6, 0.4, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(transition[2], [0, 0, 1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(transition.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_items_without_votes_do_not_count():
    prior, _ = noise_of_majority(np.array([[1.0, 0], [0, 1.0]]), np.array([0, -1]))
    np.testing.assert_allclose(prior, [1, 0], rtol=0, atol=1e-12)
