"""The page as it is laid out by a real browser: where things stand, and that nothing overflows."""

import shutil
import subprocess

import numpy as np
import pytest

from errata.report import write_report
from report.browsing import browse, needs_browser, noted_by, probed
from report.fake_summary import digits_summary, no_skill, random_summary

pytestmark = needs_browser

WIDTHS = (1280, 768, 500)  # without a screenshot, no window is narrower
TURNED = "\u202egnp.exe\x1b[31m"


def size(width, height=900):
    return f"--window-size={width},{height}"


@pytest.fixture(scope="module")
def digits():
    summary = digits_summary(rows=600, n_examples=60, pictures=False)
    summary["map"]["x"][0], summary["map"]["y"][1] = 1234.5, -4321.0
    return summary


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """What a page of a hundred labels does."""
    probe = """
    const table = () => [...byId("class-table").tBodies[0].rows];
    const names = () => table().map((row) => row.cells[0].textContent);
    noted.all = names().length;
    noted.first = names()[0];
    const head = [...byId("class-table").tHead.rows[0].cells];
    head[0].firstChild.click();
    noted.sorted = names().slice(0, 3);
    noted.sort = head.map((cell) => cell.getAttribute("aria-sort"));
    head[1].firstChild.click();
    noted.rows = table().map((row) => Number(row.cells[1].textContent));
    byId("find-class").value = "SIS 4";
    byId("find-class").dispatchEvent(new Event("input"));
    noted.found = names().sort();
    noted.count = byId("class-count").textContent;

    const field = byId("pick");
    const enter = (text, event) => {
      field.value = text;
      field.dispatchEvent(new Event(event));
      return mapState.picked;
    };
    noted.options = byId("pick-names").children.length;
    noted.partly = enter("diagnosis", "input");
    noted.whole = enter("Diagnosis 42", "input");
    noted.status = byId("picked").textContent;
    noted.entered = enter("sis 9", "change");
    noted.emptied = enter("", "input");
    const key = byId("legend").querySelector("button");
    key.click();
    const code = Number(key.dataset.code);
    noted.key = [mapState.picked, code, key.getAttribute("aria-pressed")];
    const { label, suggested, flagged } = data.map;
    const stands = (i) => label[i] === code || (flagged[i] && suggested[i] === code);
    noted.faded = label.map((_, i) => isFaded(i) !== Boolean(stands(i)));
    key.click();
    noted.unpicked = mapState.picked;
    const colours = mapColours();
    noted.plain = [...new Set(label.flatMap((_, i) => (flagged[i] ? [] : [fillOf(i, colours)])))];
    noted.gray = colours.classes[9];
    const flags = label.flatMap((_, i) => (flagged[i] ? [fillOf(i, colours)] : []));
    noted.coloured = new Set(flags).size;
    """
    return noted_by(probe, random_summary(4000, 100, 60, 2000), tmp_path_factory.mktemp("many"))


def test_a_table_of_all_labels_sorts(many):
    assert many["all"] == 100
    assert many["sorted"] == ["diagnosis 0", "diagnosis 1", "diagnosis 2"]
    assert many["sort"] == ["ascending", None, None, None, None]
    assert many["rows"] == sorted(many["rows"], reverse=True)


def test_a_table_of_all_labels_is_searched(many):
    assert many["found"] == ["diagnosis 4", *(f"diagnosis {code}" for code in range(40, 50))]
    assert many["count"] == "11 of 100 labels."


def test_a_label_of_the_map_is_picked_by_name(many):
    assert many["options"] == 100
    assert (many["partly"], many["whole"]) == (None, 42)
    assert (many["entered"], many["emptied"]) == (9, None)
    assert many["status"].startswith("Label diagnosis 42: ")
    assert "flagged row" in many["status"]


def test_a_label_of_the_map_is_picked_by_its_key(many):
    picked, code, pressed = many["key"]
    assert (picked, pressed) == (code, "true")
    assert many["unpicked"] is None
    assert all(many["faded"])


