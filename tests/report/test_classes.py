import re

import pytest

from errata.report import _classes, render
from report.browsing import needs_browser, noted_by
from report.fake_summary import no_skill, random_summary, with_stretches


def map_of(classes, codes, suggested=None, flagged=None):
    suggested, flagged = suggested or codes, flagged or [0] * len(codes)
    return {
        "classes": classes,
        "map": {"label": codes, "suggested": suggested, "flagged": flagged},
    }


def names(number):
    return [f"c{code}" for code in range(number)]


def test_each_of_ten_classes_has_its_colour_the_largest_the_first():
    told = map_of(names(10), [9] * 5 + [0] * 3 + list(range(10)))
    assert not _classes.are_many(told)
    colours = _classes.choose_colours(told)
    assert (colours[9], colours[0]) == (0, 1)
    assert sorted(colours) == list(range(10))
    legend = _classes.make_legend(told)
    assert legend[0] == {"code": 9, "colour": 0, "name": "c9"}
    assert [key["colour"] for key in legend] == list(range(10))


def test_of_many_classes_those_of_flagged_rows_have_colours():
    told = map_of(names(40), [0] * 9 + [7, 7], [0] * 9 + [8, 30], [0] * 9 + [1, 1])
    assert _classes.are_many(told)
    colours = _classes.choose_colours(told)
    assert [colours[code] for code in (7, 8, 30, 0)] == [0, 1, 2, _classes.COLOURS]
    assert [key["code"] for key in _classes.make_legend(told)] == [7, 8, 30]


def test_more_confused_classes_than_colours_share_the_gray():
    codes = list(range(15))
    told = map_of(names(15), codes, codes, [1] * 15)
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


@pytest.fixture(scope="module")
def summary():
    return with_stretches(random_summary(300, 3, 20))


def test_the_page_draws_stretches_in_place_of_rows(summary):
    page = render(summary)
    assert page.count('class="stretch"') == 3
    assert 'id="examples"' not in page
    assert "7 stretches in 5 recordings" in page
    assert "in stretches of neighbouring rows" in page
    assert "dog &lt;1&gt;" in page
    assert "&lt;side&gt;" in page
    assert "<side>" not in page
    assert 'class="pair" data-label' not in page  # there is no list of rows to filter


def test_an_ordinary_page_knows_no_stretches():
    page = render(random_summary(300, 3, 20))
    assert 'id="stretches"' not in page
    assert 'id="examples"' in page


def test_without_skill_none_is_drawn(summary):
    page = render(no_skill(summary))
    assert 'id="stretches"' not in page
    assert 'class="stretch"' not in page


def test_without_any_the_page_says_so(summary):
    page = render(summary | {"stretches": {"count": 0, "recordings": 5, "worst": []}})
    assert "No stretch of the 5 recordings looks wrong." in page


def test_label_and_suggestion_share_their_colours(summary):
    figure = _classes.draw_figures(summary)[0]
    colours = {piece["name"]: piece["colour"] for piece in figure["suggestions"]}
    assert figure["labels"][0]["colour"] == colours[summary["classes"][0]]
    assert len(set(colours.values())) == 2
    assert (figure["left"], figure["width"]) == (40, 20)


def test_lines_lie_within_their_lane(summary):
    points = _classes.draw_figures(summary)[0]["lanes"][0]["points"]
    x, y = zip(*(map(float, point.split(",")) for point in points.split()), strict=True)
    assert (min(x), max(x)) == (0, 1000)
    assert list(x) == sorted(x)
    assert min(y) >= 0
    assert max(y) <= 100


@pytest.mark.parametrize(("first", "last"), [(0, 119), (0.3, 12.1), (-5, 5), (1e9, 1e9 + 60)])
def test_marks_are_round_and_in_order(first, last):
    marks = _classes.choose_marks(first, last)
    places = [mark["at"] for mark in marks]
    assert places == sorted(places)
    assert places[0] >= 2
    assert places[-1] <= 98
    coarse = [mark for mark in marks if not mark["fine"]]
    assert 3 <= len(coarse) <= 12
    for mark in marks:
        value = first + mark["at"] / 100 * (last - first)
        assert float(mark["text"]) == pytest.approx(value, abs=2e-4 * (last - first))


def test_a_single_moment_has_no_marks():
    assert _classes.choose_marks(3, 3) == []


@needs_browser
def test_zooming_widens_the_signal_around_its_stretch(summary, tmp_path):
    probe = """
    const frame = document.querySelector(".trace-scroll");
    const [out, into, reset] = document.querySelectorAll("#stretch-1 [data-zoom]");
    const seen = () => {
      const mark = frame.querySelector(".mark").getBoundingClientRect();
      const box = frame.getBoundingClientRect();
      const middle = mark.left + mark.width / 2 - box.left;
      return [frame.scrollWidth / frame.clientWidth, middle / box.width];
    };
    noted.start = seen();
    into.click();
    into.click();
    noted.close = seen();
    frame.dispatchEvent(new KeyboardEvent("keydown", { key: "-" }));
    noted.back = seen();
    for (let i = 0; i < 9; i += 1) into.click();
    noted.most = seen();
    frame.dispatchEvent(new WheelEvent("wheel", { deltaY: 9, cancelable: true }));
    noted.plain = seen();
    frame.dispatchEvent(new WheelEvent("wheel", { deltaY: 9, ctrlKey: true, cancelable: true }));
    noted.wheel = seen();
    reset.click();
    noted.reset = seen();
    noted.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
    """
    noted = noted_by(probe, summary, tmp_path, "--window-size=700,900")
    assert noted["start"] == pytest.approx([1, 0.5], abs=0.02)
    for when, zoom in (("close", 4), ("back", 2), ("most", 16), ("plain", 16), ("wheel", 12.8)):
        assert noted[when][0] == pytest.approx(zoom, rel=0.01), when
    assert noted["close"][1] == pytest.approx(0.5, abs=0.02)  # the stretch stays in the middle
    assert noted["reset"][0] == pytest.approx(1, abs=0.01)
    assert noted["wide"]


def test_no_colour_or_place_comes_from_the_user(summary):
    styles = re.findall(r'<[^>]*style="([^"]*)"', render(summary).split('id="stretches"')[1])
    assert all(re.fullmatch(r"[a-z0-9:;.%()-]*", style) for style in styles)
