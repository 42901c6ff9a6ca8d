import json
import os

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from errata.auditing.models._default import LinearModel
from errata.auditing.stored import _audit
from errata.tables import read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


def animals(start=0, n=40):
    """Cats are light and dogs are heavy, but for one label that is wrong in each part."""
    random, row = np.random.default_rng(start), np.arange(start, start + n)
    dog = row % 2
    pet = np.where(dog, "dog", "cat")
    pet[3] = "cat" if dog[3] else "dog"
    return {
        "weight": (4 + 20 * dog + random.normal(size=n)).round(2),
        "ears": (5 + 5 * dog + random.normal(size=n)).round(2),
        "owner": np.array([f"o{i // 4}" for i in row]),
        "tag": np.array([f"t{i}" for i in row]),
        "pet": pet,
    }


@pytest.fixture
def pets(tmp_path):
    """A folder of three files."""
    (tmp_path / "pets").mkdir()
    for part in range(3):
        write_table(tmp_path / "pets" / f"part-{part}.parquet", animals(40 * part))
    return tmp_path / "pets"


def run(*arguments):
    return invoke("audit", *arguments, "--no-self-check")


def refused(result, sentence):
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.stderr.split())
    assert result.stderr.startswith("Error: ")
    assert result.stdout == ""


def test_a_folder_is_audited_and_all_is_beside_it(pets, tmp_path):
    result = run(pets, "-l", "pet", "--drop", "owner", "--id", "tag")
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir(tmp_path)) == ["pets", "pets.audit"]
    audit = errata.Audit.load(tmp_path / "pets.audit")
    assert len(audit) == 120
    assert sorted(np.argsort(-audit.suspicion)[:3].tolist()) == [3, 43, 83]
    files = [str(pets.resolve() / f"part-{part}.parquet") for part in range(3)]
    assert audit._about["tables"] == files
    assert audit._about["table"] == str(pets.resolve())
    assert audit._about["label"] == "pet"
    assert audit._about["features"] == 2
    assert audit._about["clean"] == f"errata clean {tmp_path / 'pets.audit'} -o {pets}.clean"
    names = {path.name for path in (tmp_path / "pets.audit").iterdir()}
    assert {"report.html", "ranked.csv", "audit.json", "rows.parquet", "cards.parquet"} <= names
    assert "errata review" in result.stdout
    assert "All rows, ranked" in result.stdout


