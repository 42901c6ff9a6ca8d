from pathlib import Path

import pytest
from rich.console import Console

from errata._format import percent
from errata.cli._findings import print_findings
from report.fake_summary import no_skill, perhaps_overlap, random_summary


def printed(summary):
    terminal = Console(width=160, highlight=False, markup=False)
    with terminal.capture() as capture:
        print_findings(summary, file=Path("pets.csv"), folder=Path("pets.audit"), terminal=terminal)
    return " ".join(capture.get().split())


def with_clean(summary, **cleaned):
    """The same if ``clean`` dropped another number of rows."""
    cleaned = summary["flagged"]["cleaned"] | cleaned
    return summary | {"flagged": summary["flagged"] | {"cleaned": cleaned}}


@pytest.fixture(scope="module")
def summary():
    return random_summary(200, 3, 20)


def test_who_is_overlooked_is_told_in_a_line(summary):
    assert "Overlooked" not in printed(summary | {"overlooked": {"sentence": None}})
    said = printed(summary | {"overlooked": {"sentence": "Of 40 errors planted in site B, 12."}})
    assert "Overlooked: Of 40 errors planted in site B, 12." in said


def test_a_plain_audit_is_told_with_tables_and_next_steps(summary):
    said = printed(summary)
    assert said.startswith("About ")
    assert "Noise rate: " in said
    assert f"Self-check: {summary['self_check']['sentence']}" in said
    assert all(f"Note: {note}" in said for note in summary["notes"])
    shown = min(10, summary["flagged"]["count"])
    assert f"The {shown} most suspicious of {summary['flagged']['count']} flagged rows" in said
    assert (
        "Look at the rows: pets.audit/report.html All rows, ranked: pets.audit/ranked.csv" in said
    )
    flagged = summary["flagged"]["count"]
    assert said.endswith(
        f"Drop the {flagged} rows that are more likely wrong than right: "
        "errata clean pets.audit -o pets.clean.csv"
    )
    assert "The data leave open" not in said


def test_where_clean_drops_other_rows_than_the_flagged_both_numbers_are_told(summary):
    flagged = summary["flagged"]["count"]
    said = printed(with_clean(summary, rows=3, above=3))
    assert (
        f"Drop the 3 rows that are more likely wrong than right ({flagged} are flagged to look "
        "at): errata clean pets.audit" in said
    )


def test_where_clean_would_drop_nothing_no_command_is_given(summary):
    said = printed(with_clean(summary, rows=0, above=0))
    assert "errata clean drops no row, as none is more likely wrong than right (" in said
    assert "errata clean pets.audit" not in said


def test_what_the_data_leave_open_follows_the_noise_rate(summary):
    summary = perhaps_overlap(summary)
    rate = summary["noise_rate"]
    said = printed(summary)
    assert "errors cannot be told from classes that overlap." in said
    interval = f"({percent(rate['low'])} to {percent(rate['high'])})"
    assert f"{interval}. {summary['alternatives']} Self" in said


def test_without_skill_there_is_no_rate_no_list_and_nothing_to_clean(summary):
    blind = no_skill(summary)
    said = printed(blind)
    assert said.startswith("These columns do not tell the labels apart, so nobody can say")
    assert said.count("These columns do not tell the labels apart") == 1
    assert f"Self-check: {blind['self_check']['sentence']}" in said
    assert all(f"Note: {note}" in said for note in summary["notes"])
    for gone in ("Noise rate", "rows, counted from 0", "expected wrong", "errata clean"):
        assert gone not in said
    assert "What may help: other columns, more rows, or --trust for a column" in said
    assert said.endswith("The report: pets.audit/report.html")
