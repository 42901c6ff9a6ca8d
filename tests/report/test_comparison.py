import copy

import pytest

pytest.importorskip("jinja2", reason="jinja2 is not installed")

from errata.report import write_comparison_page

SUMMARY = {
    "title": "a <b>table</b>",
    "rows": 200,
    "classes": 2,
    "folds": 10,
    "score": "accuracy",
    "notes": ["A note & more."],
    "advice": "SVM has it.",
    "basis": "By an audit.",
    "competitors": [
        {"name": "SVM", "score": 0.9, "low": 0.85, "high": 0.95, "rank": 1.2, "p_value": 1.0,
         "within_chance": True, "agreement": 0.8, "corrected": 0.9, "seconds": 0.1},
        {"name": "<script>", "score": 0.7, "low": 0.65, "high": 0.75, "rank": 1.8, "p_value": 1e-5,
         "within_chance": False, "agreement": 0.6, "corrected": None, "seconds": 0.2},
    ],
}  # fmt: skip


def page(tmp_path, **changes):
    path = tmp_path / "compare.html"
    write_comparison_page(copy.deepcopy(SUMMARY) | changes, path)
    return path.read_text(encoding="utf-8")


def test_names_are_escaped_and_intervals_drawn_to_scale(tmp_path):
    text = page(tmp_path)
    assert "<bdi>&lt;script&gt;</bdi>" in text
    assert "<bdi>a &lt;b&gt;table&lt;/b&gt;</bdi>" in text
    assert "A note &amp; more." in text
    # The axis reaches from 0.635 to 0.965, a twentieth beyond the intervals on either side.
    assert 'class="dot" style="left:80.3%"' in text
    assert "&lt;0.001" in text


def test_only_those_within_chance_are_marked(tmp_path):
    assert page(tmp_path).count('<tr class="close">') == 1


def test_columns_that_were_not_measured_are_not_shown(tmp_path):
    assert "On known rows" not in page(tmp_path)
    known = [row | {"known_accuracy": 0.5} for row in SUMMARY["competitors"]]
    assert "On known rows" in page(tmp_path, competitors=known)


def test_agreement_is_called_so(tmp_path):
    text = page(tmp_path, score="agreement")
    assert "Accuracy on the class" not in text
    assert "Agreement with the labels" in text


def test_an_incomplete_summary_is_refused_and_nothing_written(tmp_path):
    with pytest.raises(ValueError, match="the summary lacks title, rows"):
        write_comparison_page({}, tmp_path / "compare.html")
    assert not list(tmp_path.iterdir())
