import pytest

from errata.report import _classes


def summary(classes, codes, suggested=None, flagged=None):
    suggested, flagged = suggested or codes, flagged or [0] * len(codes)
    return {
        "classes": classes,
        "map": {"label": codes, "suggested": suggested, "flagged": flagged},
    }


def names(number):
    return [f"c{code}" for code in range(number)]


def test_each_of_ten_classes_has_its_colour_the_largest_the_first():
    told = summary(names(10), [9] * 5 + [0] * 3 + list(range(10)))
    assert not _classes.are_many(told)
    colours = _classes.choose_colours(told)
    assert (colours[9], colours[0]) == (0, 1)
    assert sorted(colours) == list(range(10))
    legend = _classes.make_legend(told)
    assert legend[0] == {"code": 9, "colour": 0, "name": "c9"}
    assert [key["colour"] for key in legend] == list(range(10))


def test_of_many_classes_those_of_flagged_rows_have_colours():
    told = summary(names(40), [0] * 9 + [7, 7], [0] * 9 + [8, 30], [0] * 9 + [1, 1])
    assert _classes.are_many(told)
    colours = _classes.choose_colours(told)
    assert [colours[code] for code in (7, 8, 30, 0)] == [0, 1, 2, _classes.COLOURS]
    assert [key["code"] for key in _classes.make_legend(told)] == [7, 8, 30]


def test_more_confused_classes_than_colours_share_the_gray():
    codes = list(range(15))
    told = summary(names(15), codes, codes, [1] * 15)
    assert sorted(_classes.choose_colours(told)) == [*range(9), 9, 9, 9, 9, 9, 9]
    assert len(_classes.make_legend(told)) == 9


def test_a_map_that_is_not_there_colours_nothing():
    assert _classes.choose_colours({"classes": ["a", "b"], "map": None}) == [0, 1]


def test_the_matrix_colours_mistakes_and_not_what_is_right():
    matrix = _classes.draw_matrix({"classes": ["a", "b"], "transition": [[0.8, 0.2], [0.1, 0.9]]})
    assert matrix["names"] == ["a", "b"]
    assert not matrix["of_flagged"]
    lines = matrix["lines"]
    assert [[cell["right"] for cell in line["cells"]] for line in lines] == [
        [True, False],
        [False, True],
    ]
    assert [lines[0]["cells"][1]["strength"], lines[1]["cells"][0]["strength"]] == [1, 0.5]


def test_a_nearly_clean_matrix_looks_clean():
    matrix = _classes.draw_matrix({"classes": ["a", "b"], "transition": [[0.999, 0.001], [0, 1]]})
    assert matrix["lines"][0]["cells"][1]["strength"] == 0.02


def pair(label, suggested, count):
    return {"label": label, "suggested": suggested, "count": count}


def test_many_classes_have_a_matrix_of_the_most_confused():
    confusion = [pair(f"c{code}", f"c{code + 50}", 60 - code) for code in range(50)]
    confusion.append(pair("c50", "c0", 2))
    matrix = _classes.draw_matrix(
        {"classes": names(100), "transition": None, "confusion": confusion}
    )
    assert matrix["of_flagged"]
    assert matrix["names"][:4] == ["c0", "c50", "c1", "c51"]
    assert len(matrix["names"]) == 14  # an even number, as these pairs share no class
    texts = [[cell["text"] for cell in line["cells"]] for line in matrix["lines"]]
    assert texts[1][0] == "60"  # looks like c50, is labelled c0
    assert texts[0][1] == "2"
    assert texts[2][0] == "·"
    assert matrix["lines"][1]["cells"][0]["strength"] == 1


def test_many_classes_without_a_flagged_row_have_no_matrix():
    told = {"classes": names(100), "transition": None, "confusion": []}
    assert _classes.draw_matrix(told) is None


def per_class(number):
    return [
        {"class": str(code), "rows": 10, "expected_wrong": code, "rate": code / 100, "flagged": 0}
        for code in range(number)
    ]


def test_the_worst_classes_come_first():
    worst = _classes.rank_worst_classes({"per_class": per_class(50)})
    assert [line["class"] for line in worst] == [str(code) for code in range(49, 29, -1)]
    assert worst[0]["bar"] == 100


@pytest.mark.parametrize(("number", "skill", "listed"), [(20, 1, 0), (21, 1, 21), (21, 0, 0)])
def test_all_classes_are_listed_where_they_are_too_many_to_show(number, skill, listed):
    told = {"per_class": per_class(number), "has_skill": bool(skill)}
    assert len(_classes.list_classes(told)) == listed
