import numpy as np
import pytest

import errata
from auditing.target_cases import QUICK, straight
from errata.auditing.numbers import TargetRows, check_targets, find_wrong_targets


def test_planted_errors_are_found_where_the_columns_tell():
    X, y = straight(300)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    check = check_targets(TargetRows(X, y, **QUICK, seed=1), found)
    assert (check.injected, check.repeats) == (30, 2)
    assert check.found >= 25 > check.by_value
    assert check.lift
    assert check.average_precision > 0.9
    assert check.median_error < 0.2 < 1 < check.planted_error
    assert "of 30 planted errors are among the" in repr(check)


def test_the_list_is_a_tenth_longer_than_the_errors_it_should_hold():
    X, y = straight(300)
    y[:20] += 5
    audit = errata.audit_targets(X, y, **QUICK, random_state=0)
    check = audit.self_check
    assert audit.p_wrong.sum() > 15
    assert check.top == np.ceil(1.1 * (check.injected + audit.p_wrong.sum()))


def test_the_list_is_no_longer_than_the_table():
    X, y = straight(30)
    half = np.arange(30) % 2.0  # as many are expected to be wrong as are planted: all
    found = find_wrong_targets(TargetRows(X, y, **QUICK))._replace(p_wrong=half)
    assert check_targets(TargetRows(X, y, **QUICK), found).top == 30


def test_there_is_no_lift_where_they_do_not():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 3)), random.normal(size=300)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    check = check_targets(TargetRows(X, y, **QUICK), found)
    assert not check.lift
    assert check.average_precision is None


def test_rows_without_a_target_are_left_alone():
    X, y = straight(200)
    y[::4] = np.nan
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert check_targets(TargetRows(X, y, **QUICK), found).injected == 20


def test_large_tables_are_checked_by_some_of_their_rows(monkeypatch):
    monkeypatch.setattr("errata.auditing.numbers._finding.CHECKED_ROWS", 300)
    monkeypatch.setattr("errata.auditing.numbers._finding.CHECK_SAMPLE", 250)
    X, y = straight(400)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert check_targets(TargetRows(X, y, **QUICK), found).injected == 25


def test_too_few_rows_are_not_checked():
    X, y = straight(40)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    known = np.ones(40, dtype=bool)
    known[:3] = False
    assert check_targets(TargetRows(X, y, **QUICK, known=known), found) is None


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_plants_the_same_errors(seed):
    X, y = straight(100)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    one, other = (check_targets(TargetRows(X, y, **QUICK, seed=seed), found) for _ in range(2))
    assert one == other
