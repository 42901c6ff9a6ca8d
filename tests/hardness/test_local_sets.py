import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix

from errata.hardness import (
    Harmfulness,
    LocalSetCardinality,
    LocalSetRadius,
    LocalSetSmoother,
    Usefulness,
    _local_sets,
)
from errata.hardness._local_sets import LocalSets, find_local_sets
from hardness.naive_hardness import naive_local_sets

MEASURES = [LocalSetCardinality, LocalSetRadius, Usefulness, Harmfulness, LocalSetSmoother]

every_measure = pytest.mark.parametrize("measure", MEASURES)

# On a line: a a a b(4) | a(5) b b b: rows 3 and 4 stand on the wrong side.
X = np.array([0.0, 1, 2, 4, 5.5, 8, 9, 10.5])[:, None]

Y = np.array(["a", "a", "a", "b", "a", "b", "b", "b"])


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Enemies: 3 3 3 4 3 4 4 4, radii 4 3 2 1.5 1.5 2.5 3.5 5.
        (LocalSetCardinality, [1 / 3, 1 / 3, 2 / 3, 1, 1, 2 / 3, 1 / 3, 1 / 3]),
        (
            LocalSetRadius,
            [1.5 / 5.5, 1.5 / 4.5, 1.5 / 3.5, 5 / 6.5, 4 / 5.5, 1.5 / 4, 1.5 / 5, 1.5 / 6.5],
        ),
        (Usefulness, [2 / 3, 0 + 1 / 3, 1 / 3, 1, 1, 1 / 3, 1 / 3, 2 / 3]),
        (Harmfulness, [0, 0, 0, 1, 1, 0, 0, 0]),
        (LocalSetSmoother, [1 / 3, 1 / 4, 1 / 4, 5 / 6, 5 / 6, 1 / 4, 1 / 4, 1 / 3]),
    ],
)
def test_hardness_by_hand(measure, expected):
    np.testing.assert_allclose(measure().fit(X, Y).suspicion_, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", [LocalSetCardinality, Usefulness, LocalSetSmoother])
def test_rows_on_the_wrong_side_are_flagged_and_corrected(measure):
    detector = measure().fit(X, Y)
    assert np.flatnonzero(detector.flagged_).tolist() == [3, 4]
    assert detector.suggested_[[3, 4]].tolist() == ["a", "b"]


@pytest.mark.parametrize("measure", [LocalSetRadius, Harmfulness])
def test_distances_and_harm_condemn_nobody_unless_told(measure):
    assert not measure().fit(X, Y).flagged_.any()
    assert np.flatnonzero(measure(contamination=0.25).fit(X, Y).flagged_).tolist() == [3, 4]


@every_measure
@given(
    hnp.arrays(float, st.tuples(st.integers(4, 20), st.integers(1, 3)), elements=st.integers(0, 5)),
    st.sampled_from([0.25, 8]),
)
def test_units_and_places_do_not_matter(measure, table, factor):
    y = np.arange(len(table)) % 2
    there = measure().fit(table * factor + 16, y)
    np.testing.assert_allclose(
        there.suspicion_, measure().fit(table, y).suspicion_, rtol=0, atol=1e-12
    )


@given(hnp.arrays(float, st.tuples(st.integers(4, 25), st.just(2)), elements=st.integers(0, 9)))
def test_the_smoother_flags_what_harms_more_than_it_helps(table):
    y = np.arange(len(table)) % 2
    sets = find_local_sets(table, y)
    np.testing.assert_array_equal(
        LocalSetSmoother().fit(table, y).flagged_, sets.harmfulness > sets.usefulness
    )


def test_a_row_alone_in_its_class_has_no_friends():
    table, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1]
    assert LocalSetCardinality().fit(table, y).suspicion_[3] == 1
    assert Usefulness().fit(table, y).suspicion_[3] == 1
    assert LocalSetRadius().fit(table, y).suspicion_[3] == 0  # farther from all than it extends
    assert Harmfulness().fit(table, y).suspicion_[3] == 1


def test_separate_classes_are_easy():
    table, y = np.r_[np.arange(9), 100 + np.arange(9)][:, None], np.repeat([0, 1], 9)
    for measure in (LocalSetCardinality, LocalSetRadius, Usefulness):
        assert not measure().fit(table, y).suspicion_.any()


@every_measure
def test_another_metric_may_be_asked_for(measure):
    rng = np.random.RandomState(0)
    table, y = rng.normal(size=(60, 3)), rng.randint(2, size=60)
    far, near = measure(metric="cityblock").fit(table, y), measure().fit(table, y)
    assert not np.array_equal(far.suspicion_, near.suspicion_)


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
