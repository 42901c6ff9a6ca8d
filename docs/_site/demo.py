"""The product on the front page: a real audit, its report, and what the terminal says."""

import os
import shutil
import tempfile
from pathlib import Path

from click.testing import CliRunner
from sklearn.datasets import load_digits
from written import write_if_new

from errata.cli.__main__ import main
from errata.noise import flip_labels

COMMAND = ["audit", "digits.csv", "--label", "digit", "--pixels", "8x8"]


def write(site: Path, words: Path) -> None:
    """Audit digits: the report goes to ``site``, what the terminal says to ``words``."""
    report, terminal = site / "demo" / "report.html", words / "terminal.txt"
    if report.exists() and terminal.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        told = _audited(Path(folder))
        report.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(folder) / "digits.audit" / "report.html", report)
    write_if_new(terminal, f"$ errata {' '.join(COMMAND)}\n\n{told}")


def _audited(folder: Path) -> str:
    table = load_digits(as_frame=True).frame.rename(columns={"target": "digit"})
    table["digit"], _ = flip_labels(table["digit"].to_numpy(), 0.1, random_state=0)
    table.to_csv(folder / "digits.csv", index=False)
    here = Path.cwd()
    os.chdir(folder)
    try:
        result = CliRunner().invoke(main, COMMAND, catch_exceptions=False)
    finally:
        os.chdir(here)
    if result.exit_code:
        raise RuntimeError(result.output)
    return result.stdout
