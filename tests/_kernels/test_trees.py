import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from errata._kernels import _trees as plain
from errata._kernels import kernels
from errata.ensemble.boosting._base import bin_columns
from strategies import seeds


@pytest.fixture(params=["plain", "compiled"], scope="module")
def twin(request):
    if request.param == "plain":
        return plain
    return pytest.importorskip("errata._kernels._trees_numba", reason="numba is not installed")


def sorted_table(X):
    columns = np.ascontiguousarray(X.T, dtype=float)
    order = np.argsort(columns, axis=1, kind="stable")
    return columns, order.astype(np.uint32), np.take_along_axis(columns, order, axis=1)


def make_problem(X, targets, weights, n_classes=1):
    """The sums of rows: weight times target, or the weight in the place of the class."""
    one_hot = targets[:, None] == np.arange(n_classes)
    return X, weights[:, None] * (targets[:, None] if n_classes == 1 else one_hot), weights


@st.composite
def problems(draw):
    """Few distinct values and weights in eighths: sums are exact, ties and zeros are common."""
    random = np.random.RandomState(draw(seeds))
    n, d, n_classes = (draw(st.integers(1, top)) for top in (25, 3, 4))
    X = random.randint(draw(st.integers(1, 8)), size=(n, d)).astype(float)
    if draw(st.booleans()):
        X[:, random.randint(d)] = 1.5
    targets = random.randint(-3, 4, n) if n_classes == 1 else random.randint(n_classes, size=n)
    return make_problem(X, targets, random.randint(draw(st.integers(0, 1)), 9, n) / 8, n_classes)


depths = st.integers(1, 3)


def gain(sums, weights, rows, by_error):
    """What the best constant explains of these rows: the larger, the less error it leaves."""
    total, weight = sums[rows].sum(axis=0), weights[rows].sum()
    if by_error:
        return abs(total[0]) if len(total) == 1 else total.max()
    return (total**2).sum() / weight


def naive_cut(X, sums, weights, rows, by_error):
    """Every cut of these rows tried, one after the other; the first of the best."""
    best = (-np.inf, 0, np.inf)
    for feature in range(X.shape[1]):
        values = np.unique(X[rows, feature])
        for threshold in (values[:-1] + values[1:]) / 2:
            left = rows & (X[:, feature] <= threshold)
            right = rows & ~left
            if weights[left].sum() > 0 and weights[right].sum() > 0:
                score = sum(gain(sums, weights, side, by_error) for side in (left, right))
                if score > best[0] + 1e-9:
                    best = (score, feature, threshold)
    return best[1:]


@given(problems(), depths, st.booleans())
def test_the_twins_grow_the_same_trees(problem, depth, by_error):
    fast = pytest.importorskip("errata._kernels._trees_numba", reason="numba is not installed")
    X, sums, weights = problem
    for name, table in (("grow", sorted_table(X)), ("grow_binned", bin_columns(X))):
        ours = getattr(fast, name)(*table, sums, weights, depth, by_error)
        theirs = getattr(plain, name)(*table, sums, weights, depth, by_error)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


@given(problems(), depths, st.booleans())
def test_every_node_has_the_best_cut_of_its_rows(problem, depth, by_error):
    X, sums, weights = problem
    trees = kernels("trees")
    features, thresholds, leaf, *_ = trees.grow(*sorted_table(X), sums, weights, depth, by_error)
    rows = [np.ones(len(X), dtype=bool)]
    for node in range(2**depth - 1):
        expected = naive_cut(X, sums, weights, rows[node], by_error)
        assert (features[node], thresholds[node]) == expected
        right = X[:, features[node]] > thresholds[node]
        rows += [rows[node] & ~right, rows[node] & right]
    for place, members in enumerate(rows[2**depth - 1 :]):
        np.testing.assert_array_equal(leaf == place, members)


@given(problems(), depths, st.booleans())
def test_leaves_hold_the_sums_and_weights_of_their_rows(problem, depth, by_error):
    X, sums, weights = problem
    table = sorted_table(X)
    _, _, leaf, total, weight = kernels("trees").grow(*table, sums, weights, depth, by_error)
    assert leaf.min() >= 0
    for place in range(2**depth):
        np.testing.assert_array_equal(total[place], sums[leaf == place].sum(axis=0))
        assert weight[place] == weights[leaf == place].sum()


