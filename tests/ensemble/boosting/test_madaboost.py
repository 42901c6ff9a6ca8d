import numpy as np
from sklearn.datasets import load_breast_cancer

from errata.ensemble import DiscreteAdaBoostClassifier, MadaBoostClassifier
from errata.ensemble.boosting._tempered import CappedDistribution
from errata.noise import flip_labels


def test_a_wrong_row_keeps_the_weight_that_it_had():
    # One of five rows is wrong: e = 0.2, a = log 4, right rows fall to one half.
    distribution = CappedDistribution(np.full(5, 0.2), np.zeros(5, int))
    moved = distribution.after(np.array([1, 0, 0, 0, 0]), np.log(4))
    np.testing.assert_allclose(moved, [1 / 3, *[1 / 6] * 4], rtol=0, atol=1e-12)


def test_weights_are_the_printed_formula():
    random = np.random.RandomState(0)
    start, codes = random.dirichlet(np.ones(8)), random.randint(3, size=8)
    start[0] = 0
    distribution, L = CappedDistribution(start, codes), np.zeros(8)
    for _ in range(6):
        outputs, a = random.randint(3, size=8), random.uniform(0.1, 2)
        L += a / 2 * (2 * (outputs != codes) - 1)
        expected = start * np.minimum(1, np.exp(L))
        moved = distribution.after(outputs, a)
        np.testing.assert_allclose(moved, expected / expected.sum(), rtol=0, atol=1e-12)


def test_weights_do_not_vanish_when_every_row_is_right_for_long():
    distribution, codes = CappedDistribution(np.full(3, 1 / 3), np.zeros(3, int)), np.zeros(3, int)
    for _ in range(200):
        moved = distribution.after(codes, 20.0)
    np.testing.assert_allclose(moved, [1 / 3] * 3, rtol=0, atol=1e-12)


def test_wrong_labels_harm_less_than_in_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    gains = []
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(len(y))
        train, test = order[:300], order[300:]
        labels, _ = flip_labels(y[train], 0.3, random_state=seed)
        mada, ada = (
            b(n_estimators=50).fit(X[train], labels).score(X[test], y[test])
            for b in (MadaBoostClassifier, DiscreteAdaBoostClassifier)
        )
        gains.append(mada - ada)
    assert np.mean(gains) > 0.03
