from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from errata.cli._findings import print_findings
from fake_summary import no_skill, perhaps_overlap, random_summary


class Found:
    """An audit as far as the terminal sees it, with three rows to drop."""

    def __init__(self, summary):
        self._summary = summary

    def __len__(self):
        return self._summary["rows"]

    def summary(self):
        return self._summary

    def clean(self, action):
        assert action == "drop"
        return SimpleNamespace(kept=np.arange(len(self)) >= 3)


def printed(summary):
    terminal = Console(width=160, highlight=False, markup=False)
    with terminal.capture() as capture:
        print_findings(
            Found(summary), file=Path("pets.csv"), folder=Path("pets.audit"), terminal=terminal
        )
    return " ".join(capture.get().replace("\xa0", " ").split())


@pytest.fixture(scope="module")
def summary():
    return random_summary(200, 3, 20)


def test_a_plain_audit_is_told_with_tables_and_next_steps(summary):
    said = printed(summary)
    assert said.startswith("About ")
    assert "Noise rate: " in said
    assert f"Self-check: {summary['self_check']['sentence']}" in said
    assert all(f"Note: {note}" in said for note in summary["notes"])
    assert "The 10 most suspicious rows" in said
    assert said.endswith(
        "Drop the 3 rows that are more likely wrong than right: "
        "errata clean pets.audit -o pets.clean.csv"
    )
    assert "The data leave open" not in said


def test_what_the_data_leave_open_follows_the_noise_rate(summary):
    summary = perhaps_overlap(summary)
    rate = summary["noise_rate"]
    said = printed(summary)
    assert "it may well be that hardly any is and the classes merely overlap." in said
    assert f"({rate['low']:.1%} to {rate['high']:.1%}). {summary['alternatives']} Self" in said


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
