import html
import json
import re
from copy import deepcopy
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from errata import report
from errata._kinds import CLASSES, KINDS, SEQUENCES
from errata.report import ReportFrame, _render, render, write_report
from errata.report import _packing as packing
from report.browsing import dom, needs_browser, probed
from report.fake_summary import digits_summary, no_lift, no_skill, perhaps_overlap, random_summary

EVIL = """</script><script>alert(1)</script>" onload='alert(2)' <!-- {{ 7 * 7 }} &amp;"""
SECTIONS = ["notes", "self-check", "classes", "spread", "map", "examples", "method"]


class Page(HTMLParser):
    """A page as a reader meets it: elements, text, and the data for the script."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.scripts, self.inside = [], [], [], None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        {"script": self.scripts, "style": []}.get(self.inside, self.texts).append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).replace("\xa0", " ").split())

    @property
    def data(self):
        return json.loads(self.scripts[0])

    def ids(self, tag):
        return [attrs.get("id") for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def digits():
    return digits_summary()


def test_the_page_has_its_sections_in_their_order(digits):
    assert Page(render(digits)).ids("section") == SECTIONS


def test_numbers_and_sentences_are_shown(digits):
    digits = deepcopy(digits)
    digits["noise_rate"] |= {"estimate": 0.087, "low": 0.061, "high": 0.112}
    digits["noise_rate"] |= {"count": 157, "count_low": 110, "count_high": 201}
    text = Page(render(digits)).text
    assert "About 157 of 1,797 labels are probably wrong (between 110 and 201)." in text
    assert "191 rows are flagged; we expect 9 in 10 of them to be real errors." in text
    assert "Labels probably wrong 8.7% between 6.1% and 11%" in text
    assert digits["self_check"]["sentence"] in text
    assert "Look at the first 198 rows: you find 99% of the planted errors (14% by " in text
    assert "forest 0.80 91%" in text
    assert "3 rows without a label were left out." in text


def test_what_clean_drops_is_said_with_its_number_and_that_of_the_flags(digits):
    command = "errata clean train.audit -o train.clean.csv"
    same = f"Clean {command} drops the 191 rows that are more likely wrong than right."
    assert same in Page(render(digits)).text
    cleaned = {"threshold": 0.5, "rows": 170, "above": 170, "command": None}
    fewer = {**digits, "flagged": digits["flagged"] | {"cleaned": cleaned}}
    assert (
        "Clean errata clean drops the 170 rows that are more likely wrong than right (191 are "
        "flagged to look at)." in Page(render(fewer)).text
    )


def test_the_list_says_how_many_of_its_rows_are_flagged(digits):
    assert "The 200 most suspicious rows, 191 of them flagged." in Page(render(digits)).text
    short = {**digits, "examples": digits["examples"][:10]}
    assert "The 10 most suspicious rows, with 10 of the 191 flagged ones." in (
        Page(render(short)).text
    )


def test_examples_survive_packing(digits):
    data = Page(render(digits)).data
    assert len(data["examples"]) == len(digits["examples"])
    for packed, example in zip(data["examples"], digits["examples"], strict=True):
        names = [data["names"][code] for code in packed[2:4]]
        assert [packed[0], *names] == [example["row"], example["label"], example["suggested"]]
        columns = [data["columns"][code] for code in packed[8]]
        assert packed[9] == example["speaking"]
        assert unpacked(packed[10], columns, data) == (example["values"], example["image"])
        for near, row in zip(packed[11], example["compared"], strict=True):
            assert [near[0], data["names"][near[1]]] == [row["row"], row["label"]]
            assert [columns[place] for place in near[2]] == row["differs"]
            assert unpacked(near[3], columns, data) == (row["values"], row["image"])


def unpacked(held, columns, data):
    *values, image = (data["texts"][text] if isinstance(text, int) else text for text in held)
    return dict(zip(columns, values, strict=True)), image


def test_labels_that_are_not_a_class_keep_their_names(digits):
    digits = deepcopy(digits)
    digits["examples"][0]["label"] = "unheard of"
    data = Page(render(digits)).data
    assert data["names"][data["examples"][0][2]] == "unheard of"
    assert data["names"][:10] == digits["classes"]


def poisoned(evil=EVIL):
    """A summary in which every text that comes from the user's table is hostile."""
    summary = random_summary(60, 3, 5)
    summary |= {"title": evil, "label": evil, "notes": [evil], "classes": [evil, evil + "2", "c"]}
    summary["duplicates"][0]["labels"] = [evil]
    summary["per_class"][0]["class"] = evil
    summary["confusion"] = [{"label": evil, "suggested": evil, "count": 1}]
    summary["models"][0]["name"] = evil
    summary["flagged"]["rule"] = summary["self_check"]["sentence"] = evil
    summary["alternatives"] = summary["hypotheses"][0]["kind"] = evil
    summary["examples"][0] |= {"id": evil, "label": evil, "suggested": evil, "reasons": [evil]}
    near = {"row": 1, "label": evil, "distance": 0.5}
    summary["examples"][0] |= {"values": {evil: evil}, "similar": [near]}
    beside = near | {"values": {evil: "other"}, "differs": [evil], "image": None}
    summary["examples"][0]["compared"] = [beside]
    return summary


