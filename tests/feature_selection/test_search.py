from itertools import combinations

import numpy as np
import pytest

from errata.feature_selection._search import (
    find_addition,
    find_best_start,
    find_removal,
    search_backward,
    search_forward,
)


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