@pytest.mark.parametrize("memory", [(), ("--memory", "500MB")])
def test_the_same_rows_in_one_file_or_in_many_give_the_same_numbers(pets, tmp_path, memory):
    together = {
        name: np.concatenate([animals(40 * part)[name] for part in range(3)]) for name in animals()
    }
    write_table(tmp_path / "all.parquet", together)
    assert run(tmp_path / "all.parquet", "-l", "pet", *memory).exit_code == 0
    assert run(pets / "part-*.parquet", "-l", "pet").exit_code == 0
    one, many = (
        errata.Audit.load(folder) for folder in (tmp_path / "all.audit", pets / "part.audit")
    )
    np.testing.assert_allclose(many.p_wrong, one.p_wrong, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(many.flagged, one.flagged)
    assert many._about["table"] == str(pets / "part-*.parquet")


def test_text_files_of_a_pattern_are_read_as_they_are(tmp_path):
    for part in range(3):
        write_table(tmp_path / f"pets-{part}.csv.gz", animals(40 * part))
    result = run(tmp_path / "pets-*.csv.gz", "-l", "pet", "--group", "owner")
    assert result.exit_code == 0, result.output
    assert len(errata.Audit.load(tmp_path / "pets.audit")) == 120
    assert not (tmp_path / "pets.audit.unfinished").exists()


def test_a_file_that_may_not_fit_is_read_in_parts(tmp_path, monkeypatch):
    write_table(tmp_path / "pets.parquet", animals())
    monkeypatch.setattr("errata._files.FITS", 0)
    assert run(tmp_path / "pets.parquet", "-l", "pet").exit_code == 0
    assert errata.Audit.load(tmp_path / "pets.audit")._digests is None
    result = invoke("clean", tmp_path / "pets.audit", "-o", tmp_path / "clean.parquet")
    assert "as it read its table in parts; their labels are the same" in result.stderr


def test_an_audit_of_parts_gives_way_only_when_forced(pets, tmp_path):
    assert run(pets, "-l", "pet").exit_code == 0
    refused(run(pets, "-l", "pet"), "holds an audit already; choose another --out, or replace it")
    assert run(pets, "-l", "pet", "--force").exit_code == 0
    (tmp_path / "thesis").mkdir()
    refused(run(pets, "-l", "pet", "-o", tmp_path / "thesis", "--force"), "is not an audit")
    assert os.listdir(tmp_path / "thesis") == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--sequence", "owner"), "--sequence needs the table in memory"),
        (("--pixels", "2x1"), "--pixels needs the table in memory"),
        (("--decisions", "x.decisions"), "--decisions needs the table in memory"),
        (("--memory", "much"), "memory='much' is not a size"),
        (("--scheduler", "tcp://127.0.0.1:1"), "so it needs --engine dask"),
        (("--drop", "colour"), "colour"),
        (("--drop", "pet"), "column 'pet' holds the labels; leave it out of --drop"),
        (("--label", "colour"), "colour"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(pets, tmp_path, options, sentence):
    refused(run(pets, "-l", "pet", *options), sentence)
    assert not (tmp_path / "pets.audit").exists()


def test_options_of_parts_are_for_parts(tmp_path):
    write_table(tmp_path / "pets.parquet", animals())
    sentence = "--no-resume is for tables that are read in parts"
    refused(run(tmp_path / "pets.parquet", "-l", "pet", "--no-resume"), sentence)


def test_without_tables_or_a_label_there_is_a_sentence(pets, tmp_path):
    refused(run(pets), "the columns of")
    (tmp_path / "empty").mkdir()
    refused(run(tmp_path / "empty", "-l", "pet"), "empty holds no table")
    refused(run(tmp_path / "x-*.csv", "-l", "pet"), "no file matches")
    refused(run(tmp_path / "no.csv", "-l", "pet", "--memory", "1GB"), "no.csv does not exist")
    refused(run("/", "-l", "pet"), "say")


@pytest.fixture
def few_learnt(monkeypatch):
    """As if a table of 120 rows were too large to be learnt from."""
    for module in ("classes._audit", "_learning", "stored._audit"):
        monkeypatch.setattr(f"errata.auditing.{module}.LEARN_ROWS", 80)
    # Models of large tables: that of the nearest rows is not among them.
    models = [LinearModel("linear model")]
    monkeypatch.setattr("errata.auditing._learning.default_models", lambda *_: models)


def test_who_stops_can_go_on(pets, tmp_path, monkeypatch, few_learnt):
    judge = _audit.judge_part

    def stop(part, shared):
        if part.start == 80:
            raise KeyboardInterrupt
        return judge(part, shared)

    stop.__module__, stop.__qualname__ = judge.__module__, judge.__qualname__
    with monkeypatch.context() as patch:
        patch.setattr(_audit, "judge_part", stop)
        result = run(pets, "-l", "pet")
    assert result.exit_code == 130
    assert "Stopped. The same command goes on from here." in result.stderr
    assert sorted(os.listdir(tmp_path)) == ["pets", "pets.audit.unfinished"]
    other = run(pets, "-l", "pet", "--seed", "3")
    assert other.exit_code == 2
    assert "random_state was" in other.stderr
    assert "Pass --no-resume to start anew" in other.stderr
    again = run(pets, "-l", "pet")
    assert again.exit_code == 0, again.output
    assert "Going on: the audit of" in again.stderr
    assert sorted(os.listdir(tmp_path)) == ["pets", "pets.audit"]
    assert len(read_table(tmp_path / "pets.audit" / "ranked.csv")) == 120


def test_beyond_what_is_kept_in_one_file_nothing_is_reviewed(
    pets, tmp_path, monkeypatch, few_learnt
):
    monkeypatch.setattr("errata.auditing.stored._audit.EXACT_ROWS", 100)
    monkeypatch.setattr("errata.auditing._settings.EXACT_ROWS", 100)
    result = run(pets, "-l", "pet")
    assert result.exit_code == 0, result.output
    assert "errata review" not in result.stdout
    assert "The flagged rows, ranked" in result.stdout
    numbers = json.loads((tmp_path / "pets.audit" / "audit.json").read_text())
    assert numbers["about"]["review"] is None
    assert [part[:2] for part in numbers["parts"]] == [[0, 40], [40, 80], [80, 120]]
    audit = errata.Audit.load(tmp_path / "pets.audit")
    assert audit._stored is not None
    listed = read_table(tmp_path / "pets.audit" / "ranked.csv")
    assert len(listed) == audit.flagged.sum()


def test_a_folder_of_somebody_else_is_not_taken_for_unfinished_work(pets, tmp_path):
    theirs = tmp_path / "pets.audit.unfinished"
    (theirs / "tables").mkdir(parents=True)
    (theirs / "tables" / "thesis.parquet").write_text("mine")
    refused(run(pets, "-l", "pet"), "was not made by errata, which would remove it; move it away")
    assert (theirs / "tables" / "thesis.parquet").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["pets", "pets.audit.unfinished"]


def test_a_table_that_cannot_be_audited_leaves_nothing(pets, tmp_path):
    write_table(tmp_path / "pets.csv", {"weight": list(range(40)), "pet": ["cat"] * 40})
    result = run(tmp_path / "pets.csv", "-l", "pet", "--memory", "1GB")
    assert result.exit_code == 2, result.output
    assert sorted(os.listdir(tmp_path)) == ["pets", "pets.csv"]


@pytest.mark.skipif(os.name == "nt", reason="permissions and locks are those of POSIX")
def test_two_audits_do_not_share_unfinished_work_which_others_may_not_read(
    pets, tmp_path, monkeypatch
):
    seen = {}

    def audit_again(*_, **__):
        if not seen:
            seen["mode"] = (tmp_path / "pets.audit.unfinished").stat().st_mode & 0o777
            seen["result"] = run(pets, "-l", "pet")
        raise OSError("the power is gone")

    monkeypatch.setattr("errata.auditing.stored._audit.run_audit", audit_again)
    run(pets, "-l", "pet")
    assert seen["result"].exit_code == 2
    assert "Error: another audit is at work in" in seen["result"].stderr
    assert seen["mode"] == 0o700
    assert sorted(os.listdir(tmp_path)) == ["pets"]  # there was nothing yet to go on from


def test_an_audit_that_appears_meanwhile_stays(pets, tmp_path, monkeypatch):
    run_audit = _audit.run_audit

    def another_is_quicker(*arguments, **options):
        (tmp_path / "pets.audit").mkdir()
        (tmp_path / "pets.audit" / "theirs.txt").write_text("first")
        return run_audit(*arguments, **options)

    monkeypatch.setattr(_audit, "run_audit", another_is_quicker)
    refused(run(pets, "-l", "pet"), "pets.audit appeared during the audit, and stays as it is")
    assert os.listdir(tmp_path / "pets.audit") == ["theirs.txt"]
