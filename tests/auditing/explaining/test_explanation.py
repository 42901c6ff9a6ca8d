from dataclasses import replace

import pytest

from auditing.explaining_cases import WRONG
from errata.auditing.examples._explanations import RowExplanation

COLUMNS = [
    {"column": f"c{place}", "value": str(place), "against": weight, "p_label": 0.5}
    for place, weight in enumerate([3.0, 2.0, 1.0, 0.8, 0.1, 0.0, -0.1, -0.2, -0.3, -0.4, -2.0])
]
WHY = RowExplanation(
    row=3,
    id="<b>",
    label="cat",
    suggested="dog",
    p_wrong=0.9,
    p_label=0.05,
    p_suggested=0.9,
    models=[{"model": "trees", "weight": 1.0, "p_label": 0.05, "p_suggested": 0.9}],
    neighbors=[],
    columns=COLUMNS,
)


def test_a_paragraph_says_it_all():
    text = str(WHY)
    assert text.startswith(
        "Row 3 (<b>) is labelled cat, which is wrong with probability 0.90; dog speaks most "
        "against it. Models that have not learnt from the row give the label 0.05 and dog 0.90; "
        "1 of 1 find dog more probable than the label. Against the label speaks c0 = 0 (left out, "
        "the odds of the label are 20 times what they are), then c1 = 1"
    )
    assert "then c2 = 2" in text
    assert "c3" not in text  # three are enough
    assert "For it speaks c10 = 10 (left out, the odds of the label are 0.14 times" in text


def test_where_no_column_speaks_it_says_so():
    assert "No column by itself speaks" in str(replace(WHY, columns=COLUMNS[4:6]))
    assert "speaks against the label" not in str(replace(WHY, columns=[]))


def test_a_prompt_shows_one_sentence():
    assert repr(WHY).startswith("<RowExplanation: Row 3 (<b>) is labelled cat")
    assert "\n" not in repr(WHY)


def test_html_is_escaped_and_shows_the_weightiest():
    page = WHY._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count("<tr>") == 11
    assert "<td>c5</td>" not in page  # which says nothing at all
    assert "<table>" not in replace(WHY, columns=[])._repr_html_()


def test_what_a_screen_would_obey_is_written_out():
    assert r"\u202e" in str(replace(WHY, label="\u202etxt"))


def test_bars_are_in_the_order_of_the_columns():
    pytest.importorskip("matplotlib")
    ax = WHY.plot()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[::-1][:2] == ["c0 = 0", "c1 = 1"]
    assert [bar.get_width() for bar in ax.patches] == sorted(bar.get_width() for bar in ax.patches)
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2
    assert WHY.plot(ax) is ax


def test_a_real_one_can_be_drawn(audit):
    pytest.importorskip("matplotlib")
    ax = audit.explain(WRONG).plot()
    assert len(ax.patches) == 4
    ax.figure.canvas.draw()
