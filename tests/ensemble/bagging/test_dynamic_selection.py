import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import Perceptron

from errata.ensemble import HardnessBaggingClassifier
from errata.ensemble.bagging import _hardness_bagging as local
from errata.noise import flip_labels


def test_competence_counts_the_nearest_rows_that_a_member_gets_right(monkeypatch):
    monkeypatch.setattr(local, "REGION", 2)
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    right = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    competence = local.LocalCompetence(X, right)
    np.testing.assert_array_equal(competence(np.array([[0.4], [10.6]])), [[2, 0, 1], [0, 0, 2]])


def test_members_count_alike_where_none_is_right():
    competence = local.LocalCompetence(np.zeros((3, 1)), np.zeros((3, 4), dtype=bool))
    np.testing.assert_array_equal(competence(np.ones((2, 1))), np.ones((2, 4)))


def test_batches_do_not_matter(monkeypatch):
    random = np.random.RandomState(0)
    X, right = random.normal(size=(50, 2)), random.rand(50, 9) < 0.5
    whole = local.LocalCompetence(X, right)(X)
    monkeypatch.setattr(local, "BATCH", 100)
    np.testing.assert_array_equal(local.LocalCompetence(X, right)(X), whole)


@pytest.mark.parametrize("level", [0.0, 0.2])
def test_local_votes_bend_a_border_of_straight_members(level):
    X, y = make_moons(600, noise=0.1, random_state=0)
    labels, _ = flip_labels(y[:300], level, random_state=0)

    def accuracy(voting):
        base = Perceptron(max_iter=5, tol=None)
        model = HardnessBaggingClassifier(base, voting=voting, random_state=0)
        return model.fit(X[:300], labels).score(X[300:], y[300:])

    assert accuracy("local") > accuracy("hard") + 0.02