@given(problems(), depths, st.booleans())
def test_a_bin_for_every_value_is_as_good_as_sorting(problem, depth, by_error):
    X, sums, weights = problem
    trees = kernels("trees")
    exact = trees.grow(*sorted_table(X), sums, weights, depth, by_error)
    binned = trees.grow_binned(*bin_columns(X), sums, weights, depth, by_error)
    # Inside a tree bins may cut in the middle between values that other nodes hold, too.
    for a, b in zip(exact[2:], binned[2:], strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(exact[0], binned[0])
    assert depth > 1 or exact[1] == binned[1]


@given(problems(), depths, st.integers(1, 6), seeds)
def test_decisions_add_up_what_the_leaves_say(problem, depth, n_trees, seed):
    random = np.random.RandomState(seed)
    X = problem[0]
    features = random.randint(X.shape[1], size=(n_trees, 2**depth - 1)).astype(np.int32)
    thresholds = random.choice([0.5, 1.5, 4.0, np.inf], size=features.shape)
    values = random.randint(-8, 9, size=(n_trees, 2**depth, 2)) / 4
    expected = np.zeros((len(X), 2))
    for i, row in enumerate(X):
        for t in range(n_trees):
            node = 0
            while node < 2**depth - 1:
                node = 2 * node + (1 if row[features[t, node]] <= thresholds[t, node] else 2)
            expected[i] += values[t, node - (2**depth - 1)]
    columns = np.ascontiguousarray(X.T)
    for trees in (plain, kernels("trees")):
        decision = trees.decide(columns, features, thresholds, values)
        np.testing.assert_array_equal(decision, expected)


@pytest.mark.parametrize("depth", [1, 2])
def test_more_rows_than_a_block_are_decided_alike(twin, depth):
    random = np.random.RandomState(0)
    columns = random.normal(size=(2, 2500))
    features = random.randint(2, size=(3, 2**depth - 1)).astype(np.int32)
    thresholds, values = random.normal(size=features.shape), random.normal(size=(3, 2**depth, 1))
    whole = twin.decide(columns, features, thresholds, values)
    halves = [
        twin.decide(np.ascontiguousarray(part), features, thresholds, values)
        for part in np.split(columns, 2, axis=1)
    ]
    np.testing.assert_array_equal(whole, np.concatenate(halves))


@given(seeds, st.integers(1, 30))
def test_the_twins_weigh_rows_alike(seed, n):
    random = np.random.RandomState(seed)
    outputs, codes = random.randint(3, size=(2, n))
    start, step = random.uniform(-900, 5, n), random.uniform(0, 3)
    fast = kernels("trees")
    logarithms = start + step * (outputs != codes)
    expected = np.exp(logarithms - logarithms.max())
    expected /= expected.sum()
    for trees in (plain, fast):
        changed = start.copy()
        weights = trees.reweigh(changed, outputs, codes, step)
        np.testing.assert_allclose(weights, expected, rtol=1e-12, atol=0)
        np.testing.assert_allclose(changed, logarithms, rtol=0, atol=0)
        error = trees.sum_misfit(outputs, codes, weights)
        np.testing.assert_allclose(error, expected[outputs != codes].sum(), rtol=1e-12, atol=0)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_trees_are_those_of_scikit_learn(twin, depth, seed):
    # scikit-learn rounds features to single precision, so they are given in it.
    random = np.random.RandomState(seed)
    X = random.normal(size=(80, 4)).astype(np.float32).astype(float)
    weights, table = random.uniform(0.5, 2, 80), sorted_table(X)
    z = random.normal(size=80)
    _, _, leaf, total, weight = twin.grow(*table, *make_problem(X, z, weights)[1:], depth, False)
    theirs = DecisionTreeRegressor(max_depth=depth).fit(X, z, weights).predict(X)
    np.testing.assert_allclose(total[leaf, 0] / weight[leaf], theirs, rtol=0, atol=1e-10)
    for n_classes in (2, 3):
        codes = random.randint(n_classes, size=80)
        sums = make_problem(X, codes, weights, n_classes)[1]
        _, _, leaf, total, weight = twin.grow(*table, sums, weights, depth, False)
        theirs = DecisionTreeClassifier(max_depth=depth).fit(X, codes, weights).predict_proba(X)
        np.testing.assert_allclose(total[leaf] / weight[leaf, None], theirs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1.0, 1e300, 1.7e308])
def test_values_of_any_size_are_cut(twin, scale):
    x = np.array([-1.0, 1.0, -1.0, 1.0]) * scale
    X, sums, weights = make_problem(x[:, None], np.array([-1, 1, -1, 1]), np.full(4, 0.25))
    for grow, table in ((twin.grow, sorted_table(X)), (twin.grow_binned, bin_columns(X))):
        _, threshold, leaf, _, _ = grow(*table, sums, weights, 1, False)
        assert -scale <= threshold[0] < scale
        np.testing.assert_array_equal(leaf, [0, 1, 0, 1])


def test_neighbouring_numbers_are_told_apart(twin):
    low = 1.0
    high = np.nextafter(low, 2)
    X, sums, weights = make_problem(np.array([[low], [high]]), np.array([-1, 1]), np.full(2, 0.5))
    _, threshold, leaf, _, _ = twin.grow(*sorted_table(X), sums, weights, 1, False)
    assert threshold[0] == low
    np.testing.assert_array_equal(leaf, [0, 1])


@pytest.mark.parametrize("weight", [1e-80, 1e-20, 1e80])
def test_the_scale_of_weights_does_not_matter(twin, weight):
    random = np.random.RandomState(0)
    X, targets = random.normal(size=(30, 3)), random.choice([-1, 1], 30)
    unit, scaled = (make_problem(X, targets, np.full(30, w)) for w in (1.0, weight))
    table = sorted_table(X)
    for by_error in (False, True):
        ours, theirs = (twin.grow(*table, *p[1:], 2, by_error) for p in (scaled, unit))
        for a, b in zip(ours[:3], theirs[:3], strict=True):
            np.testing.assert_array_equal(a, b)


