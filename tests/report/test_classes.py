from errata.report import _classes


def summary(classes, codes):
    return {"classes": classes, "map": {"label": codes}}


def test_the_largest_classes_get_colours_of_their_own():
    classes = [f"c{code}" for code in range(12)]
    codes = [11] * 5 + [0] * 3 + list(range(12))
    colours = _classes.colours(summary(classes, codes))
    assert (colours[11], colours[0]) == (0, 1)
    assert sorted(colours) == [*range(9), 9, 9, 9]
    assert _classes.legend(summary(classes, codes))[-1] == {"colour": 9, "name": "3 other labels"}


def test_a_single_gray_class_keeps_its_name():
    classes = [f"c{code}" for code in range(10)]
    assert _classes.legend(summary(classes, list(range(10))))[-1] == {"colour": 9, "name": "c9"}


def test_the_matrix_colours_mistakes_and_not_what_is_right():
    lines = _classes.matrix({"classes": ["a", "b"], "transition": [[0.8, 0.2], [0.1, 0.9]]})
    assert [[cell["right"] for cell in line["cells"]] for line in lines] == [
        [True, False],
        [False, True],
    ]
    assert [lines[0]["cells"][1]["strength"], lines[1]["cells"][0]["strength"]] == [1, 0.5]


def test_a_nearly_clean_matrix_looks_clean():
    lines = _classes.matrix({"classes": ["a", "b"], "transition": [[0.999, 0.001], [0, 1]]})
    assert lines[0]["cells"][1]["strength"] == 0.02


def test_the_worst_classes_come_first():
    per_class = [
        {"class": str(code), "rows": 10, "expected_wrong": code, "rate": code / 100, "flagged": 0}
        for code in range(50)
    ]
    worst = _classes.worst_classes({"per_class": per_class})
    assert [line["class"] for line in worst] == [str(code) for code in range(49, 19, -1)]
    assert worst[0]["bar"] == 100