def test_hostile_text_stays_text():
    html = render(poisoned())
    page, harmless = Page(html), Page(render(random_summary(60, 3, 5)))
    assert "<script>alert" not in html
    assert [tag for tag, _ in page.tags].count("script") == 2
    allowed = {name for _, attrs in harmless.tags for name in attrs}
    assert {name for _, attrs in page.tags for name in attrs} <= allowed
    assert page.data["names"][0] == EVIL
    assert page.data["texts"][page.data["examples"][0][10][0]] == EVIL
    assert page.text.count("alert(1)") >= 10


def test_what_turns_text_around_is_written_out():
    turned = "\u202egnp.exe\x1b[31m"
    html = render(poisoned(turned))
    # Raw only where the script compares, never where it is shown.
    shown = re.sub(r'data-(label|suggested)="[^"]*"', "", html.split('<script type="app')[0])
    assert not {"\u202e", "\x1b"} & set(shown)
    assert shown.count(r"\u202egnp.exe\x1b[31m") >= 10
    for place in ("<bdi>", "<title>", 'title="'):
        assert rf"{place}\u202egnp.exe" in shown
    assert Page(html).data["names"][0] == turned


def test_only_the_page_s_own_script_may_run(digits):
    page = Page(render(digits))
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv"))
    assert re.search(r"default-src 'none'.*script-src 'sha256-[\w+/]{43}='", policy)


def test_the_page_asks_the_network_for_nothing(digits):
    digits = deepcopy(digits)
    spy = {"image": "https://example.org/spy.png"}
    digits["examples"][0] |= spy
    digits["examples"][1]["compared"][0] |= spy
    html = render(digits)
    assert not re.search(r"(?:src|href|url|import)\s*[=(]\s*[\"']?\s*(?:https?:)?//", html)
    assert "example.org" not in html
    page = Page(html)
    links = [a["href"] for _, a in page.tags if "href" in a]
    assert all(link.startswith("#") and link[1:] in _all_ids(page) for link in links)


def _all_ids(page):
    return {attrs["id"] for _, attrs in page.tags if "id" in attrs}


