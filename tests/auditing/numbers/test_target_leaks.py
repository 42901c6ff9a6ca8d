"""Columns that hold the target: named and left out, unless they are trusted."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import errata
from auditing.target_cases import friedman, swapped
from errata.auditing.numbers._inputs import TargetColumn, find_target_leaks

pd = pytest.importorskip("pandas", reason="the tables extra is not installed")

RANDOM = np.random.default_rng(0)
Y = RANDOM.normal(size=200)


def found(trust=(), **columns):
    table = pd.DataFrame(columns)
    return find_target_leaks(table, TargetColumn(None, Y, "y", []), list(columns), trust)


def test_a_column_made_from_the_target_is_named():
    leaks, [note] = found(size=RANDOM.normal(size=200), cents=np.round(100 * Y), log=np.exp(-Y))
    assert leaks == ["cents", "log"]
    assert "By 'cents', 'log' the rows" in note
    assert "so they were left out" in note
    assert "trust=['cents', 'log']" in note


def test_a_column_that_merely_tells_much_is_not():
    assert found(near=Y + 0.1 * RANDOM.normal(size=200), word=["a", "b"] * 100) == ([], [])


def test_a_trusted_column_is_kept():
    leaks, [note] = found(["log"], size=Y**2, cents=np.round(100 * Y), log=np.exp(-Y))
    assert leaks == ["cents"]
    assert "so it was left out" in note
    with pytest.raises(ValueError, match="there is no column 'lgo' to trust; did you mean 'log'"):
        found(["lgo"], log=np.exp(-Y))


def test_the_only_column_is_kept_with_a_note():
    leaks, [note] = found(cents=np.round(100 * Y))
    assert leaks == []
    assert "no other column is there" in note


SEEN = []


class Remembering(LinearRegression):
    """Tells which columns it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        SEEN.append(list(X.columns))
        return super().fit(X, y, sample_weight)


def leaking():
    X, y = friedman(200, noise=0.5)
    y, wrong = swapped(y, 12)
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return table.assign(cents=np.round(100 * y)), y, wrong


def test_errors_are_found_in_spite_of_a_copy_of_the_target():
    table, y, wrong = leaking()
    SEEN.clear()
    audit = errata.audit_targets(
        table, y, estimator=Remembering(), self_check=False, random_state=0
    )
    without = errata.audit_targets(
        table.drop(columns="cents"),
        y,
        estimator=LinearRegression(),
        self_check=False,
        random_state=0,
    )
    np.testing.assert_allclose(audit.p_wrong, without.p_wrong, rtol=0, atol=1e-9)
    assert audit.flagged[wrong].mean() > 0.5
    assert any("'cents'" in note for note in audit.notes)
    assert all("cents" not in columns for columns in SEEN)


def test_what_a_trusted_copy_says_cannot_be_contradicted():
    table, y, _ = leaking()
    audit = errata.audit_targets(table, y, trust=["cents"], self_check=False, random_state=0)
    assert not any("'cents'" in note for note in audit.notes)
    assert not audit.flagged.any()
