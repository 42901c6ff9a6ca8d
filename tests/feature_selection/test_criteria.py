from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from errata.feature_selection import kraskov_mutual_information, mutual_information
from errata.feature_selection._distances import ClassRows
from errata.feature_selection._estimates import (
    CountedRisk,
    Information,
    JointInformation,
    MinimumRedundancy,
    NumericInformation,
    PairTable,
    SoftRisk,
)
from errata.feature_selection._selector import (
    find_addition,
    find_best_start,
    find_removal,
    search_backward,
    search_forward,
)
from feature_selection.naive_information import naive_information, naive_posteriors

K = 4


@pytest.fixture(scope="module")
def table():
    rng = np.random.RandomState(0)
    y = np.concatenate([np.repeat([0, 1, 2], 6), rng.randint(3, size=60)])
    X = rng.normal(size=(len(y), 5))
    X[:, :3] += y[:, None]
    return X, y


def naive_count(X, y, k):
    return -np.mean(naive_posteriors(X, y, k).argmax(axis=1) != y)


def naive_soft(X, y, k):
    return -np.mean(1 - naive_posteriors(X, y, k).max(axis=1))


CRITERIA = [(Information, naive_information), (CountedRisk, naive_count), (SoftRisk, naive_soft)]

each = pytest.mark.parametrize(("criterion", "naive"), CRITERIA, ids=["mi", "count", "soft"])


@pytest.fixture(params=["plain", "fastest"])
def twin(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr("errata._kernels.find_spec", lambda name: None)


@each
@pytest.mark.usefixtures("twin")
def test_scores_are_those_of_the_columns_alone(criterion, naive, table):
    X, y = table
    found = criterion(ClassRows(X, y, K))
    for subset in [(3,), (1, 4), (4, 0, 2), (0, 1, 2, 3)]:
        outside = [j for j in range(5) if j not in subset]
        np.testing.assert_allclose(
            found.score(subset), naive(X[:, subset], y, K), rtol=0, atol=1e-10
        )
        np.testing.assert_allclose(
            found.scores_with(subset, outside),
            [naive(X[:, [*subset, j]], y, K) for j in outside],
            rtol=0,
            atol=1e-10,
        )
        if len(subset) > 1:
            np.testing.assert_allclose(
                found.scores_without(subset),
                [naive(X[:, [i for i in subset if i != j]], y, K) for j in subset],
                rtol=0,
                atol=1e-10,
            )


@each
def test_no_column_is_worth_the_prior(criterion, naive, table):
    X, y = table
    found = criterion(ClassRows(X, y, K))
    worth = 0 if criterion is Information else np.bincount(y).max() / len(y) - 1
    assert found.score(()) == pytest.approx(worth, abs=1e-15)
    np.testing.assert_allclose(found.scores_without((2,)), [worth], rtol=0, atol=1e-15)
    assert len(found.scores_with((), range(5))) == 5


@each
@pytest.mark.parametrize("chunk_bytes", [1, 3_000, 2**20])
@pytest.mark.usefixtures("twin")
def test_blocks_and_threads_change_nothing(criterion, naive, table, chunk_bytes):
    rows = ClassRows(*table, K)
    whole = criterion(rows)
    cut = criterion(rows, chunk_bytes=chunk_bytes, n_jobs=2)
    for subset in [(0, 1), (0, 1, 2, 3)]:
        np.testing.assert_allclose(
            cut.scores_without(subset), whole.scores_without(subset), rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            cut.scores_with(subset, [4]), whole.scores_with(subset, [4]), rtol=0, atol=1e-12
        )


@each
def test_threads_change_not_a_bit(criterion, naive):
    rng = np.random.RandomState(0)
    rows = ClassRows(rng.normal(size=(700, 4)), np.arange(700) % 3, K)
    one, three = criterion(rows, n_jobs=1), criterion(rows, n_jobs=3)
    np.testing.assert_array_equal(
        one.scores_without((0, 1, 2, 3)), three.scores_without((0, 1, 2, 3))
    )


def test_counted_risks_that_are_equal_are_told_apart_by_the_soft_one(table):
    found = CountedRisk(ClassRows(*table, K))
    assert isinstance(found.tie_break, SoftRisk)
    assert Information(ClassRows(*table, K)).tie_break is None


def test_equal_rows_in_some_columns_only_are_named():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.normal(size=40), np.repeat(rng.normal(size=4), 10)])
    found = Information(ClassRows(X, np.arange(40) % 2, K))
    assert np.isfinite(found.score((0, 1)))
    with pytest.raises(ValueError, match="40 or more rows have as many equals"):
        found.scores_without((0, 1))


@pytest.fixture
def rows():
    random = np.random.RandomState(0)
    X = random.normal(size=(150, 6))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + random.normal(size=150) / 4


