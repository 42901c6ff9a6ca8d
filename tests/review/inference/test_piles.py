import json

import numpy as np
import pytest

from errata.review.inference import draw_piles
from errata.review.inference._piles import CALIBRATION, OTHERS, SPOT, SUSPECTS, information
from reviewed_tables import draw_table

WEIGHTS = np.array([0.4, 0.4, 0.2])


def piles_of(table, seed=0, **given):
    return draw_piles(table.flagged, table.p, WEIGHTS, np.random.default_rng(seed), **given)


def test_piles_hold_rows_of_the_right_kind_once():
    table = draw_table("uniform")
    piles = piles_of(table)
    rows = [row for row, _, _ in piles["calibration"]]
    assert len(set(rows)) == CALIBRATION
    assert all(table.flagged[row] == (name == SUSPECTS) for row, _, name in piles["calibration"])
    assert len(set(piles["spot"])) == SPOT
    assert not table.flagged[piles["spot"]].any()
    assert piles["sizes"] == {SUSPECTS: table.flagged.sum(), OTHERS: (~table.flagged).sum()}
    json.dumps(piles)


def test_half_of_a_pile_is_a_pile():
    names = [name for _, _, name in piles_of(draw_table("uniform"))["calibration"]]
    assert names[:20].count(SUSPECTS) == names[20:].count(SUSPECTS) == 10


def test_a_seed_gives_the_same_piles():
    table = draw_table("uniform")
    assert piles_of(table, 3) == piles_of(table, 3)
    assert piles_of(table, 3) != piles_of(table, 4)


def test_rows_that_are_known_are_not_drawn():
    table = draw_table("uniform")
    known = np.arange(1000) % 2 == 0
    piles = piles_of(table, known=known)
    assert not known[[row for row, _, _ in piles["calibration"]]].any()
    assert not known[piles["spot"]].any()


@pytest.mark.parametrize("flagged", [0, 3, 30])
def test_small_tables_are_drawn_as_far_as_they_go(flagged):
    table = draw_table("uniform", n=30)
    suspects = np.arange(30) < flagged
    piles = draw_piles(suspects, table.p, WEIGHTS, np.random.default_rng(0))
    assert sorted(row for row, _, _ in piles["calibration"]) == list(range(30))
    assert sorted(piles["spot"]) == list(range(flagged, 30))
    last = {name: chance for _, chance, name in piles["calibration"]}
    assert all(chance == pytest.approx(1.0) for chance in last.values())


def test_the_probabilities_are_those_of_the_draws():
    # The sum of any quantity over a stratum is what each draw estimates without bias: those drawn
    # before, and the next one over its probability.
    table = draw_table("uniform", n=60)
    values = np.random.default_rng(5).normal(size=60)
    wanted = values[~table.flagged].sum()
    estimates = [[], []]
    for seed in range(3000):
        drawn = [d for d in piles_of(table, seed)["calibration"] if d[2] == OTHERS]
        (first, chance, _), (second, chance_2, _) = drawn[:2]
        estimates[0].append(values[first] / chance)
        estimates[1].append(values[first] + values[second] / chance_2)
    for found in estimates:
        error = np.std(found) / np.sqrt(len(found))
        assert abs(np.mean(found) - wanted) < 3.5 * error


def test_rows_that_tell_more_are_drawn_more_often():
    table = draw_table("uniform")
    others = ~table.flagged
    told = information(table.p, WEIGHTS)
    drawn = [
        told[row]
        for seed in range(50)
        for row, _, name in piles_of(table, seed)["calibration"]
        if name == OTHERS
    ]
    assert np.mean(drawn) > 1.3 * told[others].mean()


def test_rows_on_which_all_agree_tell_nothing():
    same, apart = information(np.array([[0.3, 0.3], [0.0, 1.0]]), np.array([0.5, 0.5]))
    assert same == pytest.approx(0, abs=1e-12)
    assert apart == pytest.approx(np.log(2))
