import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata.hardness import (
    Harmfulness,
    LocalSetCardinality,
    LocalSetRadius,
    LocalSetSmoother,
    Usefulness,
)
from errata.hardness._local_sets import find_local_sets

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