@pytest.mark.parametrize("subset", [(2,), (0, 4), (5, 1, 3), (0, 1, 2, 3, 4, 5)])
def test_every_way_to_a_set_gives_what_the_function_gives(rows, subset):
    X, target = rows
    criterion = NumericInformation(X, target, 3)
    expected = kraskov_mutual_information(X[:, list(subset)], target)
    assert criterion.score(subset) == expected
    assert criterion.scores_with(subset[1:], subset[:1]).item() == expected
    others = [j for j in range(6) if j not in subset]
    if others:
        assert criterion.scores_without((*subset, others[0]))[-1] == expected


def test_scores_stand_in_the_order_asked_for(rows):
    criterion = NumericInformation(*rows, 3)
    some = criterion.scores_with((0, 5), (3, 1, 2))
    np.testing.assert_array_equal(some, [criterion.score((0, 5, j)) for j in (3, 1, 2)])
    less = criterion.scores_without((4, 1, 0, 2))
    sets = [(1, 0, 2), (4, 0, 2), (4, 1, 2), (4, 1, 0)]
    np.testing.assert_array_equal(less, [criterion.score(columns) for columns in sets])


def test_no_column_tells_nothing(rows):
    criterion = NumericInformation(*rows, 3)
    assert criterion.score(()) == 0
    np.testing.assert_array_equal(criterion.scores_without((3,)), [0])
    assert criterion.scores_with((3,), ()).shape == (0,)


def test_two_threads_find_the_same(rows):
    one, two = (NumericInformation(*rows, 3, n_jobs=n_jobs) for n_jobs in (None, 2))
    every = tuple(range(6))
    np.testing.assert_array_equal(one.scores_without(every), two.scores_without(every))
    np.testing.assert_array_equal(one.scores_with((), every), two.scores_with((), every))


def test_columns_that_count_are_told_from_those_that_do_not(rows):
    criterion = NumericInformation(*rows, 3)
    assert criterion.score((0, 1, 2)) > criterion.score((3, 4, 5)) + 0.3
    assert np.argmin(criterion.scores_without((0, 1, 2, 3))) < 3


class Asked:
    """A criterion that keeps what it was asked for."""

    def __init__(self, criterion):
        self.criterion, self.asked = criterion, []

    def scores_with(self, subset, candidates):
        self.asked += [tuple(sorted((*subset, j))) for j in candidates]
        return self.criterion.scores_with(subset, candidates)


@pytest.fixture
def repeating_rows():
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
def test_forward_is_the_classic_greedy_loop(repeating_rows, criterion, loop, k):
    X, target = repeating_rows
    order = forward(criterion(X, target, k, numeric=True), 6)
    assert order == loop(X, lambda x: kraskov_mutual_information(x, target, n_neighbors=k), k)


@pytest.mark.parametrize(("criterion", "loop"), LOOPS)
def test_forward_is_the_classic_greedy_loop_for_classes(criterion, loop):
    X, y = load_wine(return_X_y=True)
    X = scale(X) + np.random.RandomState(0).normal(scale=1e-3, size=X.shape)
    order = forward(criterion(X, y, 8, numeric=False), 13)
    assert order == loop(X, lambda x: mutual_information(x, y), 8)


def test_minimum_redundancy_of_three_columns(repeating_rows):
    X, target = repeating_rows
    relevance = [kraskov_mutual_information(X[:, j], target) for j in (4, 0, 2)]
    pairs = [(4, 0), (4, 2), (0, 2)]
    redundancy = [kraskov_mutual_information(X[:, i], X[:, j]) for i, j in pairs]
    expected = np.mean(relevance) - np.mean(redundancy) / 2
    assert MinimumRedundancy(*repeating_rows, 3, numeric=True).score((4, 0, 2)) == pytest.approx(
        expected, abs=1e-12
    )


def test_joint_information_of_three_columns(repeating_rows):
    X, target = repeating_rows
    pairs = [[4, 0], [4, 2], [0, 2]]
    expected = np.mean([kraskov_mutual_information(X[:, pair], target) for pair in pairs])
    assert JointInformation(*repeating_rows, 3, numeric=True).score((4, 0, 2)) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("criterion", [MinimumRedundancy, JointInformation])
def test_every_way_to_a_set_gives_the_same_score(repeating_rows, criterion):
    criterion = criterion(*repeating_rows, 3, numeric=True)
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


def test_a_repeated_column_comes_late_where_redundancy_counts(repeating_rows):
    X, target = repeating_rows
    twice = np.column_stack([X[:, 0], X[:, 1], X[:, 0] + 1e-3 * X[:, 5]])
    order = forward(MinimumRedundancy(twice, target, 3, numeric=True), 3)
    assert order[1] == 1


@pytest.mark.parametrize("criterion", [MinimumRedundancy, JointInformation])
def test_pairs_are_measured_when_they_are_needed_and_once(repeating_rows, criterion):
    criterion = criterion(*repeating_rows, 3, numeric=True)
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


def test_relevance_is_measured_once(repeating_rows):
    criterion = MinimumRedundancy(*repeating_rows, 3, numeric=True)
    information = criterion.information = Asked(criterion.information)
    forward(criterion, 6)
    forward(criterion, 6)
    assert information.asked == [(j,) for j in range(6)]


