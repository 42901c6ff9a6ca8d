"""The page in a real browser: its script runs, and does what its controls promise."""

import json

import pytest

from errata._format import percent, round_cell, visible
from errata.report._charts import describe_rank
from report.browsing import needs_browser, noted_by
from report.fake_summary import digits_summary, no_lift, no_skill

pytestmark = needs_browser

# One of each range that is written out, and what stands beside them and is not.
ODD = (
    "a\x00\t\n\x0b\x0e\r\r\n\x7f\x9f\xa0\u061c\u200b\u200c\u200d\u200e\u200f"
    "\u2028\u202e\u2060\u2066\u206f\ufeff\U0001f469é"
)

# Numbers of which six digits are shown, and others that stay as they are.
LONG = ["1.522934745632535", "-0.00012345678", "250.0000004", "12.25", "0612345678.90", "1e5"]

# Runs inside the page's own scope, after everything has started; the tests read what it notes.
PROBE = """
const cells = () => [...document.querySelectorAll("#example-body td.row")];
const shown = () => cells().map((cell) => Number(cell.textContent));
noted.title = document.title;
noted.first = shown();
noted.odd = visible(ODD);
noted.rounded = LONG.map(rounded);
noted.reason = reasonText("No model predicts כלב 2; 3 predict the label.").innerHTML;
noted.words = [0, 0.0004, 0.087, 0.0995, 0.81, 0.9949, 0.995, 0.9999, 1].map(percent);
setFilters({ text: "p-7" });
noted.found = shown();
noted.status = byId("found").textContent;
setFilters({ flagged: true, label: data.names[3] });
noted.flagged = chosen.map((example) => [example.label, example.flagged]);
setFilters({});
sortBy(tableColumns[0]);
noted.sorted = chosen.map((example) => example.row);
noted.csv = toCsv(examples.slice(0, 2));
noted.cells = ["\\x1b[2Jcat", "=\\x1b", "-", "+", "-cat", "\\n=1"].map(csvCell);
openExample(examples[60].row);
noted.opened = document.activeElement.id;
const panel = document.activeElement.nextElementSibling;
noted.detail = panel.textContent;
noted.heads = [...panel.querySelectorAll("thead th")].map((cell) => cell.textContent);
noted.speaking = panel.querySelectorAll("th.speaks").length;
const lines = () => [...panel.querySelectorAll(".opened-part tbody > tr")];
noted.differing = lines().map((line) => line.querySelectorAll("td.differs").length);
noted.pictures = [...panel.querySelectorAll("figure img")].map((image) => image.alt);
panel.querySelector(".opened-part > button").click();
noted.columns = lines().length;
noted.preview = document.activeElement.querySelector(".pairs-of").textContent;
const text = "\u202e" + "word ".repeat(500);
const packed = [7, "\u202eid", 0, 1, 0.5, 1, ["\x1b[31m why"], [], [0], 0, [text, null], []];
const turned = unpack(packed, 0);
turned.label = "\u202eexe";
turned.why = "";
const turnedRow = element("table", {}, exampleRow(turned), detailRow(turned));
noted.turned = [...turnedRow.querySelectorAll("bdi, p")].map((made) => made.textContent);
noted.text = turnedRow.querySelector("tr.text td").getAttribute("dir");
noted.whole = turnedRow.querySelector("tr.text td").textContent.length;
window.dispatchEvent(new Event("beforeprint"));
noted.printed = shown();
window.dispatchEvent(new Event("afterprint"));
noted.slider = ["min", "max", "value"].map((name) => Number(byId("curve-rank")[name]));
byId("curve-rank").value = 1;
byId("curve-rank").dispatchEvent(new Event("input"));
noted.sentence = byId("curve-sentence").textContent;
byId("curve-rank").value = 50;
byId("curve-rank").dispatchEvent(new Event("input"));
noted.cross = parseFloat(byId("curve-cross").style.left);
noted.tip = describePoint(0);
"""


@pytest.fixture(scope="module")
def summary():
    summary = digits_summary(rows=600, n_examples=120)
    for place, example in enumerate(summary["examples"]):
        example["id"] = f"P-{place}"
    summary["examples"][0] |= {"id": "=1+1", "label": 'a "quoted", label', "suggested": "-1"}
    summary["examples"][2]["label"] = "כלב 2"
    summary["examples"][1]["reasons"] = ["</script><script>document.title = 'caught'</script>"]
    return summary


