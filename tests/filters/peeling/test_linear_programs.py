import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, linprog, milp

from errata.ensemble import DiscreteAdaBoostClassifier
from errata.filters.peeling._linear_programs import (
    STRATEGIES,
    choose_removal_order,
    find_distinct_estimators,
    find_least_by_row,
    make_margin_lines,
    solve_soft_margin,
    solve_widest_margin,
)
from strategies import seeds

LINE = np.arange(10.0)[:, None]
MISLABELLED = np.array([1, 0, 1, 0, 0, 0, 1, 1, 1, 0])  # x = 1 should be 1


def worked_example():
    booster = DiscreteAdaBoostClassifier(n_estimators=3, criterion="error").fit(LINE, MISLABELLED)
    lines, groups = make_margin_lines(booster._staged_codes(LINE), MISLABELLED)
    return lines.astype(float), groups, booster.margins(LINE, MISLABELLED)


@st.composite
def programs(draw, max_rows=10):
    """Lines and groups of random votes on random labels."""
    random = np.random.RandomState(draw(seeds))
    n, n_estimators = draw(st.integers(2, max_rows)), draw(st.integers(1, 6))
    n_classes = draw(st.integers(2, 3))
    codes = np.r_[0, 1, random.randint(n_classes, size=n - 2)]
    said = np.where(
        random.rand(n, n_estimators) < 0.7,
        codes[:, None],
        random.randint(n_classes, size=(n, n_estimators)),
    )
    lines, groups = make_margin_lines(said, codes)
    return lines.astype(float), groups


