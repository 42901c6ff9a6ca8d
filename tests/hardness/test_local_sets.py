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
)
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
    *_, usefulness, harmfulness = naive_local_sets(table, y)
    np.testing.assert_array_equal(
        LocalSetSmoother().fit(table, y).flagged_, harmfulness > usefulness
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


def expect_hardness(X, y, metric="euclidean"):
    """What each measure makes of the plain twin of local sets."""
    sets = map(np.asarray, naive_local_sets(X, y, metric))
    _, radius, extent, cardinality, usefulness, harmfulness = sets
    n_friends = np.bincount(y)[y] - 1
    friends = np.maximum(n_friends, 1)  # nobody is in a set without friends
    wider = np.maximum(radius, extent)
    return {
        LocalSetCardinality: 1 - cardinality / friends,
        LocalSetRadius: 1 - np.divide(radius, wider, out=np.zeros(len(y)), where=wider > 0),
        Usefulness: 1 - usefulness / friends,
        Harmfulness: harmfulness / (len(y) - 1 - n_friends),
        LocalSetSmoother: (harmfulness + 1) / (harmfulness + usefulness + 2),
    }


def assert_hardness(expected, X, y, atol=1e-12, **parameters):
    for measure, hardness in expected.items():
        found = measure(**parameters).fit(X, y).suspicion_
        np.testing.assert_allclose(found, hardness, rtol=0, atol=atol, err_msg=measure.__name__)


@given(coarse_tables, st.integers(2, 3), st.sampled_from(["euclidean", "cityblock"]))
def test_measures_follow_from_the_plain_twin_of_local_sets(X, n_classes, metric):
    y = np.arange(len(X)) % n_classes
    assert_hardness(expect_hardness(X, y, metric), X, y, metric=metric)


def test_small_chunks_and_threads_change_nothing(monkeypatch):
    rng = np.random.RandomState(0)
    X, y = rng.randint(5, size=(150, 3)).astype(float), rng.randint(3, size=150)
    monkeypatch.setattr("errata.hardness._measure.CHUNK", 1_000)  # six rows at a time
    assert_hardness(expect_hardness(X, y), X, y, n_jobs=2)


def test_a_friend_as_far_as_the_enemy_is_outside():
    # For row 1 the enemy is at 2, its friend at 1.
    assert_hardness({LocalSetCardinality: [1, 0, 1]}, [[0.0], [1.0], [-1.0]], [0, 0, 1])


def test_of_two_enemies_equally_near_the_first_is_meant():
    # The middle row is the enemy of both others, and the first of them is its enemy.
    assert_hardness({Harmfulness: [1, 1, 0]}, [[0.0], [-1.0], [1.0]], [0, 1, 1])


def test_an_enemy_at_the_same_place_leaves_nobody_inside():
    expected = {LocalSetCardinality: [1, 1, 1, 1], LocalSetRadius: [1, 1, 1, 0]}
    assert_hardness(expected, [[1.0], [1.0], [1.0], [2.0]], [0, 1, 0, 0])


def test_rows_far_from_zero_keep_their_digits():
    X, y = np.array([[0.0, 0], [1, 0], [2.5, 0], [9, 1]]), np.array([0, 0, 1, 1])
    assert_hardness(expect_hardness(X, y), X + 1e9, y)


def test_sparse_matrices_give_the_same_answer():
    rng = np.random.RandomState(0)
    X, y = rng.poisson(1.0, size=(40, 4)) * rng.uniform(size=(40, 4)), rng.randint(2, size=40)
    assert_hardness(expect_hardness(X, y), csr_matrix(X), y, atol=1e-7)
