import csv
import re

import pytest

import errata
from auditing_cases import QUICK, blobs
from cli.command_line import invoke
from engine_cases import two_workers

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

DROP_ALL = [word for name in (*"abcd", "sure", "ward") for word in ("--drop", name)]
SOME = ["--method", "SVM", "--method", "logistic regression", "--folds", "2"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table of 90 rows, and audits that take no time."""
    monkeypatch.setattr(
        "errata.comparing._compare.audit",
        lambda *args, **kwargs: errata.audit(*args, **kwargs, estimators=QUICK),
    )
    X, y = blobs(90, 2)
    path = tmp_path / "train.csv"
    with open(path, "w", newline="") as stream:
        write = csv.writer(stream)
        write.writerow([*"abcd", "sure", "ward", "species"])
        for row, (values, code) in enumerate(zip(X.round(3), y, strict=True)):
            sure = "yes" if row % 3 else "no"
            write.writerow([*values, sure, f"ward {row % 6}", ("cat", "dog")[code]])
    return path


def run(*arguments):
    return invoke("compare", *arguments)


def test_advice_page_and_tables(table):
    drop = ["--drop", "sure", "--drop", "ward"]
    result = run(table, "-l", "species", *SOME, *drop)
    assert result.exit_code == 0, result.output
    assert "has the highest estimated accuracy" in result.output
    assert "Means over 4 test folds" in result.output
    folder = table.with_name("train.compare")
    page = (folder / "compare.html").read_text()
    assert "<h1><bdi>train.csv</bdi></h1>" in page
    assert "data:image/svg+xml;base64," in page
    with open(folder / "standing.csv") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["name"] for row in rows} == {"SVM", "logistic regression"}
    assert float(rows[0]["score"]) >= float(rows[1]["score"])


@pytest.mark.slow  # in Python it is tested quickly
def test_on_a_cluster_the_same_is_found(table):
    drop = ["--drop", "sure", "--drop", "ward"]
    command = [table, "-l", "species", *SOME, *drop]
    here = run(*command, "--out", table.with_name("here"))
    with two_workers() as client:
        where = ["--engine", "dask", "--scheduler", client.scheduler.address]
        there = run(*command, *where, "--out", table.with_name("there"))
    assert there.exit_code == 0, there.output
    assert measured(table.with_name("there")) == measured(table.with_name("here"))
    advice = here.output.splitlines()[0]
    assert there.output.splitlines()[0] == advice


def measured(folder):
    """All that was measured but for the seconds, in the order of the grid."""
    with open(folder / "results.csv") as stream:
        return sorted(tuple(row.items())[:-1] for row in csv.DictReader(stream))


def test_the_same_command_goes_on(table):
    drop = ["--drop", "sure", "--drop", "ward"]
    first = run(table, "-l", "species", *SOME, *drop)
    before = table.with_name("train.compare").joinpath("results.csv").read_text()
    again = run(table, "-l", "species", *SOME, *drop)
    assert again.output == first.output
    assert table.with_name("train.compare").joinpath("results.csv").read_text() == before


def test_known_rows_groups_and_noise(table):
    asked = ["--known", "sure", "--group", "ward", "--noise", "0.2"]
    result = run(table, "-l", "species", *SOME, *asked)
    assert result.exit_code == 0, result.output
    assert "on known rows" in result.output
    assert "before noise" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-l", "specis"], "has no column 'specis'; did you mean 'species'?"),
        (["-l", "species", "--known", "ward"], "should say yes or no, but holds 'ward 0'"),
        (["-l", "species", "--drop", "species"], "holds the labels; it cannot be left out"),
        (["-l", "species", "--method", "SWM"], "there is no competitor 'SWM'"),
        (["-l", "species", *DROP_ALL], "no column of"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(table, arguments, sentence):
    result = run(table, *arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert not table.with_name("train.compare").exists()


def test_a_folder_of_another_comparison_is_left_alone(table):
    asked = ["-l", "species", *SOME, "--drop", "ward"]
    assert run(table, *asked).exit_code == 0
    folder = table.with_name("train.compare")
    before = (folder / "results.csv").read_bytes()
    result = run(table, *asked, "--seed", "1")
    assert result.exit_code == 2
    assert "holds a run with another" in result.output
    assert (folder / "results.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], r"--folds 100000 is more folds than class '(cat|dog)' has rows \(\d+\); pass \d+"),
        (["--group", "ward"], r"--folds 7 is more folds than there are groups \(6\); pass 6"),
    ],
)
def test_more_folds_than_can_be_made_are_refused_before_the_work(options, sentence, table):
    folds = 7 if options else 100_000
    result = run(table, "-l", "species", "--folds", folds, *options)
    assert result.exit_code == 2
    assert re.search(sentence, " ".join(result.stderr.split()))
    assert [path.name for path in table.parent.iterdir()] == ["train.csv"]


def test_a_comparison_that_fails_at_once_leaves_nothing(table, monkeypatch):
    def fail(*_):
        raise ValueError("SVM cannot learn from this table: it is odd")

    monkeypatch.setattr("errata.comparing._compare.score_fold", fail)
    result = run(table, "-l", "species", *SOME, "--out", table.parent / "new" / "folder")
    assert result.exit_code == 2
    assert "SVM cannot learn from this table" in result.stderr
    assert [path.name for path in table.parent.iterdir()] == ["train.csv"]