def test_nothing_to_cut_sends_all_to_the_left(twin):
    X, sums, weights = make_problem(np.ones((5, 2)), np.array([1, -1, 1, 1, -1]), np.full(5, 0.2))
    for grow, table in ((twin.grow, sorted_table(X)), (twin.grow_binned, bin_columns(X))):
        features, thresholds, leaf, total, weight = grow(*table, sums, weights, 2, False)
        assert np.isinf(thresholds).all()
        assert not features.any()
        assert not leaf.any()
        np.testing.assert_allclose(total[:, 0], [0.2, 0, 0, 0], rtol=0, atol=1e-15)
        np.testing.assert_allclose(weight, [1, 0, 0, 0], rtol=0, atol=1e-15)


def grown(random, first, n_leaves, cuts):
    """A tree with leaves from ``first`` on, cut at random; its cuts are added to a list."""
    if n_leaves == 1:
        return first
    n_left = int(random.integers(1, n_leaves))
    feature, threshold = int(random.integers(3)), int(random.integers(-3, 4))
    cuts.append((feature, threshold, int(plain.ALL) ^ (((1 << n_left) - 1) << first)))
    left = grown(random, first, n_left, cuts)
    right = grown(random, first + n_left, n_leaves - n_left, cuts)
    return feature, threshold, left, right


def walk(x, tree):
    while not isinstance(tree, int):
        feature, threshold, left, right = tree
        tree = right if x[feature] > threshold else left
    return tree


@given(seeds, st.integers(0, 40), st.integers(1, 4), st.integers(1, 3), st.integers(1, 32))
def test_the_first_leaf_in_reach_is_where_a_walk_ends(twin, seed, n, n_trees, n_outputs, n_leaves):
    random = np.random.default_rng(seed)
    columns = random.integers(-4, 5, size=(3, n)).astype(np.float32)  # many on a threshold
    values = random.random((n_trees, 32))
    cuts, starts, expected = [], [0], np.zeros((n_outputs, n))
    for t in range(n_trees):
        own = []
        tree = grown(random, 0, n_leaves, own)
        cuts += [own[place] for place in random.permutation(len(own))]  # any order will do
        starts.append(len(cuts))
        expected[t % n_outputs] += [values[t, walk(x, tree)] for x in columns.T]
    features, thresholds, masks = np.array(cuts, dtype=np.int64).reshape(-1, 3).T
    arguments = (
        *(columns, np.array(starts), features, thresholds.astype(np.float32)),
        *(masks.astype(np.uint32), values, n_outputs),
    )
    np.testing.assert_array_equal(twin.sum_values(*arguments), expected)


def test_more_rows_than_a_block(twin):
    columns = np.linspace(-1, 1, 1500, dtype=np.float32)[None]
    masks, values = np.array([plain.ALL ^ 1], dtype=np.uint32), np.arange(32.0)[None]
    cut = np.array([0, 1]), np.array([0]), np.zeros(1, dtype=np.float32)
    found = twin.sum_values(columns, *cut, masks, values, 1)
    np.testing.assert_array_equal(found[0], columns[0] > 0)


def grow_at_random(random, n_features, n_trees, n_classes):
    """Trees whose leaves are cut in two again and again, at random."""
    roots, nodes, n_leaves = [], [], 0
    for _ in range(n_trees):
        roots.append(len(nodes))
        leaves = [len(nodes)]
        nodes.append(None)
        for _ in range(random.integers(12)):
            place = leaves.pop(random.integers(len(leaves)))
            feature, threshold = random.integers(n_features), random.integers(-3, 4)
            nodes[place] = (len(nodes), feature, threshold, -1)
            leaves += [len(nodes), len(nodes) + 1]
            nodes += [None, None]
        for place in leaves:
            nodes[place] = (place, 0, np.inf, n_leaves)
            n_leaves += 1
    votes = random.random((n_leaves, n_classes)).astype(np.float32)
    return np.array(roots), np.array(nodes, dtype=plain.NODE), votes


def by_recursion(x, node, nodes, votes):
    child, feature, threshold, leaf = nodes[node]
    if child == node:
        return votes[leaf].astype(float)
    return by_recursion(x, child + (x[feature] > threshold), nodes, votes)


@given(seeds, st.integers(0, 11), st.integers(1, 4), st.integers(1, 5))
def test_rows_end_where_recursion_leads_them(twin, seed, n, n_trees, n_classes):
    random = np.random.default_rng(seed)
    X = random.integers(-4, 5, size=(n, 3)).astype(np.float32)  # many on a threshold
    X[random.random(X.shape) < 0.1] = np.inf
    roots, nodes, votes = grow_at_random(random, 3, n_trees, n_classes)
    expected = np.zeros((n, n_classes))
    for root in roots:
        for i, x in enumerate(X):
            expected[i] += by_recursion(x, root, nodes, votes)
    np.testing.assert_array_equal(twin.sum_votes(X, roots, nodes, votes), expected)
