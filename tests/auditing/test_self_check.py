import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB

import errata
from auditing_cases import draw_truth, symmetric
from errata.auditing._self_check import (
    average_units,
    by_label_alone,
    correct_by_holm,
    count_found_by,
    estimate_average_precision,
    measure_lift,
    rows_to_change,
    run_self_check,
    units_of,
    wrong_labels,
)
from errata.auditing.classes._posterior import posterior_of
from errata.report import render, summary_in_markdown


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
    injected = np.array([[True, True, False, False, False]])
    suspicion = np.array([[0.9, 0.5, 0.6, 0.1, 0.2]])
    lift = measure_lift(injected, np.zeros((1, 5), dtype=int), suspicion)
    np.testing.assert_allclose(lift, (5 - 3) / np.sqrt(2 * 3 * 6 / 12))


def test_a_list_by_labels_takes_the_label_with_most_injected_errors_first():
    injected = np.array([True, True, False, True, False, False, False])
    lengths, held = by_label_alone(injected, np.array([1, 1, 1, 0, 0, 0, 0]))
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
    suspicion = random.random(300) + injected + wrong
    truth = average_precision_score(injected | wrong, suspicion)
    found = estimate_average_precision(injected, suspicion, wrong.astype(float))
    np.testing.assert_allclose(found, truth)
    assert estimate_average_precision(injected, suspicion, np.zeros(300)) < truth


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
    injected, labels = np.arange(12)[None] % 3 == 0, np.zeros((1, 12), dtype=int)
    suspicion = random.random((1, 12)) + 0.1 * injected
    units = np.repeat(np.arange(12), 8)
    first, mean = average_units(units, suspicion[:, units])
    assert units[first].tolist() == list(range(12))
    np.testing.assert_allclose(mean, suspicion, rtol=1e-12)
    once = measure_lift(injected, labels, suspicion)
    many = measure_lift(injected[:, units], labels[:, units], suspicion[:, units])
    assert abs(many) > 2 * abs(once)


def audit_sites(seed, blind=None, *, n=500, apart=4):
    """Three classes that two columns tell apart, but for rows of the ``blind`` site."""
    random = np.random.default_rng(seed)
    y = random.integers(3, size=n)
    site = random.choice(["A", "B", "C", "D"], n)
    X = random.normal(size=(n, 2)) + apart * np.array([[0, 0], [1, 0], [0, 1]])[y]
    X[site == blind] = random.normal(size=(np.sum(site == blind), 2)) + 1.3
    result = errata.audit(X, y, estimators=[GaussianNB()], random_state=seed)
    return result, site, y


@pytest.fixture(scope="module")
def blind():
    return audit_sites(0, "B", n=1000)


def test_a_site_whose_columns_are_noise_is_named(blind):
    result, site, _ = blind
    check = result.self_check
    rates = result.rates_by(site, name="site").set_index("value")
    assert rates.index[rates["overlooked"] < 0.05].tolist() == ["B"]
    inside = site[check.planted_rows] == "B"
    assert rates["planted"]["B"] == inside.sum()
    assert rates["found"]["B"] == check.planted_found[inside].sum()
    assert rates["planted"].sum() == len(check.planted_rows) == check.injected
    assert rates["found"].sum() == check.planted_found.sum() == check.found
    told = result.summary()["overlooked"]["sentence"]
    assert told.startswith(
        f"Of {inside.sum()} errors planted in site B, {check.planted_found[inside].sum()} were "
        f"found, of {np.sum(~inside)} elsewhere {check.planted_found[~inside].sum()}"
    )
    assert f"Overlooked: {told}" in summary_in_markdown(result.summary())
    assert told in render(result.summary())


def test_planted_rows_are_known_by_label_and_class(blind):
    result, _, y = blind
    check = result.self_check
    np.testing.assert_array_equal(check.planted_classes, y[check.planted_rows])
    assert (check.planted_labels != check.planted_classes).all()
    values = result.summary()["overlooked"]["values"]
    for of, codes in (("with label", check.planted_labels), ("in class", check.planted_classes)):
        planted = [value["planted"] for value in values if value["of"] == of]
        assert planted == np.bincount(codes).tolist()


def test_it_is_written_and_read(blind, tmp_path):
    result, site, _ = blind
    result.rates_by(site, name="site")
    result.save(tmp_path / "sites.audit")
    again = errata.Audit.load(tmp_path / "sites.audit")
    assert again.summary()["overlooked"] == result.summary()["overlooked"]
    numbers = json.loads((tmp_path / "sites.audit" / "audit.json").read_text())
    assert numbers["self_check"]["planted_rows"] == result.self_check.planted_rows.tolist()
    worst = min(numbers["about"]["by"]["values"], key=lambda value: value["overlooked"])
    assert worst["value"] == "B"


def test_nobody_is_named_where_all_sites_are_alike():
    named = 0
    found = []
    for seed in range(20):
        result, site, _ = audit_sites(seed, apart=2)
        found.append(result.self_check.planted_found.mean())
        named += (result.rates_by(site)["overlooked"] < 0.05).any()
    assert named <= 1
    assert np.mean(found) < 0.9  # enough are missed for somebody to be named by mistake


def test_rows_of_a_table_with_missing_labels_keep_their_places():
    random = np.random.default_rng(0)
    y = random.integers(2, size=300).astype(float)
    X = random.normal(size=(300, 2)) + 4 * y[:, None]
    labels = np.where(np.arange(300) < 50, np.nan, y)
    result = errata.audit(X, labels, estimators=[GaussianNB()], random_state=0)
    check = result.self_check
    assert check.planted_rows.min() >= 50
    np.testing.assert_array_equal(result.classes[check.planted_classes], y[check.planted_rows])
    # What has one label is of the other class, and is not told twice.
    assert {value["of"] for value in result.summary()["overlooked"]["values"]} == {"with label"}


def test_rows_of_a_table_in_parts_keep_their_places(tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(3, size=240)
    columns = np.column_stack([y + random.normal(scale=0.2, size=240), random.normal(size=240), y])
    (tmp_path / "parts").mkdir()
    for part, rows in enumerate(np.array_split(columns, 2)):
        path = tmp_path / "parts" / f"{part}.csv"
        lines = [f"{a:.3f},{b:.3f},k{c:.0f}" for a, b, c in rows]
        path.write_text("\n".join(["a,b,kind", *lines]) + "\n", encoding="utf-8")
    result = errata.audit(
        str(tmp_path / "parts"), "kind", out=tmp_path / "parts.audit", random_state=0
    )
    check = result.self_check
    np.testing.assert_array_equal(check.planted_classes, y[check.planted_rows])


def test_the_chance_is_that_of_fisher_and_holm():
    codes = np.repeat([0, 1, 2, 3], [40, 60, 80, 4])
    found = np.concatenate([np.arange(n) < k for n, k in ((40, 12), (60, 50), (80, 75), (4, 0))])
    told = count_found_by(codes, found, 4)
    assert told["planted"].tolist() == [40, 60, 80, 4]
    assert told["found"].tolist() == [12, 50, 75, 0]
    expected = fisher_exact([[12, 28], [125, 19]], alternative="less").pvalue
    np.testing.assert_allclose(told["overlooked"][0], expected, rtol=1e-9)
    assert told["overlooked"][3] == 1  # too few errors to tell
    chance = np.array([0.03, 0.01, 0.02, 0.001])
    corrected = correct_by_holm(chance, np.array([9, 9, 9, 4]))
    np.testing.assert_allclose(corrected, [0.04, 0.03, 0.04, 1], rtol=1e-12)