def test_ids_are_unique(digits):
    ids = [attrs["id"] for _, attrs in Page(render(digits)).tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_a_large_audit_stays_under_three_megabytes():
    summary = random_summary(10_000, 10, 2_000, n_points=5_000)
    picture = "data:image/png;base64," + 2_000 * "A"
    for example in summary["examples"]:
        example["image"] = picture
    html = render(summary)
    assert len(html.encode()) < 3_000_000
    assert "Pictures are shown for the first 593" in Page(html).text
    pictures = [example[10][-1] for example in Page(html).data["examples"]]
    assert sum(picture is not None for picture in pictures) == 593


def test_pictures_within_the_budget_are_all_kept(digits):
    kept = packing.limit_pictures(digits["examples"])
    assert kept == digits["examples"]
    assert "Pictures are shown" not in Page(render(digits)).text


def test_texts_are_whole_up_to_the_budget_and_then_cut():
    examples = random_summary(600, 3, 500)["examples"]
    for example in examples:
        example["values"] = {"text": str(example["row"]).rjust(1_500, "x")}
        near = {"row": 0, "label": "c", "values": {"text": 1_000 * "y"}, "differs": ["text"]}
        example["compared"] = [near | {"image": None}]
    kept = packing.limit_texts(examples)
    assert kept[:240] == examples[:240]
    for row in (kept[240], kept[-1]["compared"][0]):
        assert len(row["values"]["text"]) == 200
        assert row["values"]["text"].endswith("…")


def test_a_thousand_columns_that_each_example_orders_anew_stay_light():
    summary = random_summary(600, 3, 100)
    rng = np.random.default_rng(0)
    for example in summary["examples"]:
        names = [f"measure number {j}" for j in rng.choice(1_000, 24, replace=False)]
        example["values"] = dict.fromkeys(names, "0.25")
    assert len(json.dumps(packing.pack_examples(summary["examples"], packing.Codes()))) < 80_000


def test_without_script_values_are_listed_too(digits):
    page = Page(render(digits))
    name, value = next(iter(digits["examples"][0]["values"].items()))
    assert f"{name} {value} · " in page.text
    assert [tag for tag, _ in page.tags].count("bdi") > 100


@pytest.mark.parametrize(("key", "gone"), [("map", "map"), ("notes", None), ("self_check", None)])
def test_what_is_missing_is_left_out(digits, key, gone):
    digits = {**digits, key: [] if key == "notes" else None}
    assert Page(render(digits)).ids("section") == [name for name in SECTIONS if name != gone]


def test_a_self_check_that_was_switched_off_is_said_to_be(digits):
    assert "There was no self-check" in Page(render({**digits, "self_check": None})).text


def test_an_empty_audit_reads_well(digits):
    digits = deepcopy(digits)
    digits |= {"examples": [], "confusion": [], "notes": [], "duplicates": [], "models": []}
    digits |= {"label": None, "seed": None, "map": None, "self_check": None}
    digits["noise_rate"] |= {"count": 0, "count_low": 0, "count_high": 4}
    digits["flagged"] |= {"count": 0, "expected_precision": None, "expected_recall": None}
    digits["flagged"]["cleaned"] |= {"rows": 0, "above": 0}
    text = Page(render(digits)).text
    assert "Hardly any label looks wrong; at most 4 of 1,797 could be. No row is flagged." in text
    assert "No row looks suspicious." in text
    assert "errata clean drops no row, as none is more likely wrong than right." in text
    assert "None" not in text


def test_the_kinds_of_noise_are_in_the_method(digits):
    digits = {**digits, "hypotheses": [{"kind": "boundary", "weight": 0.7, "rate": 0.12}]}
    page = Page(render(digits))
    assert "Kinds of noise" in page.text
    assert "wrong where classes meet 70% 12%" in page.text
    assert "Kinds of noise" not in Page(render({**digits, "hypotheses": []})).text


def test_what_the_data_leave_open_stands_under_the_answer(digits):
    summary = perhaps_overlap(digits)
    answer = summary["alternatives"].join(("they tell which it is. ", " Labels perhaps wrong"))
    text = Page(render(summary)).text
    assert "errors cannot be told from classes that overlap. 191 rows are flagged" in text
    assert answer in text
    assert "The data leave open" not in Page(render(digits)).text


def test_the_curve_has_a_line_for_labels_alone(digits):
    page = Page(render(digits))
    lines = [attrs for tag, attrs in page.tags if tag == "polyline"]
    assert [line["class"] for line in lines] == ["line-labels", "line-recall", "line-precision"]
    drawn = {line["class"]: line["points"] for line in lines}
    check = digits["self_check"]
    start = f"{100 - 100 * check['label_recall'][0]:.2f}"
    assert drawn["line-labels"].split(" ")[0].endswith(f",{start}")
    assert drawn["line-labels"] != drawn["line-recall"]
    assert "found by labels alone" in page.text
    assert "The dashed line is a list that knows the labels only" in page.text
    assert "in any row of the table" in page.text
    assert "rows whose label was wrong already compete with the planted errors" in page.text
    head = "Rows looked at Planted errors found Found by labels alone Planted among them"
    assert f"{head} " in page.text
    assert "198 99% 14% 90%" in page.text
    assert page.data["curve"]["label_recall"][0] == round(check["label_recall"][0], 4)


def test_without_lift_there_is_no_curve_and_no_slider(digits):
    summary = no_lift(digits)
    page = Page(render(summary))
    assert summary["self_check"]["sentence"] in page.text
    assert "so none is drawn, and the list below deserves little trust." in page.text
    assert not {"curve", "curve-rank", "curve-sentence"} & _all_ids(page)
    assert page.data["curve"] is None
    for word in ("dashed line", "Average precision", "Suggestion was the true label"):
        assert word not in page.text
    assert page.ids("section") == SECTIONS


def test_without_skill_the_page_says_so_and_shows_no_number_that_nobody_knows(digits):
    summary = no_skill(digits)
    page = Page(render(summary))
    assert page.ids("section") == ["notes", "self-check", "map", "method"]
    assert "These labels cannot be judged These columns do not tell the labels apart, so" in (
        page.text
    )
    assert "anything from none to 89% of the 1,797 labels is possible. No row is flagged." in (
        page.text
    )
    assert 'pass trust=["column"] in Python, --trust column on the command line' in page.text
    assert "Labels wrong unknown anything from none to 89%" in page.text
    assert summary["notes"][0] not in page.text  # the answer has said it
    assert "3 rows without a label were left out." in page.text
    assert (page.data["examples"], page.data["has_skill"]) == ([], False)
    for word in (
        "5.0%",
        "Rows to look at",
        "Look at the rows",
        "errata clean drops",
        "Kinds of noise",
        "Can you trust",
    ):
        assert word not in page.text
    links = [attrs["href"] for _, attrs in page.tags if "href" in attrs]
    assert all(link[1:] in _all_ids(page) for link in links)


def test_without_skill_a_self_check_with_lift_draws_no_curve(digits):
    summary = no_skill(digits) | {"self_check": digits["self_check"]}
    page = Page(render(summary))
    assert digits["self_check"]["sentence"] in page.text
    assert "curve" not in _all_ids(page)
    assert "so none is drawn" not in page.text


def test_several_trials_are_said_to_be(digits):
    digits = {**digits, "self_check": digits["self_check"] | {"repeats": 2}}
    assert "did not know which; the figures are the mean of 2 such trials." in (
        Page(render(digits)).text
    )


@pytest.mark.parametrize("n_classes", [2, 20, 30, 300])
def test_few_classes_are_shown_whole_and_many_by_the_worst(n_classes):
    page = Page(render(random_summary(2_000, n_classes, 20)))
    tables = [attrs.get("class", "") for tag, attrs in page.tags if tag == "table"]
    many = n_classes > 20
    assert [name for name in tables if name.startswith("matrix")] == [
        {2: "matrix", 20: "matrix many upright"}.get(n_classes, "matrix many upright counts")
    ]
    assert ("Noise matrix" in page.text) == (not many)
    assert ("The labels most often confused" in page.text) == many
    assert (f"The 20 labels with the most errors, of {n_classes}." in page.text) == many
    assert len(page.data["classes"]) == (n_classes if many else 0)
    assert ("find-class" in _all_ids(page)) == many
    colours = [attrs for tag, attrs in page.tags if "data-code" in attrs]
    assert len(colours) == min(n_classes, 9)
    assert ("pick" in _all_ids(page)) == (n_classes > 10)


def test_a_summary_with_holes_is_refused(digits):
    with pytest.raises(ValueError, match="the summary lacks title, map;"):
        render({key: value for key, value in digits.items() if key not in ("title", "map")})


@pytest.mark.parametrize("number", [float("nan"), np.int64(3)])
def test_a_summary_that_is_not_json_is_refused(digits, number):
    with pytest.raises(ValueError, match="the summary is not valid JSON"):
        render({**digits, "seed": number})


def test_text_that_utf8_cannot_hold_is_written_out(digits, tmp_path):
    write_report({**digits, "title": "caf\udce9.csv"}, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert r"<bdi>caf\udce9.csv</bdi></h1>" in page
    assert r'"title":"caf\udce9.csv"' in page


def test_a_page_is_written_whole_or_not_at_all(digits, tmp_path):
    path = tmp_path / "report.html"
    write_report(digits, path)
    written = path.read_text(encoding="utf-8")
    assert written == render(digits)
    with pytest.raises(ValueError, match="lacks"):
        write_report({}, path)
    assert path.read_text(encoding="utf-8") == written
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


TEMPLATES = Path(_render.__file__).parent / "templates"


def test_every_part_is_on_the_page():
    styles = {*_render.STYLES, *_render.COMPARISON_STYLES, "dark"}
    assert {path.stem for path in TEMPLATES.glob("style/*.css")} == styles
    assert {path.stem for path in TEMPLATES.glob("script/*.js")} == set(_render.SCRIPTS)


def test_dark_changes_every_colour_and_invents_none():
    def names(sheet):
        text = (TEMPLATES / "style" / sheet).read_text(encoding="utf-8")
        words = text.replace(";", "\n").splitlines()
        return {word.split(":")[0].strip() for word in words if word.strip().startswith("--")}

    assert names("tokens.css") - names("dark.css") == {"--sans", "--serif", "--radius"}
    assert names("dark.css") <= names("tokens.css")


def test_nothing_of_ours_ends_its_own_element():
    assert "</" not in _render.read_script()
    assert "</" not in _render.read_style(_render.STYLES)


def test_the_hash_is_the_one_browsers_compute():
    # The script and its hash are the example of the Content Security Policy standard (level 2).
    script = "alert('Hello, world.');"
    assert _render.hash_script(script) == "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="


FRAME = {"header", "top"}  # of every page, in its head


def test_every_template_is_a_section_of_the_page():
    folder = Path(report.__file__).parent / "templates" / "sections"
    assert {path.stem for path in folder.glob("*.html")} - FRAME == {
        section.name for kind in (*KINDS.values(), SEQUENCES) for section in kind.report.sections
    }


def test_every_kind_has_its_header():
    folder = Path(report.__file__).parent / "templates" / "kinds"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert set(texts) == set(KINDS)
    for macro in ("facts", "unknown"):
        assert all(f"{{% macro {macro}() %}}" in text for text in texts.values())


def test_what_has_nothing_to_show_is_left_out():
    view = {"has_skill": False, "map": None, "notes": [], "duplicates": [], "stretches": None}
    view["by"] = view["issues"] = None
    view["review"] = {"command": None, "so_far": None}
    assert [section.anchor for section in CLASSES.report.sections if section.is_shown(view)] == [
        "self-check",
        "method",
    ]


def first_screen(summary):
    head = render(summary).split("<header")[1].split("</header>")[0]
    return " ".join(re.sub("<[^>]*>", " ", head).split())


def test_the_first_screen_tells_how_sure_where_to_look_and_how_to_clean():
    digits = digits_summary(pictures=False)
    first = first_screen(digits)
    for words in (
        "About 202 of 1,797 labels are probably wrong",
        "Flags that are right 93% of the flagged rows are wrong, we expect",
        f"Trust {digits['self_check']['sentence']}",
        "Look The 200 most suspicious rows, 191 of them flagged. Look at the rows",
        "Clean errata clean train.audit -o train.clean.csv drops the 191 rows",
    ):
        assert words in first
    closed = first_screen(no_skill(digits))
    assert "These labels cannot be judged" in closed
    assert "Clean" not in closed


PAGE = '<!doctype html><html><head><title>"pets" & \'</title></head></html>'


def test_the_frame_holds_the_page_and_its_links_stay_inside():
    shown = ReportFrame(PAGE)._repr_html_()
    (held,) = re.findall(r'^<iframe srcdoc="([^"]*)" ', shown)
    inside = html.unescape(held)
    assert inside.replace('\n<base href="about:srcdoc">', "", 1) == PAGE
    assert inside.index("<base") < inside.index("<title>")


def test_the_frame_may_run_scripts_and_nothing_of_the_notebook():
    assert ' sandbox="allow-scripts allow-downloads" ' in ReportFrame(PAGE)._repr_html_()


def test_height_is_in_pixels():
    assert "height: 432px" in ReportFrame(PAGE, height=432)._repr_html_()
    for wrong in (0, 1.5, "100%", True):
        with pytest.raises(ValueError, match=r"height=.* must be a whole number at least 1"):
            ReportFrame(PAGE, height=wrong)


def test_a_prompt_says_what_to_do():
    assert 'audit.report("report.html")' in repr(ReportFrame(PAGE))


def test_a_page_that_would_swamp_a_notebook_is_refused():
    with pytest.raises(ValueError, match=r"12 million characters.*audit\.report"):
        ReportFrame("x" * 12_000_000)


# The script of the page tells the page around it that it ran to its end and what a link leads to.
PROBE = """
const link = document.querySelector('a[href="#main"]');
parent.postMessage([document.documentElement.dataset.ready, link.href, document.title], "*");
"""
LISTEN = """<script>addEventListener("message", (event) => {
  const told = document.createElement("pre");
  told.textContent = event.data.join(" | ");
  document.body.append(told);
});</script>"""


@needs_browser
def test_a_browser_runs_the_page_in_the_frame(tmp_path):
    with probed(PROBE):
        frame = ReportFrame(render(digits_summary()))
    path = tmp_path / "notebook.html"
    around = f"<!doctype html><meta charset=utf-8><body>{LISTEN}{frame._repr_html_()}"
    path.write_text(around, encoding="utf-8")
    page = dom(path, tmp_path / "profile", "--virtual-time-budget=5000")
    (told,) = re.findall(r"<pre>(.*?)</pre>", page)
    ready, link, title = told.split(" | ")
    assert ready == "yes"
    assert link == "about:srcdoc#main"
    assert html.unescape(title) in render(digits_summary())
