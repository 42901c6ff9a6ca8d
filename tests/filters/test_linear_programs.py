import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, linprog, milp

from errata.ensemble import DiscreteAdaBoostClassifier
from errata.filters import LinearProgramPeeler, maximize_margin
from errata.filters._peeling import (
    STRATEGIES,
    choose_removal_order,
    estimate_fraction_of_strays,
    find_distinct_estimators,
    find_least_by_row,
    make_margin_lines,
    solve_soft_margin,
    solve_widest_margin,
)
from filters.peeling_cases import LINE, MISLABELLED, noisy_blobs, noisy_twonorm, peel_line
from strategies import seeds


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
    return solve_widest_margin(lines[~np.isin(groups, gone)])[0]


def test_the_worked_example():
    lines, groups, margins = worked_example()
    margin, _, multipliers = solve_widest_margin(lines)
    assert margin == pytest.approx(0, abs=1e-9)
    assert multipliers[1] == pytest.approx(0.5, abs=1e-9)
    assert multipliers[[0, 2, 9]].sum() == pytest.approx(0.5, abs=1e-9)
    values = [value_without(lines, groups, row) for row in range(10)]
    np.testing.assert_allclose(values, np.where(np.arange(10) == 1, 1 / 3, 0), rtol=0, atol=1e-9)
    assert milp_value(lines, groups) == pytest.approx(1 / 3, abs=1e-6)
    for strategy in ("dual", "exact", "soft", "margin"):
        assert choose_removal_order(lines, groups, margins, 1, strategy).tolist() == [1]


def test_any_row_that_holds_the_margin_down_may_go():
    lines, groups, margins = worked_example()
    _, _, multipliers = solve_widest_margin(find_distinct_estimators(lines)[0])
    (support,) = np.nonzero(multipliers > 1e-9)
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
    margin, alpha, multipliers = solve_widest_margin(lines)
    assert margin == pytest.approx(primal_value(lines), abs=1e-6)
    assert alpha.sum() == pytest.approx(1, abs=1e-6)
    assert (lines @ alpha).min() == pytest.approx(margin, abs=1e-6)
    assert multipliers.sum() == pytest.approx(1, abs=1e-6)
    assert (multipliers @ lines).max() == pytest.approx(margin, abs=1e-6)


def test_a_row_that_all_base_estimators_get_wrong_leaves_weights_that_sum_to_one():
    margin, alpha, _ = solve_widest_margin(np.array([[1.0, 1.0], [-1.0, -1.0]]))
    assert margin == -1
    assert alpha.sum() == pytest.approx(1, abs=1e-9)


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
    assert (lines @ hard).min() == pytest.approx(solve_widest_margin(lines)[0], abs=1e-6)


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


@pytest.mark.parametrize("make", [noisy_twonorm, noisy_blobs])
def test_the_least_margin_is_that_of_the_program(make):
    X, y, _ = make()
    peeler = LinearProgramPeeler(contamination=0.15, n_estimators=25)
    X_left, y_left = peeler.fit_resample(X, y)
    before = peeler.booster_.decision_function(X)
    model = maximize_margin(peeler.booster_, X_left, y_left)
    lines, _ = make_margin_lines(peeler.booster_._staged_codes(X_left), y_left)
    widest = solve_widest_margin(lines)[0]
    assert model.margins(X_left, y_left).min() == pytest.approx(widest, abs=1e-6)
    assert widest >= peeler.booster_.margins(X_left, y_left).min() - 1e-9
    assert model.estimator_weights_.sum() == pytest.approx(1, abs=1e-6)
    assert model.n_estimators_ == len(model.estimator_errors_) <= peeler.booster_.n_estimators_
    places = {id(term.estimator): place for place, term in enumerate(peeler.booster_._terms)}
    kept = [places[id(term.estimator)] for term in model._terms]
    np.testing.assert_array_equal(model.estimator_errors_, peeler.booster_.estimator_errors_[kept])
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert model.score(X_left, y_left) > 0.7
    np.testing.assert_array_equal(peeler.booster_.decision_function(X), before)


def test_there_are_weights_even_for_a_row_that_all_base_estimators_get_wrong():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]), np.array(list("aabbbb"))
    booster = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y)
    np.testing.assert_array_equal(maximize_margin(booster, X, y).predict(X), list("aaabbb"))


