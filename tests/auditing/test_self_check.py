import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from auditing_cases import draw_truth, symmetric
from errata.auditing._self_check import (
    Run,
    _one_for_each,
    by_label_alone,
    estimated_average_precision,
    lift_of,
    rows_to_change,
    run_self_check,
    units_of,
    wrong_labels,
)
from errata.auditing.classes._posterior import posterior_of


def checked(n=600, n_classes=3, suspicion=None):
    """Out-of-fold probabilities that stay what they are: only the posterior is computed again."""
    truth = draw_truth(symmetric(n_classes, 0.1), n, error=0.3)
    injected = []

    def audit_again(codes, seed):
        injected.append(np.flatnonzero(codes != truth.labels))
        again = posterior_of(truth.logs, codes, np.random.default_rng(seed))
        return again if suspicion is None else again._replace(suspicion=suspicion(codes))

    first = posterior_of(truth.logs, truth.labels, np.random.default_rng(0))
    return (
        run_self_check(truth.labels, first, audit_again, np.random.default_rng(1)),
        injected,
        first,
    )


@given(st.integers(2, 6), st.integers(0, 1000), st.floats(0, 0.5))
def test_injected_labels_are_wrong_and_known(n_classes, seed, rate):
    random = np.random.default_rng(seed)
    codes = random.integers(n_classes, size=50)
    injected = wrong_labels(codes, np.arange(50), symmetric(n_classes, rate), random)
    assert (injected != codes).all()
    assert injected.min() >= 0
    assert injected.max() < n_classes


