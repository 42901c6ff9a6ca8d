from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from errata.auditing.examples import _examples, _review
from errata.auditing.examples._cards import Cells, standing_out, texts_of
from errata.auditing.examples._examples import compare_rows, evidence
from errata.auditing.examples._review import card_rows
from errata.tables._columns import columns_of

RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1], [300, 100])
ALL = np.ones(400, dtype=bool)


def weights(values, row=0, other=1, counted=ALL):
    bins = Cells(values).bins
    return evidence(bins, CODES, np.array([row]), np.array([other]), counted)[0]


def test_it_is_the_log_ratio_of_smoothed_frequencies():
    values = np.zeros(400)
    values[[0, 1, 2]] = 1.0  # the row itself is not counted, two others of its label are
    values[300:350] = 1.0
    smoothing = 5 / (299 + 100)
    expected = np.log(50 / 100 + smoothing) - np.log(2 / 299 + smoothing)
    assert_allclose(weights(values), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["numbers", "words", "dates"])
def test_a_value_that_is_usual_in_the_other_class_speaks_whatever_its_kind(kind):
    size = np.where(CODES == 0, 0.0, 4.0) + RNG.normal(size=400)
    size[0] = 4.0
    values = {
        "numbers": size,
        "words": np.where(size > 2, "large", "small").astype(object),
        "dates": np.datetime64("2020-01-01") + (100 * size).astype("m8[D]"),
    }[kind]
    assert weights(values) > np.log(2)
    assert weights(values, row=1) < 0


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=400),
        np.array([f"only {i}" for i in range(400)], dtype=object),
        np.ones(400),
        np.full(400, np.nan),
    ],
    ids=["noise", "identifier", "constant", "missing"],
)
def test_what_tells_nothing_says_nothing_though_one_class_is_larger(values):
    found = [weights(values, row=row) for row in range(20)]
    assert np.mean(np.abs(found)) < np.log(2) / 2


def test_a_missing_value_can_speak():
    values = RNG.normal(size=400)
    values[[0, *range(300, 380)]] = np.nan
    assert weights(values) > np.log(2)


def test_against_its_own_class_nothing_speaks():
    only_here = (np.arange(400) == 0).astype(float)
    assert weights(only_here, other=0) == 0


def test_rows_that_are_not_counted_do_not_count():
    values = np.zeros(400)
    values[0] = values[300:] = 1.0
    few = ALL.copy()
    few[310:] = few[0] = False
    smoothing = 5 / (299 + 10)
    expected = np.log(1 + smoothing) - np.log(smoothing)
    assert_allclose(weights(values, counted=few), expected, rtol=1e-12)


def test_numbers_differ_by_more_than_their_spread_and_words_if_unequal():
    numbers = Cells(np.r_[np.linspace(-1, 1, 101), np.nan, np.inf])
    rows = np.array([50, 50, 50, 101])
    others = np.array([79, 80, 101, 102])  # the standard deviation is 29.15 steps
    assert numbers.differ(rows, others).tolist() == [False, True, True, False]
    words = Cells(np.array(["a", "b", "a ", None], dtype=object))
    found = words.differ(np.array([0, 0, 0]), np.array([1, 2, 3]))
    assert found.tolist() == [True, False, True]


def test_neither_outliers_nor_two_heaps_of_values_widen_the_spread():
    outliers = Cells(np.r_[np.linspace(0, 1, 100), 50, -50])
    heaps = Cells(np.r_[np.linspace(0, 1, 50), np.linspace(5, 6, 50)])
    assert outliers.differ(np.array([0]), np.array([60]))
    assert heaps.differ(np.array([0]), np.array([50]))


def test_a_rare_number_differs_though_most_are_equal():
    gains = Cells(np.r_[np.zeros(99), 1e308])
    assert gains.differ(np.array([0, 0]), np.array([1, 99])).tolist() == [False, True]


def test_a_column_of_sentences_is_to_be_read():
    sentences = [f"this is the sentence number {i} of a text that goes on" for i in range(9)]
    assert Cells(np.array(sentences, dtype=object)).is_text
    assert not Cells(np.array(["red", "blue"], dtype=object)).is_text
    assert not Cells(np.array(["1.5", "2"], dtype=object)).is_text


N = 400
HALVES = np.arange(N) % 2
ROWS = np.array([0, 1])


def planted(n_noise=30):
    """Columns of noise, then a text, then two that tell the classes apart, one better."""
    rng = np.random.default_rng(0)
    seen = HALVES.copy()
    seen[ROWS] = 1 - HALVES[ROWS]
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
        columns,
        is_used,
        HALVES,
        ROWS,
        1 - HALVES[ROWS],
        nearest,
        random=np.random.default_rng(0),
    )
    return [
        SimpleNamespace(
            places=[columns[place].name for place in places],
            speaking=speaking,
            differing=differing,
            usual=usual,
        )
        for places, speaking, differing, usual in found
    ]


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
    monkeypatch.setattr(_examples, "EVIDENCE_ROWS", 150)
    for each, whole in zip(told(planted(2), nearest=nearest), before, strict=True):
        assert each.places[:2] == ["strong", "weak"]
        assert [strong in found for found in each.differing] == [
            strong in found for found in whole.differing
        ]