def test_models_survive_pickling():
    X, y, _ = noisy_twonorm(n=80)
    model = maximize_margin(DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y), X, y)
    revived = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(revived.decision_function(X), model.decision_function(X))


def test_as_many_labels_as_rows():
    X, y, _ = noisy_twonorm(n=80)
    booster = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        maximize_margin(booster, X, y[1:])


def short(**parameters):
    return LinearProgramPeeler(**{"n_estimators": 20, "contamination": 0.1, **parameters})


@pytest.mark.parametrize("strategy", ["dual", "exact", "soft"])
def test_the_worked_example_in_linear_program_peeler(strategy):
    peeler = peel_line("linear_program", 3, contamination=0.1, strategy=strategy)
    np.testing.assert_array_equal(np.flatnonzero(peeler.flagged_), [1])


@pytest.mark.parametrize("strategy", ["dual", "support", "soft", "margin"])
@pytest.mark.parametrize("fraction", [0.0, 0.05, 0.1, 0.114])
def test_as_many_rows_are_flagged_as_the_contamination_says(strategy, fraction):
    X, y, flipped = noisy_twonorm(0, n=100)
    peeler = short(contamination=fraction, strategy=strategy).fit(X, y)
    assert peeler.flagged_.sum() == np.floor(100 * fraction + 0.5)
    assert peeler.contamination_ == fraction
    assert peeler.suspicion_[~peeler.flagged_].max() <= 1
    if fraction == 0.1:  # as many as there are flips: what is missed is wrongly flagged elsewhere
        assert (peeler.flagged_ & ~flipped).sum() == (flipped & ~peeler.flagged_).sum()


def test_a_threshold_can_add_the_rows_of_negative_margin():
    X, y, _ = noisy_twonorm(0, n=100)
    peeler = short(contamination=None, threshold=0.0).fit(X, y)
    free = short(contamination=peeler.contamination_).fit(X, y).flagged_
    np.testing.assert_array_equal(peeler.flagged_, free | (peeler.margins_ < 0))
    assert (peeler.flagged_ & ~free).any()


def test_a_seed_repeats_the_rows_that_are_drawn():
    X, y, _ = noisy_twonorm(3, n=80)
    first, again, other = (
        short(strategy="support", random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.suspicion_, again.suspicion_)
    assert (first.suspicion_ != other.suspicion_).any()


def test_the_first_row_to_go_is_the_most_suspicious():
    X, y, _ = noisy_twonorm(1, n=80)
    few, many = (short(contamination=fraction).fit(X, y) for fraction in (0.025, 0.1))
    top = np.argsort(-many.suspicion_)[:2]
    np.testing.assert_array_equal(np.sort(top), np.flatnonzero(few.flagged_))
    assert few.suspicion_[top[0]] > few.suspicion_[top[1]] > 1


def test_exact_programs_widen_the_margin_at_least_as_much():
    X, y, _ = noisy_twonorm(2, n=40)
    values = []
    for strategy in ("exact", "dual"):
        peeler = short(n_estimators=8, contamination=0.025, strategy=strategy)
        kept = peeler.fit(X, y).sample_indices_
        lines, _ = make_margin_lines(peeler.booster_._staged_codes(X[kept]), y[kept])
        values.append(solve_widest_margin(lines)[0])
    assert values[0] >= values[1] - 1e-9


def test_the_contamination_is_estimated_from_strays_when_it_is_not_given():
    estimates = [estimate_fraction_of_strays(*noisy_blobs(300, 0.1, seed)[:2]) for seed in range(5)]
    assert np.mean(estimates) == pytest.approx(0.1, abs=0.025)
    X, y, _ = noisy_blobs(300, 0.1)
    peeler = short(contamination=None, strategy="margin").fit(X, y)
    assert peeler.contamination_ == estimate_fraction_of_strays(X, y)
    assert peeler.flagged_.sum() == round(300 * peeler.contamination_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"contamination": 1.2}, "contamination=1.2 must be a number between 0 and 1"),
        ({"contamination": "guess"}, "contamination='guess' must be a number"),
        ({"strategy": "primal"}, "strategy='primal' is not known; choose from dual, exact"),
        ({"threshold": 0.5}, "two rules; pass at most one"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        short(**parameters).fit(LINE, np.repeat([0, 1], 5))
