"""Bounds at any time: oracles by naive enumeration, and reviews that stop when it suits them."""

from math import comb, log

import numpy as np
import pytest

from errata.review.inference import draw_piles
from errata.review.inference._anytime import (
    ALPHA,
    Draws,
    ListBound,
    _choose_lengths,
    least_wrong,
)

# Rows, drawn, wrong, mean p_wrong, log of the probability foretold, bounds, and outer bounds of a
# foretold probability that does not look at the number tested. All but the last were found by
# enumerating every split.
ORACLES = [
    ((100,), (20,), (0,), (0.05,), -0.887129, (0, 15), (0, 15)),
    ((50, 450), (6, 34), (5, 0), (0.8, 0.02), -4.362076, (13, 101), (14, 99)),
    ((50, 450), (10, 30), (1, 6), (0.8, 0.02), -21.442674, (22, 224), (20, 232)),
    ((20, 80), (20, 30), (15, 1), (0.7, 0.03), -17.549037, (16, 33), (16, 33)),
    ((250, 4750), (30, 170), (26, 2), (0.85, 0.01), -25.143011, (174, 505), (175, 513)),
    ((300, 1700), (15, 85), (2, 20), (0.9, 0.05), -56.122047, (210, 750), (196, 778)),
]
MILLION = Draws((50_000, 950_000), (40, 160), (34, 3), (0.85, 0.01))


def outer_bounds(draws):
    limit = log(ALPHA) + draws.log_foretold()
    return sum(draws.rows) - draws.exchange().outer_bound(limit), draws.outer_bound(limit)


@pytest.mark.parametrize(
    ("rows", "drawn", "wrong", "expected", "foretold", "bounds", "outer"), ORACLES
)
def test_bounds_are_those_of_the_oracle(rows, drawn, wrong, expected, foretold, bounds, outer):
    draws = Draws(rows, drawn, wrong, expected)
    assert draws.log_foretold() == pytest.approx(foretold, abs=1e-6)
    assert draws.bounds() == bounds
    assert outer_bounds(draws) == outer


def test_bounds_of_a_million_rows_are_rounded_outward():
    assert MILLION.log_foretold() == pytest.approx(-34.628261, abs=1e-6)
    assert outer_bounds(MILLION) == (37_053, 119_352)
    low, high = MILLION.bounds()
    assert 37_101 - 20 <= low <= 37_101
    assert 117_026 <= high <= 117_026 + 20


def test_the_martingale_of_a_split_is_that_of_the_oracle():
    draws = Draws((50, 450), (6, 34), (5, 0), (0.8, 0.02))
    np.testing.assert_allclose(draws.leverage, [0.415, 1.185714], rtol=0, atol=1e-6)
    found = draws.log_martingale(np.array([[42, 18], [45, 56]]), draws.log_foretold())
    np.testing.assert_allclose(found, [-0.137960, 2.920420], rtol=0, atol=1e-6)
    # By what was foretold alone; the limit is log 20.
    sizes = zip((50, 450), (6, 34), (5, 0), ((42, 45), (18, 56)), strict=True)
    chance = sum(np.log([comb(n - m, k - x) / comb(n, k) for k in both]) for n, m, x, both in sizes)
    np.testing.assert_allclose(
        draws.log_foretold() - chance, [-0.279608, 3.091387], rtol=0, atol=1e-6
    )


def test_every_split_of_a_small_table_says_the_same():
    random = np.random.default_rng(0)
    for _ in range(40):
        rows = tuple(random.integers(5, 40, 2).tolist())
        drawn = tuple(int(random.integers(0, n + 1)) for n in rows)
        wrong = tuple(int(random.integers(0, n + 1)) for n in drawn)
        draws = Draws(rows, drawn, wrong, (float(random.random()), float(random.random()) / 10))
        splits = np.array(
            [
                (first, second)
                for first in range(wrong[0], rows[0] - drawn[0] + wrong[0] + 1)
                for second in range(wrong[1], rows[1] - drawn[1] + wrong[1] + 1)
            ]
        )
        foretold = draws.log_foretold()
        left = splits[draws.log_martingale(splits, foretold) < -log(ALPHA)].sum(axis=1)
        assert draws.bounds() == (left.min(), left.max())
        # The likelihood by whole numbers.
        one = comb(rows[0] - drawn[0], int(splits[0, 0]) - wrong[0]) / comb(rows[0], splits[0, 0])
        two = comb(rows[1] - drawn[1], int(splits[0, 1]) - wrong[1]) / comb(rows[1], splits[0, 1])
        of_none = Draws(rows, drawn, wrong, draws.expected).log_martingale(splits[:1], -np.inf)
        told = draws.log_martingale(splits[:1], foretold)
        assert np.exp(told - of_none) >= 1 - 1e-9
        assert np.exp(told[0]) >= 0.7 * np.exp(foretold) / (one * two) * (1 - 1e-9)


def test_without_a_verdict_everything_is_left():
    assert Draws((50, 450), (0, 0), (0, 0), (0.8, 0.02)).bounds() == (0, 500)


def test_rows_decided_otherwise_only_cut_what_is_possible():
    free = Draws((50, 450), (6, 34), (5, 0), (0.8, 0.02)).bounds()
    cut = Draws((50, 450), (6, 34), (5, 0), (0.8, 0.02), (40, 0), (45, 30)).bounds()
    assert cut[0] == 40 > free[0]
    assert cut[1] <= 75 < free[1]


