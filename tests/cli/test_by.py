import json

import numpy as np
import pytest
from click.testing import CliRunner

import errata
from errata.cli.__main__ import main
from errata.tables import write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


def visits(start=0, n=120):
    """Site "c" has a third of its labels wrong, the others one here and there."""
    random, row = np.random.default_rng(start), np.arange(start, start + n)
    ill = row % 2
    site = np.array(["a", "b", "c"])[row % 3]
    wrong = random.random(n) < np.where(site == "c", 0.35, 0.02)
    return {
        "fever": (36.5 + 3 * ill + random.normal(scale=0.5, size=n)).round(2),
        "pulse": (70 + 30 * ill + random.normal(scale=5, size=n)).round(1),
        "site": site,
        "outcome": np.where(ill ^ wrong, "ill", "well"),
    }


def audit(*arguments):
    return CliRunner().invoke(main, ["audit", *map(str, arguments), "--no-self-check"])


@pytest.mark.parametrize("in_parts", [False, True])
def test_the_noisiest_site_is_named_everywhere(tmp_path, in_parts):
    if in_parts:
        (tmp_path / "visits").mkdir()
        for part in range(2):
            write_table(tmp_path / "visits" / f"{part}.csv", visits(120 * part))
        file = tmp_path / "visits"
    else:
        file = tmp_path / "visits.csv"
        write_table(file, visits(n=240))
    out = tmp_path / "found"
    told = audit(file, "-l", "outcome", "--by", "site", "-o", out)
    assert told.exit_code == 0, told.output
    assert "By site:" in told.output
    assert "stands out; elsewhere" in told.output
    by = json.loads((out / "audit.json").read_text())["about"]["by"]
    assert by["column"] == "site"
    assert by["values"][0]["value"] == "c"
    assert sum(value["rows"] for value in by["values"]) == 240
    assert by["values"][0]["low"] > by["values"][1]["rate"]
    assert "By site</h2>" in (out / "report.html").read_text()
    assert errata.Audit.load(out).summary()["by"] == by
    assert errata.Audit.load(out).summary()["features"] == 2  # the site is none


def test_without_skill_it_says_that_nobody_can_tell(tmp_path):
    random = np.random.default_rng(0)
    write_table(
        tmp_path / "noise.csv",
        {
            "x": random.normal(size=200),
            "site": np.arange(200) % 2,
            "y": random.integers(2, size=200),
        },
    )
    told = audit(tmp_path / "noise.csv", "-l", "y", "--by", "site")
    assert told.exit_code == 0, told.output
    assert "How noisy each value of 'site' is cannot be told either." in " ".join(
        told.output.split()
    )
    assert "By site" not in told.output


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("outcome", "column 'outcome' holds the labels; leave it out of --by"),
        ("nope", "no column 'nope'"),
        ("fever", "are too many to compare"),
    ],
)
def test_columns_that_cannot_be_are_refused(tmp_path, column, sentence):
    write_table(tmp_path / "visits.csv", visits())
    told = audit(tmp_path / "visits.csv", "-l", "outcome", "--by", column)
    assert told.exit_code == 2
    assert sentence in " ".join(told.output.split())
    assert not (tmp_path / "visits.audit").exists()
