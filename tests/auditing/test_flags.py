import pickle
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import errata
from auditing.made_audits import class_audit
from auditing_cases import QUICK, blobs
from errata.auditing._settings import CLEAN_THRESHOLD
from errata.auditing.classes import _problem
from errata.auditing.results._flags import (
    LEAST_FLAGGED,
    SUSPICION_BINS,
    Totals,
    draw_flags,
    draw_line,
    flags_by_line,
    rank_in_bins,
    reach_line,
)
from errata.noise import flip_labels

probabilities = hnp.arrays(float, st.integers(1, 40), elements=st.floats(0, 1))


@given(probabilities)
def test_flags_are_the_most_suspicious_rows(p):
    flagged, _, _ = draw_flags(p, p)
    assert p[flagged].min(initial=1) >= p[~flagged].max(initial=0)


@given(probabilities, st.floats(0, 1))
def test_a_precision_asked_for_is_expected(p, precision):
    flagged, expected, _ = draw_flags(p, p, precision)
    if flagged.any():
        assert expected >= precision - 1e-12
        np.testing.assert_allclose(expected, p[flagged].mean())
    else:
        assert np.isnan(expected)
        assert p.max() < precision


def test_equally_suspicious_rows_are_flagged_in_their_order():
    random = np.random.default_rng(0)
    suspicion = random.integers(5, size=300) / 5
    p = (suspicion + random.random(300)) / 2
    order = np.argsort(-suspicion, kind="stable")
    reached = np.cumsum(p[order]) >= 0.6 * np.arange(1, 301)
    count = np.flatnonzero(reached)[-1] + 1
    flagged, _, _ = draw_flags(p, suspicion, 0.6)
    assert 100 < count < 250
    assert np.flatnonzero(flagged).tolist() == sorted(order[:count].tolist())


def test_a_small_doubt_is_not_flagged():
    p = np.r_[0.4, np.full(20, LEAST_FLAGGED - 0.01), np.zeros(979)]
    assert np.flatnonzero(draw_flags(p, p)[0]).tolist() == [0]
    doubted = np.r_[np.full(300, LEAST_FLAGGED), np.zeros(700)]
    np.testing.assert_array_equal(draw_flags(doubted, doubted)[0], doubted > 0)


def test_a_small_doubt_is_not_flagged_however_suspicious():
    p, suspicion = np.array([0.9, 0.1, 0.8]), np.array([0.9, 0.8, 0.7])
    np.testing.assert_array_equal(draw_flags(p, suspicion)[0], [True, False, True])


def test_labels_without_doubt_are_not_flagged():
    flagged, *expected = draw_flags(np.zeros(5), np.zeros(5))
    assert not flagged.any()
    assert np.isnan(expected).all()


def test_the_longest_list_that_keeps_the_precision_is_flagged():
    p = np.array([0.9, 0.1, 0.9, 0.9, 0.0])  # the first rows are wrong by 0.9, 0.5, 0.63, 0.7, 0.56
    flagged, expected, _ = draw_flags(p, np.linspace(1, 0, 5), 0.65)
    np.testing.assert_array_equal(flagged, [True, True, True, True, False])
    np.testing.assert_allclose(expected, 0.7)


def doubted(n=200_000, *, noise=0.1, random_state=0):
    """Probabilities that labels are wrong, and a suspicion that ranks nearly as they do."""
    random = np.random.default_rng(random_state)
    wrong = random.random(n) < noise
    odds = np.where(wrong, random.normal(2, 2, n), random.normal(-5, 2, n))
    suspicion = 1 / (1 + np.exp(-odds - 0.2 * random.normal(size=n)))
    return 1 / (1 + np.exp(-odds)), suspicion


@pytest.mark.parametrize("precision", [None, 0.5, 0.95])
def test_the_list_is_nearly_that_of_sorted_rows(precision):
    p_wrong, suspicion = doubted()
    exact, binned = (draw(p_wrong, suspicion, precision) for draw in (draw_flags, flags_by_line))
    differing = np.flatnonzero(exact[0] != binned[0])
    assert len(differing) <= 0.002 * exact[0].sum()
    assert np.ptp(suspicion[differing]) <= 4 / SUSPICION_BINS if len(differing) else True
    np.testing.assert_allclose(binned[1:], exact[1:], rtol=0, atol=1e-3)


bins = st.lists(st.integers(0, SUSPICION_BINS - 1), min_size=1, max_size=40, unique=True)


@given(bins, st.data())
def test_with_a_bin_for_each_row_the_lists_are_the_same(places, data):
    suspicion = np.array(places) / SUSPICION_BINS
    p = st.lists(st.floats(0, 1), min_size=len(places), max_size=len(places))
    p_wrong = np.array(data.draw(p))
    precision = data.draw(st.none() | st.floats(0.01, 1))
    exact, binned = (draw(p_wrong, suspicion, precision) for draw in (draw_flags, flags_by_line))
    np.testing.assert_array_equal(binned[0], exact[0])
    np.testing.assert_allclose(binned[1:], exact[1:], rtol=1e-9)


def test_sums_over_parts_are_those_of_all_rows():
    p_wrong, suspicion = doubted(10_000)
    whole = rank_in_bins(p_wrong, suspicion)
    cuts = [0, 1, 1, 5_000, 9_999, 10_000]  # one part of no rows among them
    together = sum(
        rank_in_bins(p_wrong[start:stop], suspicion[start:stop]) for start, stop in pairwise(cuts)
    )
    np.testing.assert_array_equal(together[[0, 2]], whole[[0, 2]])
    np.testing.assert_allclose(together, whole, rtol=1e-12, atol=0)
    assert draw_line(together)[0] == draw_line(whole)[0]