@pytest.mark.parametrize(
    ("rows", "drawn", "wrong", "alpha", "least"),
    [
        (100, 20, 14, 0.05, 42),
        (100, 20, 14, 0.025, 39),
        (40, 10, 10, 0.05, 30),
        (10_000, 100, 90, 0.05, 7_902),
        (60, 60, 41, 0.05, 41),
    ],
)
def test_a_list_holds_at_least_what_the_oracle_says(rows, drawn, wrong, alpha, least):
    assert least_wrong(rows, drawn, wrong, alpha) == least


def test_the_lengths_of_a_list_share_alpha_as_the_oracle_says():
    lengths, shares = _choose_lengths(100)
    assert lengths == [100, 50, 25, 12, 6]
    np.testing.assert_allclose(shares, [0.51613, 0.25806, 0.12903, 0.06452, 0.03226], atol=5e-6)
    drawn = zip(lengths, (20, 9, 5, 3, 1), (14, 8, 5, 3, 1), shares, strict=True)
    least = [least_wrong(rows, n, x, ALPHA * share) for rows, n, x, share in drawn]
    assert least == [39, 21, 10, 3, 1]


def test_rows_known_to_be_wrong_count_in_a_list_without_a_draw():
    bound = ListBound(20, [], [], found=[0, 1, 2, 9])
    assert [bound.at_least(length) for length in (1, 3, 9, 10, 20)] == [1, 3, 3, 4, 4]
    assert (bound.longest(1.0), bound.longest(0.4), bound.longest(0.3)) == (3, 10, 13)


def test_the_meter_is_near_what_it_takes():
    few = Draws((250, 4750), (6, 34), (5, 0), (0.85, 0.01))
    assert few.more_verdicts(0.03) == pytest.approx(120, rel=0.15)
    assert few.more_verdicts(0.05) == pytest.approx(38, rel=0.15)
    assert Draws((250, 4750), (30, 170), (26, 2), (0.85, 0.01)).more_verdicts(
        0.03
    ) == pytest.approx(41, rel=0.15)
    with_others = Draws((250, 4750), (6, 34), (5, 0), (0.85, 0.01), (60, 0), (200, 4700))
    assert with_others.more_verdicts(0.03) == few.more_verdicts(0.03)


def test_a_bound_gets_narrower_as_long_as_one_goes_on():
    # Were all further draws from the others, the suspects' part would stay as wide as it is.
    flagged = np.arange(1000) < 400
    piles = draw_piles(flagged, np.random.default_rng(0))
    order = np.array([row for row, *_ in piles["calibration"]] + piles["spot"])
    widths = []
    for drawn in (40, 340):
        n = (int(flagged[order[:drawn]].sum()), int((~flagged[order[:drawn]]).sum()))
        low, high = Draws((400, 600), n, (n[0] // 2, n[1] // 10), (0.5, 0.1)).bounds()
        widths.append(high - low)
    assert widths[1] < 0.4 * widths[0]


def is_outside(draws, truth):
    """Whether bounds exclude the truth; they are slow, and not asked where some split is left."""
    foretold = draws.log_foretold()
    if draws.log_martingale(np.array([truth]), foretold)[0] < -np.log(ALPHA):
        return False
    if draws._best_split(sum(truth), foretold) < -np.log(ALPHA):
        return False
    low, high = draws.bounds()
    return not low <= sum(truth) <= high


@pytest.mark.parametrize("audit", ["good", "unrelated"])
def test_the_truth_is_hardly_ever_excluded_by_who_stops_when_it_is(audit):
    # 300 reviews of 500 rows along both piles, looked at after every fourth verdict: with a bound
    # for a fixed number the truth is excluded at some time in 13 to 23 %.
    random = np.random.default_rng(7)
    p = random.beta(0.06, 0.24, 500)
    wrong = random.random(500) < p
    said = p if audit == "good" else random.permutation(p)
    flagged = said > 0.5
    rows = (int(flagged.sum()), int((~flagged).sum()))
    truth = (int(wrong[flagged].sum()), int(wrong[~flagged].sum()))
    expected = (float(said[flagged].mean()), float(said[~flagged].mean()))
    piles = draw_piles(flagged, random)
    order = [row for row, *_ in piles["calibration"]] + piles["spot"][:160]
    strata = (~flagged[order]).astype(int).tolist()
    drawn = [0, 0]
    found = np.zeros((300, 2), dtype=int)
    is_excluded = np.zeros(300, dtype=bool)
    for verdict, s in enumerate(strata, start=1):
        left = truth[s] - found[:, s]
        found[:, s] += random.random(300) * (rows[s] - drawn[s]) < left
        drawn[s] += 1
        if verdict % 4 == 0:
            # Of two reviews with the same counts the bounds are the same.
            pairs, which = np.unique(found, axis=0, return_inverse=True)
            draws = [Draws(rows, tuple(drawn), tuple(x), expected) for x in pairs.tolist()]
            outside = [is_outside(each, truth) for each in draws]
            is_excluded |= np.array(outside)[which.ravel()]
    assert is_excluded.sum() <= 22  # 5 % of 300, and chance