def primal_value(lines):
    """max m subject to lines @ alpha >= m, alpha summing to one."""
    n, n_estimators = lines.shape
    result = linprog(
        np.r_[np.zeros(n_estimators), -1.0],
        A_ub=np.column_stack([-lines, np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=np.r_[np.ones(n_estimators), 0.0][None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_estimators + [(-1, 1)],
    )
    return -result.fun


def milp_value(lines, groups, n_free=1):
    """The same with rows set free by binary variables; 2 is large enough for margins."""
    n, n_estimators = lines.shape
    n_rows = groups.max() + 1
    free = 2.0 * (groups[:, None] == np.arange(n_rows))
    rows = LinearConstraint(np.column_stack([lines, -np.ones(n), free]), lb=0)
    one = LinearConstraint(np.r_[np.ones(n_estimators), 0, np.zeros(n_rows)], lb=1, ub=1)
    few = LinearConstraint(np.r_[np.zeros(n_estimators + 1), np.ones(n_rows)], ub=n_free)
    low, high = np.zeros(n_estimators + 1 + n_rows), np.ones(n_estimators + 1 + n_rows)
    low[n_estimators] = -1
    result = milp(
        np.r_[np.zeros(n_estimators), -1.0, np.zeros(n_rows)],
        constraints=[rows, one, few],
        bounds=(low, high),
        integrality=np.r_[np.zeros(n_estimators + 1), np.ones(n_rows)],
    )
    return -result.fun


def value_without(lines, groups, gone):
    return solve_widest_margin(lines[~np.isin(groups, gone)]).margin


def test_the_worked_example():
    lines, groups, margins = worked_example()
    solution = solve_widest_margin(lines)
    assert solution.margin == pytest.approx(0, abs=1e-9)
    assert solution.multipliers[1] == pytest.approx(0.5, abs=1e-9)
    assert solution.multipliers[[0, 2, 9]].sum() == pytest.approx(0.5, abs=1e-9)
    values = [value_without(lines, groups, row) for row in range(10)]
    np.testing.assert_allclose(values, np.where(np.arange(10) == 1, 1 / 3, 0), rtol=0, atol=1e-9)
    assert milp_value(lines, groups) == pytest.approx(1 / 3, abs=1e-6)
    for strategy in ("dual", "exact", "soft", "margin"):
        assert choose_removal_order(lines, groups, margins, 1, strategy).tolist() == [1]


def test_any_row_that_holds_the_margin_down_may_go():
    lines, groups, margins = worked_example()
    (support,) = np.nonzero(
        solve_widest_margin(find_distinct_estimators(lines)[0]).multipliers > 1e-9
    )
    gone = {
        int(choose_removal_order(lines, groups, margins, 1, "support", np.random.RandomState(s))[0])
        for s in range(40)
    }
    assert gone == set(support.tolist())
    assert len(gone) > 1


def test_lines_of_two_classes_are_agreements():
    said, codes = np.array([[0, 1], [1, 1], [0, 0]]), np.array([0, 1, 1])
    lines, groups = make_margin_lines(said, codes)
    np.testing.assert_array_equal(lines, [[1, -1], [1, 1], [-1, -1]])
    np.testing.assert_array_equal(groups, [0, 1, 2])


def test_lines_of_three_classes_are_one_for_each_wrong_class():
    said, codes = np.array([[0, 1], [2, 1], [2, 0]]), np.array([0, 1, 2])
    lines, groups = make_margin_lines(said, codes)
    np.testing.assert_array_equal(groups, [0, 0, 1, 1, 2, 2])
    expected = [[1, -1], [1, 0], [0, 1], [-1, 1], [1, -1], [1, 0]]
    np.testing.assert_array_equal(lines, expected)


@given(programs())
def test_primal_and_dual_have_the_same_value(program):
    lines, _ = program
    solution = solve_widest_margin(lines)
    assert solution.margin == pytest.approx(primal_value(lines), abs=1e-6)
    assert solution.alpha.sum() == pytest.approx(1, abs=1e-6)
    assert (lines @ solution.alpha).min() == pytest.approx(solution.margin, abs=1e-6)
    assert solution.multipliers.sum() == pytest.approx(1, abs=1e-6)
    assert (solution.multipliers @ lines).max() == pytest.approx(solution.margin, abs=1e-6)


def test_a_row_that_all_base_estimators_get_wrong_leaves_weights_that_sum_to_one():
    solution = solve_widest_margin(np.array([[1.0, 1.0], [-1.0, -1.0]]))
    assert solution.margin == -1
    assert solution.alpha.sum() == pytest.approx(1, abs=1e-9)


@given(programs())
@settings(max_examples=30)
def test_the_exact_choice_is_that_of_enumeration_and_of_the_mixed_integer_program(program):
    lines, groups = program
    n = groups.max() + 1
    margins = find_least_by_row(lines.mean(axis=1), groups)
    values = [value_without(lines, groups, row) for row in range(n)]
    exact, dual = (
        value_without(lines, groups, choose_removal_order(lines, groups, margins, 1, strategy))
        for strategy in ("exact", "dual")
    )
    assert exact == pytest.approx(max(values), abs=1e-6)
    assert milp_value(lines, groups) == pytest.approx(max(values), abs=1e-6)
    assert exact >= dual - 1e-9


@given(programs(12), st.sampled_from(["dual", "exact", "support"]), seeds)
@settings(max_examples=30)
def test_the_margin_never_shrinks_over_removals(program, strategy, seed):
    lines, groups = program
    n = groups.max() + 1
    random = np.random.RandomState(seed)
    order = choose_removal_order(lines, groups, np.zeros(n), n - 1, strategy, random)
    assert len(set(order)) == n - 1
    values = [value_without(lines, groups, order[:k]) for k in range(n)]
    assert np.diff(values).min() >= -1e-6


@given(programs(), st.sampled_from(STRATEGIES), seeds)
@settings(max_examples=30)
def test_as_many_rows_go_as_are_asked_for(program, strategy, seed):
    lines, groups = program
    n = groups.max() + 1
    margins = find_least_by_row(lines.mean(axis=1), groups)
    for n_peel in {0, 1, n // 2, n}:
        random = np.random.RandomState(seed)
        order = choose_removal_order(lines, groups, margins, n_peel, strategy, random)
        assert len(np.unique(order)) == n_peel


@given(programs(), seeds)
def test_the_soft_program_widens_the_mean_of_the_least_margins(program, seed):
    lines, groups = program
    n_free = (groups.max() + 2) // 2

    def mean_of_least(alpha):
        return np.sort(find_least_by_row(lines @ alpha, groups))[:n_free].mean()

    alpha = solve_soft_margin(lines, groups, n_free)
    assert alpha.sum() == pytest.approx(1, abs=1e-9)
    others = np.random.RandomState(seed).dirichlet(np.ones(lines.shape[1]), size=50)
    corners = np.eye(lines.shape[1])
    assert mean_of_least(alpha) >= max(map(mean_of_least, [*others, *corners])) - 1e-6
    hard = solve_soft_margin(lines, groups, 1)
    assert (lines @ hard).min() == pytest.approx(solve_widest_margin(lines).margin, abs=1e-6)


def test_equal_multipliers_are_told_apart_by_the_margin_in_the_ensemble():
    lines = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    for row in (0, 1):
        margins = np.array([0.5, 0.5, 1.0])
        margins[row] = -0.5
        assert choose_removal_order(lines, np.arange(3), margins, 1, "dual").tolist() == [row]


def test_where_no_single_row_holds_the_margin_down_the_exact_choice_is_the_heaviest():
    # Two rows and their twins: any one of them may go, and its twin keeps the margin where it was.
    # Multipliers a on (1, 0) and b on (-1, 1) make the agreements of the two, a - b and b,
    # equal where a = 2/3 and b = 1/3. So the first two rows are heavier, though of larger margin.
    lines = np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 1.0], [-1.0, 1.0]])
    groups, margins = np.arange(4), np.array([0.5, 0.5, -0.5, -0.5])
    values = [primal_value(lines[groups != row]) for row in groups]
    np.testing.assert_allclose(values, primal_value(lines), rtol=0, atol=1e-9)
    first, second = choose_removal_order(lines, groups, margins, 2, "exact")
    assert first in (0, 1)
    # One is left of the heavier pair, and without it estimator (0, 1) has margin 1: it goes next.
    assert second in (0, 1)


def test_base_estimators_that_agree_are_taken_once():
    lines = np.array([[1, -1, 1, 1], [-1, 1, -1, 1]], dtype=np.int8)
    distinct, first = find_distinct_estimators(lines)
    np.testing.assert_array_equal(first, [0, 1, 3])
    np.testing.assert_array_equal(distinct, lines[:, first])
    assert distinct.dtype == float
