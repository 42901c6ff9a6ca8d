"""What an audit of numbers finds hangs neither on the last bits of features nor on any order."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3

import errata


def planted(X, y, count=10, seed=1):
    """Some targets exchanged for those of other rows."""
    random = np.random.default_rng(seed)
    rows = random.choice(len(y), count, replace=False)
    wrong = y.copy()
    wrong[rows] = random.permutation(y)[:count]
    return X, wrong


def rounded_targets():
    X, y = make_friedman1(200, noise=1.0, random_state=1)
    return planted(X, np.round(y / 2))


def skewed_targets():
    X, y = make_friedman1(150, noise=1.0, random_state=2)
    return planted(X, np.exp(y / 5))


def copied_rows():
    X, y = planted(*make_friedman1(120, noise=1.0, random_state=3))
    return np.vstack([X, X[:40]]), np.r_[y, y[:40]]


def leaking_column():
    X, y = planted(*make_friedman1(150, noise=1.0, random_state=4))
    return np.column_stack([X, 3 * y + 1]), y


def shared_value():
    X, y = make_friedman1(200, noise=1.0, random_state=6)
    return planted(X, np.maximum(y, 12))


def coarse_features():
    X, y = make_friedman1(200, noise=1.0, random_state=7)
    return planted(np.round(X, 1), y)


TABLES = {
    "friedman1": lambda: planted(*make_friedman1(200, noise=1.0, random_state=0)),
    "friedman2": lambda: planted(*make_friedman2(200, noise=50.0, random_state=0)),
    "friedman3": lambda: planted(*make_friedman3(200, noise=0.1, random_state=0)),
    "diabetes": lambda: planted(*(part[:200] for part in load_diabetes(return_X_y=True))),
    "few rows": lambda: planted(*make_friedman1(40, noise=0.5, random_state=5), count=3),
    "rounded targets": rounded_targets,
    "skewed targets": skewed_targets,
    "copied rows": copied_rows,
    "leaking column": leaking_column,
    "shared value": shared_value,
    "coarse features": coarse_features,
}


def audited(X, y):
    return errata.audit_targets(X, y, self_check=False, random_state=0)


@pytest.mark.parametrize("name", TABLES)
def test_another_last_bit_or_another_order_is_the_same_audit(name):
    X, y = TABLES[name]()
    found = audited(X, y)
    random = np.random.default_rng(0)

    shifted = audited(X * (1 + 1e-13 * random.uniform(-1, 1, X.shape)), y)
    np.testing.assert_allclose(shifted.p_wrong, found.p_wrong, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(shifted.flagged, found.flagged)

    moved = audited(X[:, random.permutation(X.shape[1])], y)
    np.testing.assert_allclose(moved.p_wrong, found.p_wrong, rtol=0, atol=1e-6)

    rows = random.permutation(len(X))
    moved = audited(X[rows], y[rows])
    np.testing.assert_allclose(moved.p_wrong, found.p_wrong[rows], rtol=0, atol=1e-3)
    np.testing.assert_array_equal(moved.flagged, found.flagged[rows])


def test_columns_of_every_kind_may_be_permuted():
    X, y = planted(*make_friedman1(100, noise=1.0, random_state=0))
    random = np.random.default_rng(3)
    spoken = ["red green blue", "dog cat house bird", "one two three four five"]
    columns = {f"x{j}": X[:, j] for j in range(5)}
    columns["kind"] = random.choice(list("abcd"), 100)
    columns["gaps"] = np.where(random.random(100) < 0.3, np.nan, X[:, 5])
    for k, words in enumerate(spoken):
        columns[f"text{k}"] = [" ".join(random.choice(words.split(), 5)) for _ in range(100)]
    found = audited(columns, y)
    moved = audited(dict(reversed(columns.items())), y)
    np.testing.assert_allclose(moved.p_wrong, found.p_wrong, rtol=0, atol=1e-6)