def test_half_of_the_injected_labels_follow_the_noise_model():
    T = np.array([[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    codes, units = np.zeros(4000, dtype=int), np.arange(4000)
    injected = wrong_labels(codes, units, T, np.random.default_rng(0))
    np.testing.assert_allclose(np.mean(injected == 1), 0.75, rtol=0, atol=0.03)


@given(st.integers(2, 60), st.integers(0, 100), st.integers(1, 40))
def test_at_least_half_of_every_class_keeps_its_label(n, seed, count):
    random = np.random.default_rng(seed)
    codes = random.integers(3, size=n)
    units = units_of(random.integers(n // 2 + 1, size=n), codes)
    injected = rows_to_change(codes, units, count, random)
    assert injected.sum() <= count
    assert (np.bincount(codes[injected], minlength=3) <= np.bincount(codes, minlength=3) / 2).all()
    assert not set(units[injected]) & set(units[~injected])


def test_units_that_do_not_fit_are_passed_over():
    units = np.r_[np.arange(300), np.repeat([300, 301, 302], 60)]
    for seed in range(10):
        codes, random = np.arange(480) % 2, np.random.default_rng(seed)
        codes[300:] = np.repeat([0, 1, 0], 60)
        assert rows_to_change(codes, units, 48, random).sum() == 48


def test_as_many_rows_are_changed_as_there_is_room_for():
    random = np.random.default_rng(0)
    injected = rows_to_change(np.arange(100) % 2, np.arange(100), 30, random)
    assert injected.sum() == 30
    few = rows_to_change(
        np.r_[np.zeros(95, dtype=int), np.ones(5, dtype=int)], np.arange(100), 60, random
    )
    assert few[:95].sum() == 47
    assert few[95:].sum() == 2


def test_errors_are_injected_in_all_rows_and_nothing_is_left_out_of_the_count():
    check, (injected,), first = checked()
    assert check.injected == len(injected) == 60
    assert (first.p_wrong[injected] > 0.5).any()  # rows that were suspected already count, too
    assert check.found <= min(check.injected, check.top)
    assert check.top == np.ceil(1.1 * (60 + first.p_wrong.sum()))
    assert check.repeats == 1
    np.testing.assert_allclose(
        check.precision * check.rank, check.recall * check.injected, rtol=0, atol=1e-9
    )
    assert check.rank[-1] == 600
    np.testing.assert_allclose([check.recall[-1], check.label_recall[-1]], 1, rtol=0, atol=1e-9)


def test_good_models_find_what_was_injected_and_labels_alone_do_not():
    check, _, _ = checked()
    assert check.lift
    assert check.average_precision > 0.8
    assert check.suggested_right > 0.85
    assert check.found > 0.9 * check.injected
    assert check.by_label < 0.5 * check.found
    assert (check.label_recall <= check.recall + 0.05).all()


@pytest.mark.parametrize("kind", ["at random", "by label"])
def test_a_ranking_that_knows_no_column_has_no_lift_and_no_curve(kind):
    random = np.random.default_rng(0)
    by = {"at random": lambda codes: random.random(len(codes)), "by label": lambda codes: codes / 3}
    check, _, _ = checked(n=1500, suspicion=by[kind])
    assert not check.lift
    assert len(check.rank) == len(check.recall) == len(check.label_recall) == 0
    assert abs(check.found - check.by_label) < 0.5 * check.injected


def test_lift_is_van_elterens_statistic():
    # One label of five rows: the two injected ones have ranks 5 and 3, U = 5 of 6 pairs.
    run = Run(
        injected=np.array([True, True, False, False, False]),
        labels=np.zeros(5, dtype=int),
        suspicion=np.array([0.9, 0.5, 0.6, 0.1, 0.2]),
    )
    np.testing.assert_allclose(lift_of([run]), (5 - 3) / np.sqrt(2 * 3 * 6 / 12))


def test_a_list_by_labels_takes_the_label_with_most_injected_errors_first():
    run = Run(
        injected=np.array([True, True, False, True, False, False, False]),
        labels=np.array([1, 1, 1, 0, 0, 0, 0]),
        suspicion=np.zeros(7),
    )
    lengths, held = by_label_alone(run)
    np.testing.assert_array_equal(lengths, [0, 3, 7])
    np.testing.assert_array_equal(held, [0, 2, 3])
    assert np.interp(5, lengths, held) == 2.5


def test_few_rows_are_checked_twice():
    check, injected, _ = checked(n=100)
    assert check.repeats == len(injected) == 2


def test_copies_are_changed_together_and_the_same_way():
    random = np.random.default_rng(0)
    copies, codes = np.repeat(np.arange(40), 5), np.tile([0, 0, 0, 1, 1], 40)
    units = units_of(copies, codes)
    assert len(np.unique(units)) == 80
    wrong = wrong_labels(codes, units, symmetric(4, 0.2), random)
    for unit in range(80):
        assert len(set(wrong[units == unit])) == 1
    assert len(set(wrong[codes == 0])) == 3


def test_three_rows_leave_nothing_to_plant():
    truth = draw_truth(symmetric(3, 0.1), 60)
    first = posterior_of(truth.logs, truth.labels, np.random.default_rng(0))
    first = first._replace(p_wrong=first.p_wrong[:3])
    codes = np.array([0, 1, 2])
    assert run_self_check(codes, first, posterior_of, np.random.default_rng(0)) is None


def test_average_precision_counts_injected_errors_and_expected_ones():
    random = np.random.default_rng(0)
    injected, wrong = random.random((2, 300)) < 0.1
    wrong &= ~injected
    run = Run(injected, np.zeros(300, dtype=int), random.random(300) + injected + wrong)
    truth = average_precision_score(injected | wrong, run.suspicion)
    np.testing.assert_allclose(estimated_average_precision(run, wrong.astype(float)), truth)
    assert estimated_average_precision(run, np.zeros(300)) < truth


def test_copies_are_changed_together_in_every_run():
    truth = draw_truth(symmetric(3, 0.1), 300, error=0.3)
    copies, labels = np.arange(300) // 3, truth.labels[np.arange(300) // 3]
    seen = []

    def audit_again(codes, seed):
        seen.append(codes)
        return posterior_of(truth.logs, codes, np.random.default_rng(seed))

    first = posterior_of(truth.logs, labels, np.random.default_rng(0))
    check = run_self_check(labels, first, audit_again, np.random.default_rng(1), copies)
    assert check.injected == 30
    for codes in seen:
        assert len(np.unique(copies * 3 + codes)) == 100


def test_what_was_changed_together_is_one_event():
    # Eight copies of each row: the test counts rows, and would take them for eight witnesses.
    random = np.random.default_rng(0)
    injected, labels = np.arange(12) % 3 == 0, np.zeros(12, dtype=int)
    run = Run(injected, labels, random.random(12) + 0.1 * injected)
    units = np.repeat(np.arange(12), 8)
    many = Run(injected[units], labels[units], run.suspicion[units])
    assert lift_of([_one_for_each(units, many)]) == pytest.approx(lift_of([run]), rel=1e-12)
    assert abs(lift_of([many])) > 2 * abs(lift_of([run]))
