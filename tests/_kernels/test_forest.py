import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from errata._kernels import _forest as plain
from strategies import seeds

NAMES = ("roots", "child", "feature", "threshold", "leaf", "votes")


@pytest.fixture(params=["plain", "compiled"])
def twin(request):
    if request.param == "plain":
        return plain
    return pytest.importorskip("errata._kernels._forest_numba", reason="numba is not installed")


def problem(seed, n=40, d=4, n_classes=3, n_labels=1, n_trees=6, step=0.0):
    """Columns, codes, votes, times and keys; a step makes values equal and columns constant."""
    random = np.random.default_rng(seed)
    columns = random.normal(size=(d, n)).astype(np.float32)
    if step:
        columns = np.round(columns / np.float32(step)) * np.float32(step)
    codes = random.integers(n_classes, size=(n, n_labels)) + n_classes * np.arange(n_labels)
    times = np.stack([np.bincount(random.integers(n, size=n), minlength=n) for _ in range(n_trees)])
    keys = random.integers(2**64, size=n_trees, dtype=np.uint64)
    return columns, codes, n_classes * n_labels, times.astype(np.uint8), keys


def once(columns, codes, n_trees=1):
    """The same of two classes, every row once in each tree."""
    times = np.ones((n_trees, len(codes)), np.uint8)
    keys = np.random.default_rng(0).integers(2**64, size=n_trees, dtype=np.uint64)
    return columns, codes[:, None], 2, times, keys


def grown(twin, given, n_tried=2, min_leaf=1, extra=True):
    outside, trees = twin.grow_forest(*given, n_tried, min_leaf, extra, True)
    return outside, dict(zip(NAMES, trees, strict=True))


def ends(x, trees, root):
    """The leaf of each column of x, one step after the other."""
    found = []
    for value in x.T:
        node = root
        while trees["child"][node] != node:
            above = value[trees["feature"][node]] > trees["threshold"][node]
            node = trees["child"][node] + above
        found.append(trees["leaf"][node])
    return np.array(found)


@given(
    seeds,
    st.sampled_from([2, 3, 17, 60]),
    st.integers(1, 7),
    st.integers(1, 3),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 3.0]),
)
def test_the_twins_grow_the_same_trees(seed, n, d, n_labels, min_leaf, extra, step):
    fast = pytest.importorskip("errata._kernels._forest_numba", reason="numba is not installed")
    given = problem(seed, n, d, n_labels=n_labels, step=step)
    tried = max(1, d // 2)
    ours, theirs = (grown(one, given, tried, min_leaf, extra) for one in (plain, fast))
    np.testing.assert_array_equal(ours[0], theirs[0])
    for name in NAMES:
        np.testing.assert_array_equal(ours[1][name], theirs[1][name], err_msg=name)


def test_the_twins_agree_on_nodes_that_are_sorted_and_on_those_that_are_picked():
    fast = pytest.importorskip("errata._kernels._forest_numba", reason="numba is not installed")
    given = problem(0, n=500, step=0.01)
    ours, theirs = (grown(one, given, 2, 1, False) for one in (plain, fast))
    np.testing.assert_array_equal(ours[0], theirs[0])


@pytest.mark.parametrize("extra", [True, False])
def test_trees_vote_on_the_rows_they_were_not_grown_on(twin, extra):
    given = problem(0, n_labels=2)
    columns, _, n_votes, times, _ = given
    outside, trees = grown(twin, given, extra=extra)
    expected = np.zeros((columns.shape[1], n_votes))
    for root, drawn in zip(trees["roots"], times, strict=True):
        out = drawn == 0
        expected[out] += trees["votes"][ends(columns[:, out], trees, root)]
    np.testing.assert_array_equal(outside, expected)


@pytest.mark.parametrize("extra", [True, False])
def test_a_leaf_holds_the_classes_of_its_rows_and_enough_of_them(twin, extra):
    given = problem(1)
    min_leaf = 3
    columns, codes, n_votes, times, _ = given
    _, trees = grown(twin, given, 2, min_leaf, extra)
    for root, drawn in zip(trees["roots"], times, strict=True):
        inside = np.flatnonzero(drawn)
        leaf = ends(columns[:, inside], trees, root)
        for place in np.unique(leaf):
            rows = inside[leaf == place]
            assert len(rows) >= min_leaf
            held = np.bincount(codes[rows, 0], drawn[rows], n_votes)
            np.testing.assert_allclose(trees["votes"][place], held / held.sum(), rtol=1e-6)


def test_what_is_not_kept_is_not_returned(twin):
    given = problem(0)
    outside, trees = twin.grow_forest(*given, 2, 1, True, False)
    assert trees is None
    np.testing.assert_array_equal(outside, grown(twin, given)[0])


def test_with_all_features_a_tree_is_as_pure_as_scikit_learn_s(twin):
    columns, codes, *_ = problem(2, n=60, n_classes=2)
    _, trees = grown(twin, once(columns, codes[:, 0]), n_tried=4, min_leaf=5, extra=False)
    theirs = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(columns.T, codes[:, 0])
    root = trees["roots"][0]
    assert trees["feature"][root] == theirs.tree_.feature[0]
    assert trees["threshold"][root] == pytest.approx(theirs.tree_.threshold[0], abs=1e-6)
    assert len(trees["votes"]) == theirs.get_n_leaves()


def test_extra_trees_draw_thresholds_evenly_and_features_too(twin):
    n_trees = 3_000
    columns = np.linspace(0, 1, 30, dtype=np.float32)[None].repeat(3, axis=0)
    given = once(columns, np.random.default_rng(0).integers(2, size=30), n_trees)
    _, trees = grown(twin, given, n_tried=1, min_leaf=1)
    cuts = trees["threshold"][trees["roots"]]
    deciles = np.histogram(cuts, bins=10, range=(0, 1))[0] / n_trees
    np.testing.assert_allclose(deciles, 0.1, rtol=0, atol=0.025)
    tried = np.bincount(trees["feature"][trees["roots"]], minlength=3) / n_trees
    np.testing.assert_allclose(tried, 1 / 3, rtol=0, atol=0.035)


def test_a_node_looks_on_until_a_feature_is_not_constant(twin):
    columns = np.zeros((20, 30), np.float32)
    columns[13] = np.arange(30) % 2
    given = once(columns, np.arange(30) % 2, n_trees=5)
    _, trees = grown(twin, given, n_tried=1)
    assert (trees["feature"][trees["roots"]] == 13).all()
    assert len(trees["votes"]) == 10


def test_rows_without_a_difference_are_one_leaf(twin):
    given = once(np.zeros((2, 6), np.float32), np.arange(6) % 2)
    for extra in (True, False):
        _, trees = grown(twin, given, extra=extra)
        np.testing.assert_array_equal(trees["votes"], [[0.5, 0.5]])


def test_a_threshold_between_neighbouring_numbers_parts_them(twin):
    values = np.array([1, np.nextafter(np.float32(1), np.float32(2))], dtype=np.float32)
    given = once(values.repeat(3)[None], np.arange(2).repeat(3), n_trees=20)
    for extra in (True, False):
        _, trees = grown(twin, given, extra=extra)
        assert len(trees["votes"]) == 40