@pytest.mark.parametrize("nearest", [[(), ()], [(4,), ()]])
def test_without_columns_there_is_nothing_to_tell(nearest):
    found = compare_rows([], [], HALVES, ROWS, ROWS, nearest, random=np.random.default_rng(0))
    assert found == [([], 0, [set() for _ in near], {}) for near in nearest]


def test_beside_a_value_that_speaks_stands_what_is_usual_for_the_label():
    table = planted()
    columns = [column.name for column in columns_of(table)]
    for row, each in zip(ROWS, told(table), strict=True):
        usual = {columns[place]: table[columns[place]][like] for place, like in each.usual.items()}
        alike = table["weak"][HALVES[row] == HALVES]
        assert usual["strong"] == ("yes" if HALVES[row] else "no")
        assert usual["weak"] == np.sort(alike)[(len(alike) - 1) // 2]


M = 60
RANDOM = np.random.default_rng(0)
TABLE = {
    "number": [f"id {i}" for i in range(M)],
    "noise": RANDOM.normal(size=M),
    "fever": np.r_[41.0, 36 + RANDOM.random(M - 1)],
    "ward": ["north", *["south"] * (M - 1)],
    "note": ["a sentence of some length that is to be read, number " + str(i) for i in range(M)],
}
COLUMNS = columns_of(TABLE)
NEAR = np.array([[5, 8, 13, 21, 34]])


def places(is_used=(True,) * 5, near=NEAR, rows=(0,)):
    random = np.random.default_rng(0)
    found = standing_out(COLUMNS, list(is_used), np.array(rows), near, random)
    return [[COLUMNS[j].name for j in row] for row in found]


def test_what_differs_from_neighbours_comes_first_then_texts():
    assert set(places()[0][:2]) == {"ward", "fever"}
    assert places()[0][2] == "note"


def test_a_row_like_its_neighbours_is_shown_as_the_table_is_after_its_texts():
    alike = {"number": TABLE["number"], "kind": ["x"] * M, "note": TABLE["note"]}
    random = np.random.default_rng(0)
    found = standing_out(columns_of(alike), [True] * 3, np.array([0]), NEAR, random)
    assert found == [[2, 0, 1]]


def test_columns_that_models_did_not_see_never_stand_out():
    assert places(is_used=[True, True, True, False, True])[0][0] == "fever"


def test_without_neighbours_nothing_stands_out():
    assert places(near=np.empty((1, 0), dtype=int))[0] == [
        *("note", "number", "noise", "fever", "ward")
    ]


def test_a_missing_number_differs_from_the_ones_that_are_there():
    columns = columns_of({"a": np.zeros(M), "b": np.r_[np.nan, np.ones(M - 1)]})
    found = standing_out(columns, [True] * 2, np.array([0]), NEAR, np.random.default_rng(0))
    assert found == [[1, 0]]


def test_texts_are_whole_and_nothing_where_a_cell_is_missing():
    columns = columns_of({"a": [0.1, float("nan")], "b": ["x" * 3_000, None], "c": [1, 2]})
    texts = [texts_of(column, np.array([0, 1])) for column in columns]
    assert texts == [["0.1", ""], ["x" * 3_000, ""], ["1", "2"]]


@pytest.mark.parametrize(
    "cells",
    [
        np.array([0.1, 1e16, np.nan, -0.0], dtype=np.float32),
        np.array([0.1, 1e16, np.nan, 1e-5]),
        np.array([0.1, 2.0], dtype=np.float16),
        np.array([2**62, -1]),
        np.array([True, False]),
    ],
    ids=lambda cells: str(cells.dtype),
)
def test_numbers_are_written_as_each_by_itself(cells):
    (column,) = columns_of({"a": cells})
    expected = ["" if cell != cell else str(cell) for cell in cells]
    assert texts_of(column, np.arange(len(cells))) == expected


def test_a_text_beyond_a_million_characters_is_cut():
    (text,) = texts_of(columns_of({"a": ["x" * 2_000_000, "y"]})[0], np.array([0]))
    assert len(text) == 2**20


SUSPICION = np.array([0.5, 0.9, 0.1, 0.7, 0.2])
NOTHING = {"calibration": [], "spot": []}
FLAGGED = np.array([True, True, False, True, False])


def test_flagged_rows_come_first_by_suspicion():
    assert card_rows(SUSPICION, FLAGGED, NOTHING).tolist() == [1, 3, 0]


def test_rows_of_the_piles_follow_once_each():
    piles = {"calibration": [[3, 0.9, 2], [4, 0.1, 0]], "spot": [2, 4]}
    assert card_rows(SUSPICION, FLAGGED, piles).tolist() == [1, 3, 0, 4, 2]


def test_the_most_suspicious_stay_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(_review, "MOST_CARDS", 2)
    piles = {"calibration": [], "spot": [2]}
    assert card_rows(SUSPICION, FLAGGED, piles).tolist() == [1, 3, 2]


def test_nothing_flagged_and_nothing_drawn_is_no_row():
    rows = card_rows(SUSPICION, np.zeros(5, dtype=bool), NOTHING)
    assert rows.dtype.kind == "i"
    assert len(rows) == 0
