import json

import numpy as np
import pytest

from errata.audit_folder import OTHERS, SUSPECTS, draw_piles

FLAGGED = np.arange(1000) % 10 == 0


def piles_of(flagged=FLAGGED, seed=0, **given):
    return draw_piles(flagged, np.random.default_rng(seed), **given)


def rows_of(piles, name):
    return [row for row, _, where in piles["calibration"] if where == name]


def test_piles_hold_rows_of_the_right_kind_once():
    piles = piles_of()
    rows = [row for row, _, _ in piles["calibration"]] + piles["spot"]
    assert len(set(rows)) == 40 + 300
    assert FLAGGED[rows_of(piles, SUSPECTS)].all()
    assert not FLAGGED[rows_of(piles, OTHERS)].any()
    assert piles["sizes"] == {SUSPECTS: 100, OTHERS: 900}
    json.dumps(piles)


@pytest.mark.parametrize(("flagged", "expected"), [(0.1, 5), (0.6, 12)])
def test_half_of_a_pile_is_a_pile(flagged, expected):
    names = [name for _, _, name in piles_of(np.arange(1000) < 1000 * flagged)["calibration"]]
    assert names[:20].count(SUSPECTS) == names[20:].count(SUSPECTS) == expected


@pytest.mark.parametrize("flagged", [0.0, 0.1, 0.6, 1.0])
def test_the_spot_pile_is_like_the_table(flagged):
    is_flagged = np.arange(1000) < 1000 * flagged
    spot = is_flagged[piles_of(is_flagged)["spot"]]
    assert len(spot) == 300
    for drawn in (20, 60, 300):
        assert abs(spot[:drawn].sum() - drawn * flagged) <= 1


def test_a_seed_gives_the_same_piles():
    assert piles_of(seed=3) == piles_of(seed=3)
    assert piles_of(seed=3) != piles_of(seed=4)


def test_rows_that_are_known_are_not_drawn():
    known = np.arange(1000) % 3 == 0
    piles = piles_of(known=known)
    assert not known[[row for row, _, _ in piles["calibration"]] + piles["spot"]].any()
    assert sum(piles["sizes"].values()) == np.sum(~known)


@pytest.mark.parametrize("flagged", [0, 3, 30])
def test_small_tables_are_drawn_as_far_as_they_go(flagged):
    piles = piles_of(np.arange(30) < flagged)
    assert sorted(row for row, _, _ in piles["calibration"]) == list(range(30))
    assert piles["spot"] == []
    last = {name: chance for _, chance, name in piles["calibration"]}
    assert all(chance == 1.0 for chance in last.values())


def test_every_row_of_a_stratum_is_drawn_as_often():
    flagged = np.arange(60) < 20
    drawn = np.zeros(60)
    for seed in range(2000):
        piles = piles_of(flagged, seed)
        drawn[rows_of(piles, SUSPECTS)[:5] + rows_of(piles, OTHERS)[:5]] += 1
    for part, chance in ((flagged, 5 / 20), (~flagged, 5 / 40)):
        error = np.sqrt(2000 * chance * (1 - chance))
        assert np.abs(drawn[part] - 2000 * chance).max() < 4.5 * error


def test_probabilities_are_given_the_earlier_draws():
    chances = [chance for _, chance, name in piles_of()["calibration"] if name == SUSPECTS]
    np.testing.assert_allclose(chances, 1 / (100 - np.arange(len(chances))), rtol=1e-12)