@pytest.fixture(scope="module")
def noted(summary, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    probe = PROBE.replace("ODD", json.dumps(ODD)).replace("LONG", json.dumps(LONG))
    noted = noted_by(probe, summary, folder)
    assert noted["title"] == "train.csv: label audit"  # the script in a reason did not run
    return noted


def test_the_first_page_holds_the_most_suspicious_rows(summary, noted):
    assert noted["first"] == [example["row"] for example in summary["examples"][:25]]


def test_python_and_script_write_percentages_alike(noted):
    fractions = (0, 0.0004, 0.087, 0.0995, 0.81, 0.9949, 0.995, 0.9999, 1)
    assert noted["words"] == [percent(fraction) for fraction in fractions]


def test_python_and_script_write_out_the_same_characters(noted):
    assert noted["odd"] == visible(ODD)


def test_python_and_script_round_numbers_alike(noted):
    assert noted["rounded"] == [round_cell(text) for text in LONG]
    assert noted["rounded"][0] == "1.52293"


def test_a_name_read_from_right_to_left_does_not_turn_its_sentence_around(noted):
    assert noted["reason"] == "No model predicts <bdi>כלב 2</bdi>; 3 predict the label."


def test_the_filters_find(summary, noted):
    ids = {example["id"]: example["row"] for example in summary["examples"]}
    assert noted["found"] == [ids[name] for name in ("P-7", *(f"P-{n}" for n in range(70, 80)))]
    assert noted["status"] == "11 of 120 rows"
    assert noted["flagged"]
    assert all(pair == ["three", True] for pair in noted["flagged"])


def test_any_column_sorts(summary, noted):
    assert noted["sorted"] == sorted(example["row"] for example in summary["examples"])


def test_the_downloaded_list_is_csv_that_no_spreadsheet_runs(summary, noted):
    head, line = noted["csv"].split("\r\n")[:2]
    assert head == "row,id,label,suggested,p_wrong,flagged,reasons"
    row = summary["examples"][0]["row"]
    assert line.startswith(f'{row},\'=1+1,"a ""quoted"", label",-1,0.')


def test_cells_of_the_list_are_guarded_as_those_of_other_lists(noted):
    assert noted["cells"] == [
        r"\x1b[2Jcat",
        r"'=\x1b",
        "-",
        "+",
        "'-cat",
        '"\'\n=1"',
    ]


def test_an_example_is_found_wherever_it_is(summary, noted):
    example = summary["examples"][60]
    assert noted["opened"] == f"example-{example['row']}"
    assert example["reasons"][1] in noted["detail"]


def test_values_stand_beside_those_of_the_nearest_rows(summary, noted):
    example = summary["examples"][60]
    near, own = example["compared"]
    assert noted["heads"] == [
        "Column",
        f"This rowlabelled {example['label']}",
        f"Row {near['row']}nearest labelled {near['label']}",
        f"Row {own['row']}nearest labelled {own['label']}",
    ]
    first = list(example["values"])[:12]
    assert noted["differing"] == [
        sum(name in row["differs"] for row in (near, own)) for name in first
    ]
    assert sum(noted["differing"]) > 0
    assert noted["speaking"] == 2
    assert (
        "The first 2 columns speak against the label: their values are at least twice"
        in (noted["detail"])
    )
    assert noted["columns"] == len(example["values"])
    assert noted["pictures"] == [f"Picture of row {r}" for r in (example["row"], 0, own["row"])]


def test_a_row_shows_its_first_values_before_it_is_opened(summary, noted):
    example = summary["examples"][60]
    assert noted["preview"] == "".join(
        f"{name} {value}" for name, value in list(example["values"].items())[:3]
    )


def test_what_the_screen_would_obey_is_written_out_and_stands_apart(noted):
    told = " ".join(noted["turned"])
    assert "\u202e" not in told
    assert "\x1b" not in told
    for written in (r"\u202eid", r"\u202eexe", r"\x1b[31m why", r"\u202eword word"):
        assert written in told


def test_a_long_text_is_read_whole_and_in_its_own_direction(noted):
    assert noted["text"] == "auto"
    assert noted["whole"] == len(r"\u202e") + 2500


def test_the_first_fifty_examples_are_printed(summary, noted):
    assert noted["printed"] == [example["row"] for example in summary["examples"][:50]]


def test_the_slider_reads_the_curve(summary, noted):
    check = summary["self_check"]
    names = ("rank", "precision", "recall", "label_recall")
    assert noted["sentence"] == describe_rank(**{name: check[name][0] for name in names})


def test_slider_and_chart_share_an_axis(summary, noted):
    least, most, start = noted["slider"]
    assert (least, start) == (0, summary["self_check"]["top"])
    assert noted["cross"] == pytest.approx(100 * 50 / most, abs=2)


def test_a_dot_says_how_likely_its_label_is_wrong(noted):
    assert noted["tip"].endswith("% likely wrong")


def test_a_page_without_list_and_curve_starts_too(summary, tmp_path):
    noted = noted_by("noted.tip = describePoint(0);", no_skill(summary), tmp_path)
    assert "likely wrong" not in noted["tip"]


def test_a_page_without_curve_starts_too(summary, tmp_path):
    noted_by("", no_lift(summary), tmp_path)
