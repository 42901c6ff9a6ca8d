import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from errata.ensemble._projection_ensemble import borrow, synthesise
from strategies import seeds


def table(seed, n=12, d=3):
    """Rows, their codes, some of them as seeds, and any partners."""
    random = np.random.RandomState(seed)
    rows = random.permutation(n)[: n // 2]
    partners = random.randint(n, size=len(rows))
    return random.normal(size=(n, d)), random.randint(3, size=n), rows, partners


def made(seed, n_synthetic, per_feature):
    X, codes, rows, partners = table(seed)
    random = np.random.RandomState(seed)
    new, labels = synthesise(
        X, codes, rows, partners, n_synthetic=n_synthetic, random=random, per_feature=per_feature
    )
    alike = codes[rows] == codes[partners]
    parents = (np.repeat(which[alike], n_synthetic) for which in (rows, partners))
    return X, codes, *parents, new, labels


@given(seeds, st.integers(0, 3), st.booleans())
def test_new_rows_lie_in_the_box_of_their_parents_and_carry_their_label(seed, n, per_feature):
    X, codes, rows, partners, new, labels = made(seed, n, per_feature)
    assert len(new) == len(labels) == len(rows)  # none where labels differ
    np.testing.assert_array_equal(labels, codes[rows])
    np.testing.assert_array_equal(labels, codes[partners])
    assert np.all(new >= np.minimum(X[rows], X[partners]) - 1e-12)
    assert np.all(new <= np.maximum(X[rows], X[partners]) + 1e-12)


@given(seeds)
def test_one_gap_puts_them_on_the_segment(seed):
    X, _, rows, partners, new, _ = made(seed, 2, False)
    to_row = np.linalg.norm(new - X[rows], axis=1)
    to_partner = np.linalg.norm(new - X[partners], axis=1)
    assert_allclose(to_row + to_partner, np.linalg.norm(X[rows] - X[partners], axis=1), atol=1e-9)


def test_a_gap_per_feature_leaves_the_segment():
    X, codes = np.array([[0.0, 0.0], [1.0, 1.0]]), np.zeros(2, dtype=int)
    new, _ = synthesise(
        X, codes, np.array([0]), np.array([1]), n_synthetic=50,
        random=np.random.RandomState(0), per_feature=True,
    )  # fmt: skip
    assert np.std(new[:, 0] - new[:, 1]) > 0.1


@pytest.mark.parametrize("per_feature", [False, True])
def test_none_when_labels_differ(per_feature):
    X, codes = np.eye(2), np.array([0, 1])
    new, labels = synthesise(
        X, codes, np.array([0, 1]), np.array([1, 0]), n_synthetic=3,
        random=np.random.RandomState(0), per_feature=per_feature,
    )  # fmt: skip
    assert new.shape == (0, 2)
    assert labels.shape == (0,)


@given(seeds, st.integers(2, 4))
def test_too_few_mistakes_borrow_as_many_right_rows_of_each_class(seed, n_classes):
    random = np.random.RandomState(seed)
    codes = np.arange(20 * n_classes) % n_classes
    wrong = random.choice(len(codes), random.randint(1, 12), replace=False)
    lent = borrow(codes, wrong, random)
    found = len(np.unique(codes[wrong]))
    if found > 1 and len(wrong) >= max(5, 2 * found):
        assert len(lent) == 0
    else:
        assert not set(lent) & set(wrong)
        assert np.bincount(codes[lent]).tolist() == [len(wrong)] * n_classes
