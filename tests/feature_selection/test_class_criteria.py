import numpy as np
import pytest

from errata.feature_selection._criteria import CountedRisk, Information, SoftRisk
from errata.feature_selection._distances import sort_by_class
from feature_selection.naive_information import naive_information, naive_posteriors

K = 4


@pytest.fixture(scope="module")
def table():
    rng = np.random.RandomState(0)
    y = np.concatenate([np.repeat([0, 1, 2], 6), rng.randint(3, size=60)])
    X = rng.normal(size=(len(y), 5))
    X[:, :3] += y[:, None]
    return X, y


def naive_count(X, y, k):
    return -np.mean(naive_posteriors(X, y, k).argmax(axis=1) != y)


def naive_soft(X, y, k):
    return -np.mean(1 - naive_posteriors(X, y, k).max(axis=1))


CRITERIA = [(Information, naive_information), (CountedRisk, naive_count), (SoftRisk, naive_soft)]
each = pytest.mark.parametrize(("criterion", "naive"), CRITERIA, ids=["mi", "count", "soft"])


@pytest.fixture(params=["plain", "fastest"])
def twin(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr("errata._kernels.find_spec", lambda name: None)


@each
@pytest.mark.usefixtures("twin")
def test_scores_are_those_of_the_columns_alone(criterion, naive, table):
    X, y = table
    found = criterion(sort_by_class(X, y, K))
    for subset in [(3,), (1, 4), (4, 0, 2), (0, 1, 2, 3)]:
        outside = [j for j in range(5) if j not in subset]
        np.testing.assert_allclose(
            found.score(subset), naive(X[:, subset], y, K), rtol=0, atol=1e-10
        )
        np.testing.assert_allclose(
            found.scores_with(subset, outside),
            [naive(X[:, [*subset, j]], y, K) for j in outside],
            rtol=0,
            atol=1e-10,
        )
        if len(subset) > 1:
            np.testing.assert_allclose(
                found.scores_without(subset),
                [naive(X[:, [i for i in subset if i != j]], y, K) for j in subset],
                rtol=0,
                atol=1e-10,
            )


@each
def test_no_column_is_worth_the_prior(criterion, naive, table):
    X, y = table
    found = criterion(sort_by_class(X, y, K))
    worth = 0 if criterion is Information else np.bincount(y).max() / len(y) - 1
    assert found.score(()) == pytest.approx(worth, abs=1e-15)
    np.testing.assert_allclose(found.scores_without((2,)), [worth], rtol=0, atol=1e-15)
    assert len(found.scores_with((), range(5))) == 5


@each
@pytest.mark.parametrize("chunk_bytes", [1, 3_000, 2**20])
@pytest.mark.usefixtures("twin")
def test_blocks_and_threads_change_nothing(criterion, naive, table, chunk_bytes):
    rows = sort_by_class(*table, K)
    whole = criterion(rows)
    cut = criterion(rows, chunk_bytes=chunk_bytes, n_jobs=2)
    for subset in [(0, 1), (0, 1, 2, 3)]:
        np.testing.assert_allclose(
            cut.scores_without(subset), whole.scores_without(subset), rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            cut.scores_with(subset, [4]), whole.scores_with(subset, [4]), rtol=0, atol=1e-12
        )


@each
def test_threads_change_not_a_bit(criterion, naive):
    rng = np.random.RandomState(0)
    rows = sort_by_class(rng.normal(size=(700, 4)), np.arange(700) % 3, K)
    one, three = criterion(rows, n_jobs=1), criterion(rows, n_jobs=3)
    np.testing.assert_array_equal(
        one.scores_without((0, 1, 2, 3)), three.scores_without((0, 1, 2, 3))
    )


def test_counted_risks_that_are_equal_are_told_apart_by_the_soft_one(table):
    found = CountedRisk(sort_by_class(*table, K))
    assert isinstance(found.tie_break, SoftRisk)
    assert Information(sort_by_class(*table, K)).tie_break is None


def test_equal_rows_in_some_columns_only_are_named():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.normal(size=40), np.repeat(rng.normal(size=4), 10)])
    found = Information(sort_by_class(X, np.arange(40) % 2, K))
    assert np.isfinite(found.score((0, 1)))
    with pytest.raises(ValueError, match="40 or more rows have as many equals"):
        found.scores_without((0, 1))
