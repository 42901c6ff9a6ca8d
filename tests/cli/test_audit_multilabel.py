import csv

import numpy as np
import pytest

import errata
from auditing.multilabel_cases import flipped, pets
from cli.command_line import invoke
from errata.tables import write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")
pytestmark = pytest.mark.usefixtures("few_trees")
NAMES = ["bird", "cat", "dog"]


def written(folder, name="pets.csv"):
    X, Y = pets(120)
    noisy, _ = flipped(Y, 0.05, 0.1)
    columns = {f"x{place}": X[:, place] for place in range(3)}
    ones = {f"is_{name}": noisy[:, place] for place, name in enumerate(NAMES)}
    sets = [[n for n, one in zip(NAMES, row, strict=True) if one] for row in noisy]
    tags = {"tags": np.array([";".join(labels) for labels in sets], dtype=object)}
    home = {"home": np.arange(120) // 4, "name": np.array([f"p{i}" for i in range(120)], object)}
    write_table(folder / name, columns | ones | tags | home)
    return folder / name, noisy


def run(*arguments, command="audit"):
    return invoke(command, *arguments)


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pets")
    table, noisy = written(folder)
    drop = [part for name in NAMES for part in ("--drop", f"is_{name}")]
    result = run(table, "--labels", "tags", *drop, "--id", "name", "--by", "home")
    assert result.exit_code == 0, result.output
    return folder, result, noisy


def test_the_terminal_tells_both_ways_to_be_wrong(audited):
    said = " ".join(audited[1].output.split())
    assert "of 360 labels, set or not, " in said
    assert "label rows missing wrongly set flagged" in said
    assert "Labels in column 'tags' are separated by ';'" in said
    assert "We planted" in said
    assert "cells.csv" in said
    assert "errata review" in said


def test_the_folder_holds_rows_cells_and_labels(audited):
    folder = audited[0] / "pets.audit"
    with (folder / "ranked.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "row",
        "id",
        "labels",
        "doubted",
        "error",
        "suggested",
        "p_wrong",
        "flagged",
    ]
    assert len(rows) == 120
    with (folder / "labels.csv").open(newline="") as file:
        labels = {line["label"]: int(line["rows"]) for line in csv.DictReader(file)}
    assert labels == dict(zip(NAMES, audited[2].sum(axis=0).tolist(), strict=True))
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Which labels go wrong, and which way" in page
    assert "labels in <q><bdi>tags</bdi></q>" in page


def test_the_audit_is_the_same_from_disk(audited):
    loaded = errata.auditing.load_audit(audited[0] / "pets.audit")
    assert isinstance(loaded, errata.MultilabelAudit)
    np.testing.assert_array_equal(loaded.labels, audited[2])
    assert loaded.noise_rate.low <= loaded.noise_rate.estimate <= loaded.noise_rate.high
    assert loaded.transition.shape == (3, 2, 2)
    assert "most suspicious cells" in repr(loaded.self_check)
    with pytest.raises(ValueError, match=r"several labels per row; load it with errata.Multilabel"):
        errata.Audit.load(audited[0] / "pets.audit")


def test_the_table_is_cleaned_as_the_terminal_and_the_report_say(audited, tmp_path):
    folder = audited[0] / "pets.audit"
    command = f"errata clean {folder} -o {audited[0] / 'pets.clean.csv'}"
    assert command in audited[1].output.replace("\n  ", " ").replace("\n", "")
    assert command in (folder / "report.html").read_text(encoding="utf-8")
    cleaned = run(folder, "-o", tmp_path / "clean.csv", command="clean")
    assert cleaned.exit_code == 0, cleaned.output
    kept = errata.MultilabelAudit.load(folder).clean("drop").kept
    assert len((tmp_path / "clean.csv").read_text().splitlines()) == 1 + kept.sum()


def test_columns_of_zeros_and_ones_may_be_named_by_a_pattern(tmp_path):
    table, noisy = written(tmp_path, "pets.parquet")
    result = run(
        *(table, "--labels", "is_*", "--drop", "tags", "--drop", "name", "--group", "home"),
        *("--no-self-check", "--fail-above", "0.0"),
    )
    assert result.exit_code == 1, result.output
    found = errata.MultilabelAudit.load(tmp_path / "pets.audit")
    assert found.names == ["is_bird", "is_cat", "is_dog"]
    np.testing.assert_array_equal(found.labels, noisy)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--labels", "tgas"), "there is no column 'tgas' to take labels from"),
        (("--labels", "tags", "--drop", "tags"), "column 'tags' holds labels; leave it out"),
        (("--labels", "tags", "--known", "home"), "--known does not go with --labels"),
        (("--labels", "tags", "--label", "home"), "--label does not go with --labels"),
        (("--labels", "tags", "--target", "x0"), "ask for different kinds of audits"),
        (("--labels", "x0"), "there are 120 different labels in 120 rows"),
    ],
)
def test_bad_options_get_a_sentence(tmp_path, options, says):
    table, _ = written(tmp_path)
    result = run(table, *options)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
    assert not (tmp_path / "pets.audit").exists()
