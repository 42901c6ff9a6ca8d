import re

import pytest

from browsing import needs_browser, noted_by
from errata.report import _classes, render
from report.fake_summary import no_skill, random_summary, with_stretches


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
