import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.audit_folder._components import BLUNTNESS, LEAST_BELIEVED, OFF, TEMPER, RowSums, shifted
from errata.review.inference import (
    Components,
    Evidence,
    evidence_of,
    expected_left,
    gather_components,
    update,
)
from review.reviewed_tables import KINDS, draw_table


def flat(components):
    return np.concatenate(
        [np.ravel(part) for part in (components.shifts, components.weights)]
        + [np.ravel(part) for sums in (components.flagged, components.others) for part in sums]
    )


def numbers(evidence):
    sums = [part for field in evidence if isinstance(field, tuple) for part in field]
    plain = [field for field in evidence if not isinstance(field, tuple)]
    return np.concatenate([np.ravel(part) for part in (*sums, *plain)])


def test_before_any_verdict_as_many_are_expected_as_the_audit_says():
    table = draw_table("uniform")
    components = table.components
    expected = np.sum(components.of_flagged * components.flagged.wrong)
    expected += np.sum(components.of_others * components.others.wrong)
    assert expected == pytest.approx(table.p_wrong.sum(), rel=1e-6)
    np.testing.assert_allclose(table.components.weights.sum(), 1, rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_no_probability_exceeds_one_by_rounding(seed):
    weights = np.random.default_rng(seed).dirichlet(np.ones(4))
    certain = np.ones((2, 4))
    flagged = np.array([True, False])
    components = gather_components(("a", "b", "c", "d"), weights, certain, flagged, 2.0)
    p_wrong = components.p_wrong(certain, flagged)
    assert p_wrong.max() <= 1
    np.testing.assert_allclose(p_wrong, 1, rtol=1e-12)


def test_no_verdict_changes_nothing():
    table = draw_table("uniform")
    after = update(table.components, Evidence.empty(table.components))
    np.testing.assert_allclose(flat(after), flat(table.components), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("truth", KINDS)
def test_fifty_verdicts_tell_the_kinds_apart(truth):
    table = draw_table(truth)
    rows = np.random.default_rng(1).choice(np.flatnonzero(table.p_wrong > 0.05), 50, replace=False)
    after = update(table.components, table.evidence(rows))
    assert after.weights[KINDS.index(truth)].sum() > 0.9
    believed = after.p_wrong(table.p, table.flagged).sum()
    assert abs(believed - table.wrong.sum()) < abs(table.p_wrong.sum() - table.wrong.sum())


def test_verdicts_revive_what_the_audit_ruled_out():
    table = draw_table("boundary", weights=(0.5, 0.5, 0.0))
    before = table.components.weights[2].sum()
    assert before == pytest.approx(LEAST_BELIEVED / 3)
    assert update(table.components, table.evidence(np.arange(20))).weights[2].sum() > 0.9


def test_that_an_audit_is_blunt_is_believed_by_a_fifth():
    p = np.random.default_rng(0).random((30, 2))
    flagged = p[:, 0] > 0.5
    components = gather_components(["all", "blunt"], np.array([1.0, 0.0]), p, flagged, 15.0)
    weights = components.weights.sum(axis=(1, 2))
    share = LEAST_BELIEVED / 2
    expected = (1 - LEAST_BELIEVED) * np.array([1 - BLUNTNESS, BLUNTNESS]) + share
    np.testing.assert_allclose(weights, expected, rtol=1e-12)


def test_weights_are_the_bayes_rule_to_the_letter():
    table = draw_table("uniform", n=30)
    rows = np.array([0, 7, 29])
    after = update(table.components, table.evidence(rows)).weights
    expected = table.components.weights.copy()
    for row in rows:
        for kind in range(3):
            for s, shift in enumerate(table.components.shifts):
                p = shifted(table.p[row, kind], np.exp(shift))
                seen = p if table.wrong[row] else 1 - p
                own = (kind, s) if table.flagged[row] else (kind, slice(None), s)
                expected[own] *= (OFF + (1 - 2 * OFF) * seen) ** TEMPER
    np.testing.assert_allclose(after, expected / expected.sum(), rtol=1e-10, atol=0)


@given(st.lists(st.integers(0, 99), min_size=2, max_size=20, unique=True), st.data())
def test_a_verdict_taken_back_leaves_no_trace(rows, data):
    table = draw_table("uniform", n=100)
    cut = data.draw(st.integers(1, len(rows) - 1))
    kept, taken_back = rows[:cut], rows[cut:]
    both = table.evidence(kept).plus(table.evidence(taken_back))
    left = both.plus(table.evidence(taken_back), -1)
    np.testing.assert_allclose(numbers(left), numbers(table.evidence(kept)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        both.log_likelihood, table.evidence(rows).log_likelihood, rtol=1e-9, atol=1e-9
    )


def test_p_wrong_is_the_mean_over_components():
    table = draw_table("boundary")
    flagged = table.components.of_flagged
    others = table.components.of_others
    parts = [
        np.where(table.flagged, flagged[k, s], others[k, s]) * shifted(table.p[:, k], np.exp(a))
        for k in range(3)
        for s, a in enumerate(table.components.shifts)
    ]
    found = table.components.p_wrong(table.p, table.flagged)
    np.testing.assert_allclose(found, np.sum(parts, axis=0), rtol=1e-12, atol=1e-15)


def test_shifts_move_log_odds_and_leave_certainty_alone():
    p = np.array([0.0, 0.2, 0.5, 1.0])
    moved = shifted(p, np.e)
    np.testing.assert_allclose(moved[[0, 3]], [0, 1], rtol=0, atol=0)
    odds = moved[1:3] / (1 - moved[1:3])
    np.testing.assert_allclose(np.log(odds), np.log(p[1:3] / (1 - p[1:3])) + 1, rtol=1e-12)


def test_json_keeps_everything():
    components = draw_table("uniform").components
    kept = Components.from_dict(json.loads(json.dumps(components.as_dict())))
    np.testing.assert_allclose(flat(kept), flat(components), rtol=0, atol=0)
    assert kept.kinds == components.kinds


def test_evidence_counts_what_was_found_and_expected():
    table = draw_table("uniform")
    rows = np.arange(50)
    found = evidence_of(
        table.components, table.p[rows], table.wrong[rows], table.flagged[rows], table.p_wrong[rows]
    )
    assert found.flagged.rows + found.others.rows == 50
    assert found.found_flagged == np.sum(table.wrong[:50] & table.flagged[:50])
    assert found.found_others == np.sum(table.wrong[:50] & ~table.flagged[:50])
    assert found.expected == pytest.approx(table.p_wrong[:50][table.flagged[:50]].sum())


def test_rows_that_are_taken_out_of_a_sum_take_their_variance_along():
    some = RowSums(3, np.array([[1.0, 0.5]]), np.array([[0.4, 0.2]]))
    more = RowSums(2, np.array([[0.25, 1.0]]), np.array([[0.1, 0.3]]))
    both = some.plus(more)
    np.testing.assert_allclose(both.variance, [[0.5, 0.5]], rtol=1e-12)
    for part, wanted in zip(both.plus(more, -1), some, strict=True):
        np.testing.assert_allclose(part, wanted, rtol=1e-12)


def test_others_get_a_rate_of_their_own():
    # What was flagged is as wrong as expected; a tenth of the others is, and the audit missed it.
    n = 1000
    flagged = np.arange(n) < 100
    p = np.where(flagged, 0.9, 0.005)[:, None]
    components = gather_components(["uniform"], np.ones(1), p, flagged, p.sum())
    rows = np.r_[np.arange(10), np.arange(100, 160)]
    wrong = np.isin(rows, [*range(9), 100, 110, 120, 130, 140, 150])
    found = evidence_of(components, p[rows], wrong, flagged[rows], p[rows, 0])
    after = update(components, found).p_wrong(p, flagged)
    assert after[0] == pytest.approx(0.9, abs=0.05)
    assert 0.03 < after[-1] < 0.1


def test_where_nothing_is_flagged_there_is_one_shift():
    table = draw_table("uniform")
    nowhere = np.zeros(len(table.p), dtype=bool)
    components = gather_components(KINDS, np.ones(3), table.p, nowhere, table.p_wrong.sum())
    rows = np.arange(30)
    found = evidence_of(
        components, table.p[rows], table.wrong[rows], nowhere[rows], table.p_wrong[rows]
    )
    np.testing.assert_allclose(found.log_likelihood[0], 0)
    after = update(components, found)
    logs = np.log(components.of_others) + found.log_likelihood[1]
    wanted = np.exp(logs - logs.max())
    np.testing.assert_allclose(after.of_others, wanted / wanted.sum(), rtol=1e-9)


def beside_p(p):
    """What an audit says, the same with half the log-odds, and wrong labels anywhere."""
    blunt = np.sqrt(p) / (np.sqrt(p) + np.sqrt(1 - p))
    return np.column_stack([p, blunt, np.full(len(p), 0.1)])


def gather_beside_anywhere(p, flagged):
    """An audit that is sure of what it says, beside what it does not foresee."""
    kinds = ["all", "blunt", "anywhere"]
    return gather_components(kinds, np.array([1.0, 0.0, 0.0]), beside_p(p), flagged, p.sum())


def verdicts_at(components, p, rows, wrong, flagged):
    given = beside_p(p)[rows]
    return evidence_of(components, given, np.isin(rows, wrong), flagged[rows], p[rows])


def test_an_audit_may_be_right_about_suspects_and_have_missed_others():
    flagged = np.arange(1000) < 100
    p = np.where(flagged, 0.95, np.resize([1e-6, 1e-4, 1e-2], 1000))
    before = gather_beside_anywhere(p, flagged)
    assert before.kinds == ("all", "blunt", "anywhere", "missed")
    rows = np.r_[0:10, 100:130]
    found = verdicts_at(before, p, rows, [*range(10), *range(100, 107)], flagged)
    after = update(before, found)
    assert after.weights[3].sum() > 0.8
    now = after.p_wrong(beside_p(p), flagged)
    assert now[0] > 0.9
    assert 0.15 < now[-1] < 0.3
    left, low, high = expected_left(after, flagged=after.flagged, others=after.others)
    assert left == pytest.approx(now.sum())
    assert low < 100 + 900 * 7 / 30 < high


def test_what_people_get_wrong_may_be_less_plain_than_an_audit_says():
    # Wrong labels are where it looks for them, but also, and more often, where it hardly does.
    random = np.random.default_rng(0)
    p = 1 / (1 + np.exp(-random.normal(-3, 3, 2000)))
    truth = np.sqrt(p) / (np.sqrt(p) + np.sqrt(1 - p))
    wrong = np.flatnonzero(random.random(2000) < truth)
    flagged = p > 0.5
    before = gather_beside_anywhere(p, flagged)
    rows = random.permutation(2000)[:150]
    after = update(before, verdicts_at(before, p, rows, wrong, flagged))
    assert after.weights[1].sum() > 2 * before.weights[1].sum()
    now = after.p_wrong(beside_p(p), flagged)
    assert np.abs(now - truth).mean() < 0.5 * np.abs(p - truth).mean()


def test_the_more_verdicts_the_less_components_differ():
    table = draw_table("uniform")
    before = table.components
    few, many = (update(before, table.evidence(np.arange(n))) for n in (5, 200))
    spreads = [now.spread(table.p, table.flagged) for now in (before, few, many)]
    assert spreads[2].mean() < spreads[1].mean() < spreads[0].mean()
    # By its definition.
    p = table.p[:1]
    each = np.array([shifted(p[0], odds) for odds in np.exp(few.shifts)]).T
    weights = few.of_flagged if table.flagged[0] else few.of_others
    mean = np.sum(weights * each)
    wanted = np.sqrt(np.sum(weights * (each - mean) ** 2))
    assert few.spread(p, table.flagged[:1])[0] == pytest.approx(wanted, abs=1e-9)


def test_a_suspect_that_is_wrong_speaks_for_the_next():
    # Few are expected to be wrong: what may be anywhere is hardly taken from the suspects.
    flagged = np.arange(60) < 2
    p = np.where(flagged, 0.97, 1e-5)
    before = gather_beside_anywhere(p, flagged)
    given = beside_p(p)
    first = before.p_wrong(given, flagged)[1]
    assert first > 0.8
    after = update(before, verdicts_at(before, p, np.array([0]), [0], flagged))
    assert after.p_wrong(given, flagged)[1] > first


def test_wrong_labels_are_believed_where_the_audit_expects_none():
    nowhere = np.zeros(1000, dtype=bool)
    p = np.full(1000, 1e-5)
    before = gather_beside_anywhere(p, nowhere)
    assert expected_left(before, others=before.others)[0] <= 1.5
    found = verdicts_at(before, p, np.arange(20), np.arange(9), nowhere)
    after = expected_left(update(before, found), others=before.others)[0]
    assert 350 < after < 500


def test_what_may_be_anywhere_changes_nothing_before_verdicts():
    flagged = np.arange(1000) < 100
    p = np.where(flagged, 0.6, 0.01)
    before = gather_beside_anywhere(p, flagged)
    left = expected_left(before, flagged=before.flagged, others=before.others)[0]
    assert left == pytest.approx(p.sum(), rel=1e-6)
