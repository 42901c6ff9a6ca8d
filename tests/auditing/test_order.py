"""An audit says the same whatever the order of rows, columns and classes, and up to rounding."""

import numpy as np
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_classification,
    make_moons,
    make_multilabel_classification,
)

import errata

pytestmark = pytest.mark.usefixtures("few_trees")


def drawn(rows=200, seed=0, **how):
    return make_classification(rows, random_state=seed, **how)


def some(loaded, rows=200):
    X, y = loaded(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(y))[:rows]
    return X[chosen], y[chosen]


def coarse():
    """Five questions answered by yes or no: many rows are equal, and their labels differ."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(250, 5)).astype(float)
    return X, (X[:, 0] + X[:, 1] + (random.random(250) < 0.2) > 1).astype(int)


def doubled():
    """Every third row is there twice."""
    X, y = load_iris(return_X_y=True)
    return np.r_[X, X[::3]], np.r_[y, y[::3]]


def sparse_columns():
    """Many columns that hold one in a few rows, which only another column tells apart."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, size=200)
    X = np.eye(30)[random.integers(0, 10, size=200) + 10 * y]
    X[random.random(200) < 0.2] = 0
    return np.c_[X, random.normal(size=200)], y


TABLES = {
    "iris": lambda: some(load_iris),
    "wine": lambda: some(load_wine),
    "cancer": lambda: some(load_breast_cancer),
    "digits": lambda: some(load_digits),
    "four classes": lambda: drawn(n_features=10, n_informative=5, n_classes=4),
    "a rare class": lambda: drawn(n_features=8, weights=[0.95], seed=1),
    "moons": lambda: make_moons(200, noise=0.3, random_state=0),
    "coarse": coarse,
    "doubled": doubled,
    "blobs with copies of a column": lambda: _with_copies(*make_blobs(200, 4, random_state=0)),
    "one column in ten rows": sparse_columns,
}


def _with_copies(X, y):
    return np.c_[X, X[:, :2], 1000 + X[:, :1]], y


@pytest.fixture(params=TABLES, ids=str)
def table(request):
    X, y = TABLES[request.param]()
    labels, _ = errata.noise.flip_labels(np.array(list("abcdefghij"))[y], 0.1, random_state=0)
    return X, labels


def audited(X, labels, **how):
    return errata.audit(X, labels, self_check=False, random_state=0, **how)


def test_rows_columns_and_class_names_may_be_permuted(table):
    X, labels = table
    random = np.random.default_rng(1)
    rows, columns = random.permutation(len(X)), random.permutation(X.shape[1])
    names = np.unique(labels)
    renamed = dict(zip(names, random.permutation(names).tolist(), strict=True))
    found = audited(X, labels)
    moved = audited(X[np.ix_(rows, columns)], np.array([renamed[label] for label in labels[rows]]))
    np.testing.assert_allclose(moved.p_wrong, found.p_wrong[rows], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(moved.flagged, found.flagged[rows])
    suggested = [renamed[label] for label in found.suggested[rows].tolist()]
    assert moved.suggested.tolist() == suggested
    assert moved.noise_rate.estimate == pytest.approx(found.noise_rate.estimate, abs=1e-6)


def test_the_last_bits_of_cells_do_not_count(table):
    X, labels = table
    shift = np.random.default_rng(2).uniform(-1, 1, size=X.shape)
    found, shifted = audited(X, labels), audited(X * (1 + 1e-13 * shift), labels)
    np.testing.assert_allclose(shifted.p_wrong, found.p_wrong, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(shifted.flagged, found.flagged)


def test_the_self_check_may_be_permuted_too():
    X, labels = some(load_wine)
    rows = np.random.default_rng(0).permutation(len(X))
    found = errata.audit(X, labels, random_state=0).self_check
    moved = errata.audit(X[rows], labels[rows], random_state=0).self_check
    assert moved.found == found.found
    assert moved.average_precision == pytest.approx(found.average_precision, abs=1e-6)


def test_probabilities_may_be_permuted_with_their_rows_and_classes():
    random = np.random.default_rng(0)
    truth = random.integers(0, 4, size=500)
    proba = random.dirichlet(np.ones(4) / 2, size=500) + 2 * np.eye(4)[truth]
    proba /= proba.sum(axis=1, keepdims=True)
    labels, _ = errata.noise.flip_labels(truth, 0.2, random_state=0)
    rows, names = random.permutation(500), np.array([2, 0, 3, 1])
    found = audited(None, labels, pred_proba=proba)
    moved_proba = np.empty_like(proba)
    moved_proba[:, names] = proba
    moved = audited(None, names[labels][rows], pred_proba=moved_proba[rows])
    np.testing.assert_allclose(moved.p_wrong, found.p_wrong[rows], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(moved.flagged, found.flagged[rows])


@pytest.mark.parametrize("seed", range(10))
def test_the_last_bits_do_not_count_for_several_labels(seed):
    X, Y = make_multilabel_classification(
        80, n_features=6, n_classes=3, n_labels=2, random_state=seed
    )
    flip = np.random.default_rng(seed).random(Y.shape) < 0.05
    shift = np.random.default_rng(seed).uniform(-1, 1, size=X.shape)
    found, shifted = (
        errata.audit_multilabel(cells, Y ^ flip, self_check=False, random_state=0)
        for cells in (X, X * (1 + 1e-13 * shift))
    )
    np.testing.assert_allclose(shifted.p_wrong, found.p_wrong, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(shifted.flagged, found.flagged)


def test_explanations_name_the_same_columns_in_any_order():
    X, y = load_iris(return_X_y=True)
    y[3] = 2
    names = list("abcd")
    order = [2, 0, 3, 1]
    first = audited(dict(zip(names, X.T, strict=True)), y).explain(3)
    moved = audited({names[j]: X[:, j] for j in order}, y).explain(3)
    told = {column["column"]: column["against"] for column in first.columns}
    assert {column["column"]: column["against"] for column in moved.columns} == told
    assert max(told, key=told.get) in ("c", "d")  # petals tell, sepals hardly
