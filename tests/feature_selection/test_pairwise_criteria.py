import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from errata.feature_selection import kraskov_mutual_information, mutual_information
from errata.feature_selection._criteria import JointInformation, MinimumRedundancy, PairTable


class Asked:
    """A criterion that keeps what it was asked for."""

    def __init__(self, criterion):
        self.criterion, self.asked = criterion, []

    def scores_with(self, subset, candidates):
        self.asked += [tuple(sorted((*subset, j))) for j in candidates]
        return self.criterion.scores_with(subset, candidates)


@pytest.fixture
def rows():
    """Six columns of which two repeat others, and a target."""
    random = np.random.RandomState(3)
    X = random.normal(size=(200, 6))
    X[:, 4:] = X[:, :2] + random.normal(size=(200, 2)) / 3
    return X, X[:, 0] + X[:, 1] / 2 + X[:, 2] * X[:, 3] + random.normal(size=200) / 4


def forward(criterion, n_columns):
    order = []
    while len(order) < n_columns:
        left = [j for j in range(n_columns) if j not in order]
        order.append(left[int(np.argmax(criterion.scores_with(order, left)))])
    return order


def greedy(relevance, gain, n_columns):
    """The classic loop: the most relevant column first, then the one of the largest gain."""
    order = [int(np.argmax(relevance))]
    while len(order) < n_columns:
        left = [j for j in range(n_columns) if j not in order]
        order.append(max(left, key=lambda j: gain(j, order)))
    return order


def peng(X, tells, k):
    """The order of mRMR, where ``tells(columns)`` is their information about the target."""
    relevance = [tells(X[:, [j]]) for j in range(X.shape[1])]

    def gain(j, chosen):
        redundancy = [kraskov_mutual_information(X[:, i], X[:, j], n_neighbors=k) for i in chosen]
        return relevance[j] - np.mean(redundancy)

    return greedy(relevance, gain, X.shape[1])


def yang_moody(X, tells, k):
    """The order of JMI."""
    relevance = [tells(X[:, [j]]) for j in range(X.shape[1])]

    def gain(j, chosen):
        return sum(tells(X[:, [i, j]]) for i in chosen)

    return greedy(relevance, gain, X.shape[1])


LOOPS = [(MinimumRedundancy, peng), (JointInformation, yang_moody)]


@pytest.mark.parametrize(("criterion", "loop"), LOOPS)
@pytest.mark.parametrize("k", [3, 8])
def test_forward_is_the_classic_greedy_loop(rows, criterion, loop, k):
    X, target = rows
    order = forward(criterion(X, target, k, numeric=True), 6)
    assert order == loop(X, lambda x: kraskov_mutual_information(x, target, n_neighbors=k), k)


@pytest.mark.parametrize(("criterion", "loop"), LOOPS)
def test_forward_is_the_classic_greedy_loop_for_classes(criterion, loop):
    X, y = load_wine(return_X_y=True)
    X = scale(X) + np.random.RandomState(0).normal(scale=1e-3, size=X.shape)
    order = forward(criterion(X, y, 8, numeric=False), 13)
    assert order == loop(X, lambda x: mutual_information(x, y), 8)


def test_minimum_redundancy_of_three_columns(rows):
    X, target = rows
    relevance = [kraskov_mutual_information(X[:, j], target) for j in (4, 0, 2)]
    pairs = [(4, 0), (4, 2), (0, 2)]
    redundancy = [kraskov_mutual_information(X[:, i], X[:, j]) for i, j in pairs]
    expected = np.mean(relevance) - np.mean(redundancy) / 2
    assert MinimumRedundancy(*rows, 3, numeric=True).score((4, 0, 2)) == pytest.approx(
        expected, abs=1e-12
    )


def test_joint_information_of_three_columns(rows):
    X, target = rows
    pairs = [[4, 0], [4, 2], [0, 2]]
    expected = np.mean([kraskov_mutual_information(X[:, pair], target) for pair in pairs])
    assert JointInformation(*rows, 3, numeric=True).score((4, 0, 2)) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("criterion", [MinimumRedundancy, JointInformation])
def test_every_way_to_a_set_gives_the_same_score(rows, criterion):
    criterion = criterion(*rows, 3, numeric=True)
    subset = (5, 0, 3, 1)
    less = [criterion.score(np.delete(subset, place)) for place in range(4)]
    np.testing.assert_allclose(criterion.scores_without(subset), less, rtol=0, atol=1e-12)
    more = [criterion.score((*subset, j)) for j in (4, 2)]
    np.testing.assert_allclose(criterion.scores_with(subset, (4, 2)), more, rtol=0, atol=1e-12)
    assert criterion.score(()) == 0
    assert criterion.scores_without((2,)).tolist() == [0]
    alone = criterion.information.score((2,))
    assert criterion.score((2,)) == pytest.approx(alone, abs=1e-12)
    np.testing.assert_allclose(criterion.scores_without((2, 4))[1], alone, rtol=0, atol=1e-12)


def test_a_repeated_column_comes_late_where_redundancy_counts(rows):
    X, target = rows
    twice = np.column_stack([X[:, 0], X[:, 1], X[:, 0] + 1e-3 * X[:, 5]])
    order = forward(MinimumRedundancy(twice, target, 3, numeric=True), 3)
    assert order[1] == 1


@pytest.mark.parametrize("criterion", [MinimumRedundancy, JointInformation])
def test_pairs_are_measured_when_they_are_needed_and_once(rows, criterion):
    criterion = criterion(*rows, 3, numeric=True)
    measured = []
    measure = criterion.pairs.measure
    criterion.pairs.measure = lambda i, others: (
        measured.extend(frozenset((i, j)) for j in others) or measure(i, others)
    )
    criterion.scores_with((0,), (1, 2))
    assert measured == [{0, 1}, {0, 2}]
    criterion.scores_without((1, 0, 2))
    assert len(measured) == len(set(measured)) == 3
    forward(criterion, 6)
    assert len(measured) == len(set(measured)) <= 15


def test_relevance_is_measured_once(rows):
    criterion = MinimumRedundancy(*rows, 3, numeric=True)
    information = criterion.information = Asked(criterion.information)
    forward(criterion, 6)
    forward(criterion, 6)
    assert information.asked == [(j,) for j in range(6)]


def test_a_table_is_symmetric_and_knows_its_diagonal():
    table = PairTable(4, lambda i, others: 10.0 * i + np.array(others))
    np.testing.assert_array_equal(table.between((1,), (1, 3)), [[0, 13]])
    np.testing.assert_array_equal(table.between((3,), (1, 2)), [[13, 32]])
    assert np.isnan(table.values[0, 1:]).all()