def test_a_small_doubt_is_not_flagged_however_suspicious_by_the_line():
    p, suspicion = np.array([0.9, 0.1, 0.8]), np.array([0.9, 0.8, 0.7])
    flagged, *expected = flags_by_line(p, suspicion)
    np.testing.assert_array_equal(flagged, [True, False, True])
    np.testing.assert_allclose(expected, [0.85, 1.7 / 1.8], rtol=1e-12)


@pytest.mark.parametrize("least", [LEAST_FLAGGED - 0.01, 0.0])
def test_labels_without_doubt_are_not_flagged_by_the_line(least):
    by_line, exact = (
        draw(np.full(5, least), np.full(5, 0.4)) for draw in (flags_by_line, draw_flags)
    )
    flagged, precision, recall = by_line
    assert not flagged.any()
    assert np.isnan(precision)
    np.testing.assert_equal(recall, exact[2])


def test_the_highest_and_the_lowest_suspicion_have_their_bins():
    count, *_ = rank_in_bins(np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    assert np.flatnonzero(count).tolist() == [0, SUSPICION_BINS - 1]


def test_nothing_is_flagged_where_nothing_can_be_told_by_the_line():
    assert not reach_line((np.inf, np.inf), np.ones(3), np.ones(3)).any()


@pytest.mark.parametrize("known", [None, np.arange(150) < 30])
def test_a_table_with_more_rows_than_are_sorted_is_flagged_by_a_line(known, monkeypatch):
    X, codes = blobs(150)
    labels, _ = flip_labels(codes, n_flips=12, random_state=0)
    monkeypatch.setattr(_problem, "EXACT_ROWS", 149)
    audit = errata.audit(X, labels, known=known, estimators=QUICK, random_state=0)
    doubtful = np.ones(150, dtype=bool) if known is None else ~known
    ranking = rank_in_bins(audit.p_wrong[doubtful], audit.suspicion[doubtful])
    line, precision, _ = draw_line(ranking)
    assert np.isfinite(line[0])
    expected = doubtful & reach_line(line, audit.p_wrong, audit.suspicion)
    np.testing.assert_array_equal(audit.flagged, expected)
    assert audit.expected_precision == precision


@pytest.mark.parametrize(
    ("precision", "said"),
    [
        (None, "F1 score among rows whose label is wrong with a probability of 20% or more."),
        (0.65, "The list is as long as keeps 65% of it expected to be wrong."),
    ],
)
def test_the_rule_says_how_long_the_list_is(precision, said):
    audit = errata.audit(*blobs(60), estimators=QUICK, precision=precision, self_check=False)
    assert audit._rule.endswith(said)


K = 3
rows = st.tuples(
    st.integers(-1, K - 1), st.integers(0, K - 1), st.floats(0, 1), st.booleans(), st.booleans()
)


def columns(drawn):
    codes, suggested, p_wrong, flagged, known = (np.array(c) for c in zip(*drawn, strict=True))
    labelled = codes >= 0
    return {
        "codes": codes,
        "suggested": suggested,
        "p_wrong": np.where(labelled, p_wrong, 0.0),
        "flagged": flagged & labelled,
        "known": known & labelled,
        "p_elsewhere": p_wrong / 2,
    }


@given(st.lists(rows, min_size=1, max_size=60), st.integers(1, 5))
def test_totals_of_parts_add_up_to_those_of_all_rows(drawn, n_parts):
    all_rows = columns(drawn)
    cuts = np.linspace(0, len(drawn), n_parts + 1).astype(int)
    parts = [
        Totals.of(K, **{name: column[start:stop] for name, column in all_rows.items()})
        for start, stop in pairwise(cuts)
    ]
    together, whole = reduce(add, pickle.loads(pickle.dumps(parts))), Totals.of(K, **all_rows)
    for name, expected in vars(whole).items():
        if name == "confusion":
            assert together.confusion == expected
        else:
            np.testing.assert_allclose(getattr(together, name), expected, rtol=1e-12, atol=1e-12)


@given(st.lists(rows, min_size=1, max_size=60))
def test_they_are_what_the_rows_say(drawn):
    given_rows = columns(drawn)
    totals, codes, p_wrong = Totals.of(K, **given_rows), given_rows["codes"], given_rows["p_wrong"]
    flagged = given_rows["flagged"]
    assert totals.n == len(drawn)
    assert totals.labelled == totals.histogram.sum() == np.sum(codes >= 0)
    assert totals.n_flagged == flagged.sum() == totals.flagged_histogram.sum()
    assert totals.known == given_rows["known"].sum()
    assert totals.above.sum() == np.sum(p_wrong > CLEAN_THRESHOLD)
    assert totals.near_borders == np.sum(given_rows["p_elsewhere"][flagged] < LEAST_FLAGGED)
    np.testing.assert_allclose(totals.wrong.sum(), p_wrong.sum(), rtol=1e-12, atol=0)
    for (label, suggested), count in totals.confusion.items():
        here = flagged & (codes == label) & (given_rows["suggested"] == suggested)
        assert count == here.sum() > 0
    assert sum(totals.confusion.values()) == flagged.sum()


@given(st.lists(rows, min_size=1, max_size=60))
def test_as_many_rows_are_dropped_as_cleaning_drops(drawn):
    given_rows = columns(drawn)
    codes, p_wrong = given_rows["codes"], given_rows["p_wrong"]
    if (codes < 0).all():
        return
    labels = np.where(codes < 0, None, codes)
    audit = class_audit(labels, labels, p_wrong, p_wrong, np.arange(K))
    assert Totals.of(K, **given_rows).dropped == np.sum(~audit.clean("drop").kept)
