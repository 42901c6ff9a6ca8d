import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata._blocks import blocks, map_blocks, reduce_blocks


@given(st.integers(0, 200), st.integers(0, 60), st.integers(0, 9))
def test_blocks_cover_all_rows_in_order_and_within_bounds(n, size, width):
    parts = list(blocks(n, size, width=width))
    np.testing.assert_array_equal(np.concatenate([np.arange(n)[p] for p in parts]), np.arange(n))
    lengths = [part.stop - part.start for part in parts]
    assert max(lengths) == 1 or max(lengths) * max(1, width) <= size or n == 0
    assert max(lengths) - min(lengths) <= 1


def test_no_rows_are_one_empty_block():
    assert list(blocks(0, 5)) == [slice(0, 0)]
    assert map_blocks(lambda rows: np.zeros((7, 2))[rows], blocks(0, 5)).shape == (0, 2)


tables = st.integers(1, 60).flatmap(
    lambda n: st.tuples(
        st.just(np.random.RandomState(n).randint(-9, 9, (n, 3))), st.integers(1, 70)
    )
)


@given(tables)
def test_whatever_the_blocks_the_same_rows_come_back(case):
    X, size = case
    expected = 2 * X + 1
    shared = (X, 2)
    found = map_blocks(lambda rows, X, factor: factor * X[rows] + 1, blocks(len(X), size), *shared)
    np.testing.assert_array_equal(found, expected)


@given(tables)
def test_whatever_the_blocks_the_same_sums_are_made(case):
    X, size = case
    gram = reduce_blocks(lambda rows, X: X[rows].T @ X[rows], blocks(len(X), size), X)
    np.testing.assert_array_equal(gram, X.T @ X)
    largest = reduce_blocks(lambda rows: X[rows].max(), blocks(len(X), size), merge=max)
    assert largest == X.max()


def test_results_are_merged_as_they_come_in_order():
    seen = []

    def task(rows):
        seen.append(f"task {rows.start}")
        return [rows.start]

    def merge(left, right):
        seen.append(f"merge {left} {right}")
        return left + right

    assert reduce_blocks(task, blocks(6, 2), merge=merge) == [0, 2, 4]
    assert seen == ["task 0", "task 2", "merge [0] [2]", "task 4", "merge [0, 2] [4]"]


def test_parts_may_be_anything_that_stands_for_rows():
    files = {"a": [1, 2], "b": [3]}
    np.testing.assert_array_equal(map_blocks(files.get, files), [1, 2, 3])
    assert reduce_blocks(lambda name: sum(files[name]), files) == 6


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_how_rows_are_cut_depends_on_their_number_alone(size):
    assert list(blocks(10, size)) == list(blocks(10, size))
    assert len(list(blocks(10, size))) == -(-10 // size)
