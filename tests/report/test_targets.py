import copy
import re

import pytest

from errata.report import render
from errata.report._packing import pack_list
from errata.report._targets import build_target_view
from report.browsing import needs_browser, noted_by

pytest.importorskip("jinja2", reason="jinja2 is not installed")


def example(row, flagged=True):
    return {
        "row": row,
        "id": None,
        "label": "500.0",
        "suggested": "50.0",
        "low": "45.0",
        "high": "55.0",
        "p_wrong": 0.97,
        "flagged": flagged,
        "hint": "x10",
        "error_kind": "gross",
        "reasons": ["It looks like a factor of ten: 50.0 would be as expected."],
        "similar": [{"row": 2, "label": "51.0", "distance": 0.2}],
        "values": {"size": "<b>3</b>"},
        "speaking": 0,
        "image": None,
        "compared": [
            {"row": 2, "label": "51.0", "values": {"size": "4"}, "differs": [], "image": None}
        ],
    }


SUMMARY = {
    "kind": "numbers",
    "errata": "0.1.0",
    "title": "homes.csv",
    "seed": 0,
    "rows": 506,
    "features": 13,
    "target": "price",
    "noun": ["value of price", "values of price"],
    "has_skill": True,
    "noise_rate": {
        **{"estimate": 0.09, "low": 0.02, "high": 0.18},
        **{"count": 46, "count_low": 12, "count_high": 90},
    },
    "flagged": {
        "count": 1,
        "expected_precision": 0.9,
        "expected_recall": 0.5,
        "rule": "The list is short.",
        "cleaned": {"threshold": 0.5, "rows": 1, "above": 1, "command": None},
    },
    "notes": ["3% of the targets are exactly 50, the largest."],
    "models": [{"name": "extra trees", "weight": 1.0, "r2": 0.91}],
    "self_check": {
        **{"injected": 50, "top": 70, "found": 40, "by_value": 6, "lift": True, "repeats": 2},
        **{"average_precision": 0.8, "median_error": 1.6, "planted_error": 7700.0},
        "sentence": "Of 50 values we exchanged for those of other rows, 40 are found.",
    },
    "examples": [example(1)],
    "by": None,
    "review": {"command": None, "so_far": None},
    "hints": ["1 looks like a factor of ten"],
    "error_kinds": {"swap": 2},
    "histogram": {"edges": [0.0, 0.5, 1.0], "counts": [505, 1], "flagged": [0, 1]},
    "points": {
        "row": [1, 0, 2, 3],
        "flagged": [True, False, False, False],
        "target": [500.0, 10.0, 51.0, 90.0],
        "predicted": [50.0, 12.0, 50.0, 88.0],
        "low": [45.0, 9.0, 45.0, 80.0],
        "high": [55.0, 14.0, 55.0, 96.0],
    },
    "band": {
        "predicted": [12.0, 50.0, 88.0],
        "below": [-3.0, -5.0, -8.0],
        "above": [2.0, 5.0, 8.0],
    },
    "noise": {
        **{"tail": 4.0, "on_log_scale": False, "is_uneven": True},
        "local_scale": [1.0, 2.0, 3.5],
    },
}


def changed(**fields):
    return copy.deepcopy(SUMMARY) | fields


def words(page):
    return " ".join(re.sub("<[^>]*>", " ", page).split())


def test_the_page_says_what_was_found():
    page = render(SUMMARY)
    for sentence in (
        "About 46 of 506 values of price are probably wrong (between 12 and 90).",
        "506 rows · 13 columns · target price",
        "1 looks like a factor of ten.",
        "2 are like the value of another row.",
        "1 flagged row lies beyond the plot and is drawn at its border.",
        "Suggestions are off by 1.6 the median; planted values by 7,700",
        "Right values do not spread evenly: from 1 to 3.5",
        "R², out of fold",
    ):
        assert sentence in words(page)
    assert "homes.csv: target audit" in page


def test_nothing_of_the_table_becomes_markup():
    assert "<b>3</b>" not in render(SUMMARY)
    assert "<i>x</i>" not in render(changed(target="<i>x</i>", noun=["<i>x</i>", "<i>x</i>"]))


def test_a_value_beyond_the_plot_is_a_triangle_and_others_are_dots():
    fit = build_target_view(SUMMARY)["fit"]
    [mark] = fit["flagged"]
    assert mark["beyond"] == "up"
    assert mark["y"] == 0
    assert mark["text"] == "Row 1: 500 recorded, 50 expected"
    assert fit["rest"].count("M") == 3
    assert mark["low"] < mark["high"]
    within = changed(points=SUMMARY["points"] | {"target": [70.0, 10.0, 51.0, 90.0]})
    assert build_target_view(within)["fit"]["flagged"][0]["beyond"] == ""


def test_residuals_have_a_band_and_a_line_where_both_are_equal():
    residuals = build_target_view(SUMMARY)["residuals"]
    assert len(residuals["band"].split()) == 6
    assert 0 < residuals["zero"] < 100
    logs = changed(noise=SUMMARY["noise"] | {"on_log_scale": True})
    assert build_target_view(logs)["residuals"]["title"] == "Recorded divided by expected"
    assert "Recorded divided by expected" in render(logs)
    nought = copy.deepcopy(logs)
    nought["points"]["target"][1] = 0.0  # which has no logarithm
    assert "Recorded minus expected" in render(nought)


def test_the_list_of_rows_speaks_of_numbers():
    data = pack_list(SUMMARY)
    assert data["words"]["label"] == "Recorded"
    assert data["names"] == ["500.0", "50.0", "51.0"]
    assert data["curve"] is None
    page = render(SUMMARY)
    assert page.count("hidden><span>Recorded</span>") == 1


def test_without_skill_there_is_neither_a_list_nor_a_chart():
    page = render(changed(has_skill=False, self_check=None, error_kinds={}, hints=[]))
    assert "These targets cannot be judged" in page
    assert "These columns do not predict the target" in page
    assert 'id="fit"' not in page
    assert 'id="examples"' not in page


@needs_browser
def test_a_row_opens_and_shows_the_nearest_rows(tmp_path):
    probe = """
    byId("example-body").querySelector("td.open button").click();
    noted.heads = [...byId("example-head").children].map((head) => head.textContent);
    noted.opened = document.querySelector("tr.detail").textContent;
    noted.hidden = byId("by-label").closest("label").hidden;
    """
    noted = noted_by(probe, SUMMARY, tmp_path)
    assert noted["heads"][:3] == ["Row", "Recorded", "Expected"]
    assert "The nearest rows, what is recorded there, and distances" in noted["opened"]
    assert "nearby, recorded 51.0" in noted["opened"]
    assert noted["hidden"]


def test_a_kind_that_is_not_known_is_told():
    with pytest.raises(ValueError, match="of the kind 'heights'; known are classes, numbers"):
        render(changed(kind="heights"))
