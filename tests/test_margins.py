import numpy as np

from errata._margins import own_and_best_other, probability_margin


def test_margins_by_hand():
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.4, 0.35, 0.25], [1 / 3, 1 / 3, 1 / 3]])
    margins = probability_margin(proba, np.array([0, 0, 1, 2]))
    np.testing.assert_allclose(margins, [0.25, 0.85, 0.525, 0.5], rtol=1e-12)


def test_own_and_the_best_other():
    own, other = own_and_best_other(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1]))
    assert own.tolist() == [0.5, 0.2]
    assert other.tolist() == [0.3, 0.7]