def test_of_many_labels_only_flagged_rows_have_colours(many):
    assert many["plain"] == [many["gray"]]
    assert many["coloured"] > 5


def hostile():
    """Names that are too long, turn around, or would like to be markup."""
    summary = random_summary(400, 8, 20)
    names = [
        "x" * 500,
        "many words " * 60,
        TURNED,
        "שלום 12",
        "<b>bold</b>",
        "👩\u200d🔬",
        "a\nb",
        "c",
    ]
    renamed = dict(zip(summary["classes"], names, strict=True))
    for line in summary["per_class"]:
        line["class"] = renamed[line["class"]]
    for pair in [*summary["confusion"], *summary["examples"]]:
        pair |= {key: renamed[pair[key]] for key in ("label", "suggested")}
    summary |= {"title": TURNED + "long_name_" * 30, "label": "y" * 300, "classes": names}
    summary["flagged"]["cleaned"]["command"] = f"errata clean {'folder/' * 40} -o {TURNED}"
    summary["notes"].append(f"A column called {'z' * 300} was left out.")
    return summary


OVERFLOW = """
const edge = document.documentElement.clientWidth;
const inScroll = (each) => each.closest(".scroll, .unseen, .examples, nav, .cut bdi");
noted.width = window.innerWidth;
noted.page = document.documentElement.scrollWidth - edge;
noted.beyond = [...document.querySelectorAll("main *")]
  .filter((each) => !inScroll(each) && each.getBoundingClientRect().right > edge + 1)
  .map((each) => `${each.tagName}.${each.className}`);
const [cut] = document.querySelectorAll("#class-table .cut[tabindex]");
noted.title = cut.title;
noted.whole = cut.textContent === cut.title;
noted.tip = (showTip(describePoint(data.map.label.indexOf(2)), 5, 5), byId("tooltip").textContent);
const names = [...document.querySelectorAll("#class-table .cut")];
noted.short = names.find((each) => each.textContent === "c").tabIndex;
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_long_names_overflow_nothing_and_can_be_read_whole(width, tmp_path):
    noted = noted_by(OVERFLOW, hostile(), tmp_path, size(width))
    assert noted["width"] == width
    assert noted["page"] <= 0
    assert noted["beyond"] == []
    assert noted["whole"]
    assert len(noted["title"]) > 400
    assert noted["short"] == -1  # what fits is no stop for the keyboard
    assert r"label: \u202egnp.exe\x1b[31m" in noted["tip"]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_cut_name_grows_when_it_has_the_focus(width, browser, tmp_path):
    # A window of its own never has the focus for certain; a page driven from here does.
    write_report(hostile(), tmp_path / "report.html")
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())
        cut = page.locator("#class-table .cut[tabindex='0']").first
        before = cut.bounding_box()["height"]
        cut.focus()
        assert cut.bounding_box()["height"] > before


THUMB = """
const style = element("style", {}, `
  .slider input::-webkit-slider-thumb { background: #ff00ff !important; }
  .crosshair { border-left: 3px solid #00ff00 !important; }
  .line-recall, .line-precision, .line-labels { display: none; }`);
