import numpy as np
import pytest

from errata.auditing.examples import _cards
from errata.auditing.examples._cards import compare_rows
from errata.tables._columns import columns_of

N = 400
CODES = np.arange(N) % 2
ROWS = np.array([0, 1])


def planted(n_noise=30):
    """Columns of noise, then a text, then two that tell the classes apart, one better."""
    rng = np.random.default_rng(0)
    seen = CODES.copy()
    seen[ROWS] = 1 - CODES[ROWS]
    table = {f"noise {j}": rng.normal(size=N) for j in range(n_noise)}
    table["text"] = [f"a sentence of some length that is number {i} here" for i in range(N)]
    table["weak"] = seen + rng.normal(0, 0.4, N)
    table["strong"] = np.where(seen, "yes", "no").astype(object)
    table["weak"][ROWS] = seen[ROWS]
    return table


def told(table, *, used=None, nearest=((2, 3), (5,))):
    columns = columns_of(table)
    is_used = [used is None or column.name in used for column in columns]
    found = compare_rows(
        *(columns, is_used, CODES, ROWS, 1 - CODES[ROWS], nearest), random=np.random.default_rng(0)
    )
    return [(t._replace(places=[columns[p].name for p in t.places])) for t in found]


def test_columns_that_speak_come_first_then_texts_and_no_more_than_fit():
    for each in told(planted()):
        assert each.places[:2] == ["strong", "weak"]
        assert each.places[each.speaking] == "text"
        assert len(each.places) == 24
        rest = each.places[each.speaking + 1 :]
        assert rest == sorted(rest, key=lambda name: int(name.split()[1]))


def test_columns_that_models_did_not_see_do_not_speak():
    each = told(planted(3), used=["weak"])[0]
    assert each.places == ["weak", "text", "noise 0", "noise 1", "noise 2", "strong"]
    assert each.speaking == 1


def test_cells_that_differ_are_told_for_each_of_the_nearest_rows():
    table = planted(0)
    names = list(table)
    first, second = told(table)
    assert [len(each.differing) for each in (first, second)] == [2, 1]
    strong = names.index("strong")
    assert strong in first.differing[0]  # row 2 has the same label, but the usual value
    assert strong not in first.differing[1]
    assert names.index("text") in first.differing[1]


def test_rows_beyond_the_limit_are_drawn_and_those_needed_kept(monkeypatch):
    nearest = [list(range(2, 60)), list(range(60, 90))]
    strong = list(planted(2)).index("strong")
    before = told(planted(2), nearest=nearest)
    monkeypatch.setattr(_cards, "EVIDENCE_ROWS", 150)
    for each, whole in zip(told(planted(2), nearest=nearest), before, strict=True):
        assert each.places[:2] == ["strong", "weak"]
        assert [strong in found for found in each.differing] == [
            strong in found for found in whole.differing
        ]


@pytest.mark.parametrize("nearest", [[(), ()], [(4,), ()]])
def test_without_columns_there_is_nothing_to_tell(nearest):
    found = compare_rows([], [], CODES, ROWS, ROWS, nearest, random=np.random.default_rng(0))
    assert [(t.places, t.speaking, len(t.differing)) for t in found] == [
        ([], 0, len(near)) for near in nearest
    ]


def test_beside_a_value_that_speaks_stands_what_is_usual_for_the_label():
    table = planted()
    columns = [column.name for column in columns_of(table)]
    for row, each in zip(ROWS, told(table), strict=True):
        usual = {columns[place]: table[columns[place]][like] for place, like in each.usual.items()}
        alike = table["weak"][CODES[row] == CODES]
        assert usual["strong"] == ("yes" if CODES[row] else "no")
        assert usual["weak"] == np.sort(alike)[(len(alike) - 1) // 2]
