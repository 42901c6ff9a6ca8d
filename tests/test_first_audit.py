"""The first pages that a newcomer reads, followed word for word."""

import sys

import pytest

from following import follow_first_audit, follow_readme


@pytest.mark.slow
def test_every_command_of_the_first_audit_says_what_the_page_says(tmp_path):
    assert follow_first_audit(tmp_path, sys.executable) == 4
    assert (tmp_path / "noisy.audit" / "report.html").stat().st_size > 100_000


@pytest.mark.slow
def test_the_readme_tells_what_its_commands_and_lines_print(tmp_path):
    follow_readme(tmp_path, sys.executable)
    assert (tmp_path / "clean.csv").exists()