document.head.append(style);
const slider = byId("curve-rank");
slider.value = WANTED * Number(slider.max);
slider.dispatchEvent(new Event("input"));
for (const each of document.querySelectorAll("header, #notes, #self-check p")) each.remove();
"""


@pytest.mark.parametrize(("width", "part"), [(1280, 0.0), (1280, 0.3), (768, 1.0), (390, 0.7)])
def test_the_thumb_stands_where_the_line_of_the_chart_is(width, part, digits, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    with probed(THUMB.replace("WANTED", str(part))):
        write_report(digits, tmp_path / "report.html")
    picture = tmp_path / "page.png"
    browse(
        *(tmp_path / "report.html", tmp_path / "profile", size(width, 900)),
        f"--screenshot={picture}",
    )
    red, green, blue = np.asarray(image.open(picture).convert("RGB")).astype(int).transpose(2, 0, 1)
    thumb = np.flatnonzero((red + blue - 2 * green > 450).any(axis=0))
    line = np.flatnonzero((2 * green - red - blue > 450).any(axis=0))
    assert len(thumb) > 10
    assert thumb.mean() == pytest.approx(line.mean(), abs=1)


KEYS = """
const slider = byId("curve-rank");
const press = (key) => {
  slider.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
  return Number(slider.value);
};
slider.value = data.curve.rank[10];
noted.ranks = data.curve.rank;
noted.pressed = ["ArrowRight", "ArrowLeft", "PageUp", "PageDown"].map(press);
noted.text = slider.getAttribute("aria-valuetext");
slider.value = 0;
slider.dispatchEvent(new Event("input"));
noted.least = [Number(slider.value), press("ArrowLeft")];
noted.tips = [0, 1, 2].map(describePoint);
noted.ways = data.map.outside;
"""


@pytest.fixture(scope="module")
def pressed(digits, tmp_path_factory):
    return noted_by(KEYS, digits, tmp_path_factory.mktemp("keys"))


def test_arrows_go_from_point_to_point_of_the_curve(pressed):
    ranks = pressed["ranks"]
    assert pressed["pressed"] == [ranks[11], ranks[10], ranks[30], ranks[10]]
    assert pressed["text"] == f"{ranks[10]} rows"
    assert pressed["least"] == [ranks[0], ranks[0]]


def test_a_row_outside_the_map_tells_its_true_position(pressed, digits):
    x, y = digits["map"]["x"], digits["map"]["y"]
    assert pressed["tips"][0].endswith(f"outside the map, at (1235, {y[0]:.4g})") or (
        "outside the map, at (1234, " in pressed["tips"][0]
    )
    assert f"outside the map, at ({float(f'{x[1]:.4g}'):g}, -4321)" in pressed["tips"][1]
    assert "outside" not in pressed["tips"][2]
    assert [way[:2] for way in pressed["ways"].values()] == [[1, 0], [0, -1]]


def test_a_page_of_many_labels_that_cannot_be_judged_starts_too(tmp_path):
    noted = noted_by("noted.rows = data.classes;", no_skill(random_summary(900, 60, 9)), tmp_path)
    assert noted["rows"] == []


PRINTED = """
const style = element("style", {}, "@page { size: 148mm 190mm; }");
document.head.append(style);
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The text of each page of a report on small paper."""
    if shutil.which("pdftotext") is None:
        pytest.skip("needs pdftotext")
    folder = tmp_path_factory.mktemp("paper")
    with probed(PRINTED):
        write_report(random_summary(2000, 20, 50), folder / "report.html")
    path = folder / "report.pdf"
    browse(
        *(folder / "report.html", folder / "profile", "--no-pdf-header-footer"),
        f"--print-to-pdf={path}",
    )
    command = ["pdftotext", "-layout", path, "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return [page.strip() for page in text.split("\f") if page.strip()]


def test_on_paper_each_page_of_a_table_has_the_whole_head(pages):
    listed = [page for page in pages if "P-" in page and "nearest rows" in page]
    assert len(listed) > 2
    for page in listed:
        assert "Suggestion" in page.split("P-")[0]


def test_on_paper_no_heading_ends_a_page(pages):
    headings = [
        *("Before you read on", "Can you trust this list?", "Which labels go wrong", "By label"),
        *("Among the flagged rows", "Noise matrix", "How sure we are", "Map of the data"),
        *("Rows to look at", "How this was computed", "Kinds of noise"),
    ]
    assert all(heading in "\n".join(pages) for heading in headings)
    assert [page for page in pages if page.splitlines()[-1].strip() in headings] == []
