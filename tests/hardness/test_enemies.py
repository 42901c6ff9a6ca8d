import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix

from errata.hardness import _local_sets
from errata.hardness._local_sets import LocalSets, find_local_sets
from hardness.naive_hardness import naive_local_sets

coarse_tables = hnp.arrays(
    float, st.tuples(st.integers(3, 25), st.integers(1, 3)), elements=st.integers(0, 4)
)


def assert_same(found, expected):
    for name, ours, theirs in zip(LocalSets._fields, found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12, err_msg=name)


@given(coarse_tables, st.integers(2, 3), st.sampled_from(["euclidean", "cityblock"]))
def test_local_sets_equal_their_plain_twin(X, n_classes, metric):
    y = np.arange(len(X)) % n_classes
    assert_same(find_local_sets(X, y, metric=metric), naive_local_sets(X, y, metric))


@given(coarse_tables)
def test_who_is_held_is_held_by_somebody_and_everybody_has_one_enemy(X):
    sets = find_local_sets(X, np.arange(len(X)) % 2)
    assert sets.usefulness.sum() == sets.cardinality.sum()
    assert sets.harmfulness.sum() == len(X)


def test_small_chunks_and_threads_change_nothing(monkeypatch):
    rng = np.random.RandomState(0)
    X, y = rng.randint(5, size=(150, 3)).astype(float), rng.randint(3, size=150)
    monkeypatch.setattr(_local_sets, "CHUNK", 1_000)  # six rows at a time
    assert_same(find_local_sets(X, y, n_jobs=2), naive_local_sets(X, y))


def test_a_friend_as_far_as_the_enemy_is_outside():
    sets = find_local_sets(np.array([[0.0], [1.0], [-1.0]]), np.array([0, 0, 1]))
    assert sets.cardinality.tolist() == [0, 1, 0]  # for row 1 the enemy is at 2, its friend at 1


def test_of_two_enemies_equally_near_the_first_is_meant():
    sets = find_local_sets(np.array([[0.0], [-1.0], [1.0]]), np.array([0, 1, 1]))
    assert sets.enemy.tolist() == [1, 0, 0]
    assert sets.harmfulness.tolist() == [2, 1, 0]


def test_an_enemy_at_the_same_place_leaves_nobody_inside():
    sets = find_local_sets(np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 0, 0]))
    assert sets.radius.tolist() == [0, 0, 0, 1]
    assert sets.cardinality.tolist() == [0, 0, 0, 0]


def test_rows_far_from_zero_keep_their_digits():
    X, y = np.array([[0.0, 0], [1, 0], [2.5, 0], [9, 1]]), np.array([0, 0, 1, 1])
    assert_same(find_local_sets(X + 1e9, y), naive_local_sets(X, y))


def test_sparse_matrices_give_the_same_answer():
    rng = np.random.RandomState(0)
    X, y = rng.poisson(1.0, size=(40, 4)) * rng.uniform(size=(40, 4)), rng.randint(2, size=40)
    sparse, dense = find_local_sets(csr_matrix(X), y), find_local_sets(X, y)
    for ours, theirs in zip(sparse, dense, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7)
