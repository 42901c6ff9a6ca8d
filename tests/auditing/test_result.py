import dataclasses
import json
import re

import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.auditing import Audit, NoiseRate


def test_it_says_in_a_sentence_what_it_found(flowers):
    audit, flipped = flowers
    assert len(audit) == 150
    assert repr(audit).startswith("<Audit: about ")
    assert "of 150 labels are probably wrong" in repr(audit)
    assert (audit.flagged & flipped).sum() >= 10


def test_a_notebook_sees_escaped_names(flowers):
    page = flowers[0]._repr_html_()
    assert "<b>rose" not in page
    assert "&lt;b&gt;rose" in page
    assert page.count("<tr>") == 11


def test_a_notebook_sees_the_first_screen_of_the_report(flowers):
    audit, _ = flowers
    page = audit._repr_html_()
    first = audit.to_html().split('<header class="report-head">')[1].split("</header>")[0]
    figures = re.findall('class="figure">([^<]+)', first)
    assert len(figures) == 4
    assert re.findall('class="figure">([^<]+)', page) == figures
    assert re.findall('class="answer">([^<]+)', page) == re.findall('class="answer">([^<]+)', first)
    assert "<a " in first
    assert "<a " not in page  # what is below the first screen is not there


def test_the_table_starts_with_the_worst(flowers):
    pytest.importorskip("pandas")
    table = flowers[0].table()
    assert (np.diff(table["suspicion"]) <= 0).all()
    assert sorted(table["row"]) == list(range(150))


def test_the_report_is_written_and_escapes_names(flowers, tmp_path):
    audit, _ = flowers
    audit.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page == audit.to_html()
    assert "<b>rose" not in page


@pytest.mark.parametrize("action", ["drop", "relabel", "weight", "unlabel"])
def test_every_action_says_what_it_did(flowers, action):
    cleaned = flowers[0].clean(action)
    assert len(cleaned.kept) == len(cleaned.labels) == len(cleaned.weight) == len(cleaned.did)


def test_an_audit_that_flags_nothing_can_be_summed_up_and_shown(tmp_path):
    audit = errata.audit(*blobs(60), estimators=QUICK, precision=1.0, random_state=0)
    assert not audit.flagged.any()
    told = json.loads(json.dumps(audit.summary(), allow_nan=False))
    assert told["flagged"]["expected_precision"] is None
    assert "<html" in audit.to_html()


def test_a_rate_reads_as_percentages():
    assert str(NoiseRate(0.087, 0.061, 0.112)) == "8.7% (6.1% to 11.2%)"


def test_rows_that_do_not_follow_each_other_have_no_stretches(flowers):
    with pytest.raises(ValueError, match="where sequence says which rows follow"):
        flowers[0].stretches()


def test_stretches_are_a_table_with_times(walks):
    found = walks[0].stretches()
    assert list(found.columns) == [
        *("recording", "start", "end", "start_t", "end_t", "rows", "label", "suggested", "p_wrong")
    ]
    assert (found["rows"] == found["end"] - found["start"] + 1).all()
    assert found["rows"].sum() == walks[0].flagged.sum()
    expected = found["rows"] * found["p_wrong"]
    assert (expected.diff().dropna() <= 1e-9).all()


def test_an_audit_has_few_public_names_and_each_is_documented():
    fields = (field.name for field in dataclasses.fields(Audit))
    names = {name for name in (*dir(Audit), *fields) if not name.startswith("_")}
    assert len(names) <= 38
    undocumented = [
        name
        for name in names
        if not re.search(rf"^    (\w+, )*{name}(, \w+)* : ", Audit.__doc__, re.MULTILINE)
        and not (has_docstring(getattr(Audit, name)) and getattr(Audit, name).__doc__)
    ]
    assert undocumented == []


def has_docstring(member):
    return callable(member) or isinstance(member, property)