def test_a_table_is_symmetric_and_knows_its_diagonal():
    table = PairTable(4, lambda i, others: 10.0 * i + np.array(others))
    np.testing.assert_array_equal(table.between((1,), (1, 3)), [[0, 13]])
    np.testing.assert_array_equal(table.between((3,), (1, 2)), [[13, 32]])
    assert np.isnan(table.values[0, 1:]).all()


class Table:
    """A criterion that looks scores up; ``asked`` counts the subsets."""

    def __init__(self, worth, tie_break=None):
        self.worth, self.asked, self.tie_break = worth, 0, tie_break

    def score(self, subset):
        self.asked += 1
        return self.worth(frozenset(subset))

    def scores_with(self, subset, candidates):
        return np.array([self.score([*subset, j]) for j in candidates])

    def scores_without(self, subset):
        return np.array([self.score([i for i in subset if i != j]) for j in subset])


def silent(done, total):
    pass


def random_table(seed, p=6):
    rng = np.random.RandomState(seed)
    values = {
        frozenset(s): rng.normal() for size in range(p + 1) for s in combinations(range(p), size)
    }
    return Table(values.__getitem__)


PAIR = Table(lambda s: len(s & {3, 4}) ** 2 - 0.1 * len(s))  # two columns that need each other


def test_backward_removes_what_is_missed_least():
    worth = {0: 1.0, 1: 4.0, 2: 2.0, 3: 3.0}
    path = search_backward(Table(lambda s: sum(worth[j] for j in s)), range(4), 1, progress=silent)
    assert path.subsets == {4: (0, 1, 2, 3), 3: (1, 2, 3), 2: (1, 3), 1: (1,)}
    assert path.scores == {4: 10, 3: 9, 2: 7, 1: 4}


def test_forward_adds_what_helps_most():
    worth = {0: 1.0, 1: 4.0, 2: 2.0, 3: 3.0}
    path = search_forward(Table(lambda s: sum(worth[j] for j in s)), range(4), 3, progress=silent)
    assert path.subsets == {1: (1,), 2: (1, 3), 3: (1, 2, 3)}


def test_searches_ask_as_often_as_they_say():
    table = random_table(0)
    search_backward(table, range(6), 1, progress=silent)
    assert table.asked == 6 * 7 / 2  # p (p + 1) / 2 - 1, and all columns
    table = random_table(0)
    search_forward(table, range(6), 6, progress=silent)
    assert table.asked == 6 * 7 / 2


@pytest.mark.parametrize("size", [2, 3])
def test_the_start_is_the_best_of_all_subsets(size):
    for seed in range(5):
        table = random_table(seed)
        subset, score = find_best_start(table, range(6), size)
        assert score == max(table.worth(frozenset(s)) for s in combinations(range(6), size))
        assert table.worth(frozenset(subset)) == score


def test_too_many_subsets_to_begin_with():
    with pytest.raises(ValueError, match="start_size=3 of 108 columns means 204,156 subsets"):
        find_best_start(Table(len), range(108), 3)


def test_a_floating_search_never_does_worse_than_its_records():
    better = 0
    for seed in range(20):
        table = random_table(seed)
        plain = search_forward(table, range(6), 6, progress=silent)
        floating = search_forward(table, range(6), 6, floating=True, progress=silent)
        for size in range(1, 7):
            assert floating.scores[size] >= plain.scores[size]
            assert floating.scores[size] == table.worth(frozenset(floating.subsets[size]))
        better += floating.scores != plain.scores
    assert better > 5


def test_a_floating_search_takes_back_what_a_forward_one_keeps():
    # 0 is the best single column; 1, 2 and 3 are best together.
    def worth(s):
        return 3.0 if s == {0} else 2 * len(s & {1, 2, 3}) + (1 - 0.5 * len(s)) * (0 in s)

    plain = search_forward(Table(worth), range(4), 4, progress=silent)
    floating = search_forward(Table(worth), range(4), 4, floating=True, progress=silent)
    assert 0 in plain.subsets[3]
    assert floating.subsets[3] == (1, 2, 3)


def test_equal_scores_add_the_lowest_and_remove_the_highest():
    flat = Table(lambda s: 0.0)
    assert find_addition(flat, (2,), [4, 1, 3])[0] == (2, 4)  # in the order given, which ascends
    assert find_removal(flat, (2, 5, 1)) == ((2, 1), 0.0)


def test_a_second_criterion_is_asked_first():
    second = Table(lambda s: float(3 in s))
    flat = Table(lambda s: 0.0, tie_break=second)
    assert find_addition(flat, (), [1, 3, 4])[0] == (3,)
    assert find_removal(flat, (1, 3, 4))[0] == (1, 3)
    assert find_removal(Table(lambda s: 0.0, tie_break=Table(lambda s: float(1 not in s))), (1, 3))[
        0
    ] == (3,)


def test_progress_is_told_from_start_to_end():
    told = []
    search_backward(PAIR, range(5), 2, progress=lambda *args: told.append(args))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    told.clear()
    search_forward(PAIR, range(5), 4, start_size=2, progress=lambda *args: told.append(args))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
