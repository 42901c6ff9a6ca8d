import json
import os
import time

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from errata.tables import write_table
from kind_cases import KINDS, OPTIONS, audited_kind, classes, written_kind

FRACTIONS = [
    ["audit", "pets.csv", "-l", "pet", "--precision"],
    ["audit", "pets.csv", "-l", "pet", "--fail-above"],
    ["clean", "pets.audit", "-o", "clean.csv", "--threshold"],
    ["clean", "pets.audit", "-o", "clean.csv", "--sure"],
    ["noise", "pets.csv", "-l", "pet", "-o", "noisy.csv", "--rate"],
]


@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-inf", "1.01"])
@pytest.mark.parametrize("arguments", FRACTIONS, ids=lambda a: a[-1])
def test_a_fraction_is_a_number_from_0_to_1(arguments, value):
    result = invoke(*arguments, value)
    assert result.exit_code == 2
    assert f"{value.lower()} is not in the range 0<=x<=1" in result.output.lower()


@pytest.mark.parametrize("command", [["audit", "pets.csv", "-l", "pet"], ["reproduce", "walmsley"]])
def test_no_jobs_at_all_are_refused(command):
    result = invoke(*command, "--jobs", "0")
    assert result.exit_code == 2
    assert "0 would do nothing; give 1 or more, or -1 for all cores." in result.output


@pytest.fixture
def passed_on(tmp_path, monkeypatch):
    """What the library is asked for, where ``errata audit`` is given some options."""
    asked = {}

    def refuse(file, **arguments):
        asked.update(arguments)
        raise ValueError("asked")

    def ask(*options):
        result = invoke("audit", tmp_path / "pets.csv", "-l", "pet", *options)
        assert result.stderr == "Error: asked\n"
        return asked

    (tmp_path / "pets.csv").write_text("weight,pet\n4,cat\n")
    monkeypatch.setattr(errata.auditing, "audit_file", refuse)
    return ask


def test_no_more_jobs_than_cores(passed_on):
    cores = os.cpu_count()
    asked = [passed_on("--jobs", jobs)["n_jobs"] for jobs in ("1", "100000", "-1", cores)]
    assert asked == [1, cores, -1, cores]


@pytest.mark.parametrize("seed", ["-1", "100000000000000000000000"])
@pytest.mark.parametrize("command", ["noise", "reproduce", "compare", "audit"])
def test_a_seed_is_one_of_those_that_numpy_takes(command, seed):
    result = invoke(command, "a.csv", "--seed", seed)
    assert result.exit_code == 2
    assert f"{seed} is not in the range 0<=x<=4294967295" in result.output


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-5"])
def test_a_frequency_is_a_number_above_0(value):
    result = invoke("audit", "dogs.csv", "-l", "gait", "--fs", value)
    assert result.exit_code == 2
    assert f"{float(value)}" in result.output or f"{value} is not in the range" in result.output
    assert "is not in the range 0<x<=" in result.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--wavelets", "up"], "--wavelets is for recordings; name them with --sequence."),
        (["--fs", "5"], "--fs is for recordings"),
        (["--sequence", "dog", "--group", "dog"], "--sequence and --group cannot both be given"),
        (["--sequence", "dog", "--pixels", "2x2"], "--sequence and --pixels cannot both be given"),
        (["--sequence", "dog", "--fs", "5"], "--fs and --band belong to --wavelets"),
        (["--sequence", "dog", "--wavelets", "up", "--fs", "5"], "it needs --fs, and --fs needs"),
    ],
)
def test_options_of_recordings_go_together(options, said, tmp_path):
    (tmp_path / "dogs.csv").write_text("up,dog,gait\n1,a,walk\n")
    result = invoke("audit", tmp_path / "dogs.csv", "-l", "gait", *options)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


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
    return invoke("audit", *arguments, "--no-self-check")


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


N, WRONG = 60, [4, 31]
SIDE = np.arange(N) % 2
LABELS = np.array(["cat", "dog"])[SIDE ^ np.isin(np.arange(N), WRONG)]
PLACES = 6.0 * SIDE[:, None] + np.random.default_rng(0).normal(size=(N, 3))
PROBA = np.column_stack([1 - SIDE, SIDE]) * 0.98 + 0.01


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(1).normal(size=N)
    write_table("pets.csv", {"id": range(N), "noise": noise, "pet": LABELS})
    return tmp_path


def audited(*options):
    result = invoke("audit", "pets.csv", "-l", "pet", "--no-self-check", "--id", "id", *options)
    assert result.exit_code == 0, result.output
    return errata.Audit.load("pets.audit")


def are_found(audit):
    return set(np.argsort(-audit.suspicion)[:2]) == set(WRONG)


def test_models_look_at_embeddings(folder):
    np.save("e.npy", PLACES)
    assert are_found(audited("--embeddings", "e.npy"))
    about = json.loads((folder / "pets.audit" / "audit.json").read_text())["about"]
    # For a second audit, from anywhere.
    assert about["arguments"]["embeddings"] == str(folder / "e.npy")


def test_embeddings_in_another_order_are_found_by_id(folder):
    order = np.random.default_rng(2).permutation(N)
    write_table("e.parquet", {"id": order, **{f"e{j}": PLACES[order, j] for j in range(3)}})
    assert are_found(audited("--embeddings", "e.parquet"))


def test_probabilities_are_pooled_and_their_columns_found_by_name(folder):
    write_table("p.csv", {"dog": PROBA[:, 1], "cat": PROBA[:, 0]})
    audit = audited("--pred-proba", "p.csv")
    assert are_found(audit)
    assert "your probabilities" in [model["name"] for model in audit.models]


def test_a_table_of_labels_alone_will_do_beside_embeddings(folder):
    np.save("e.npy", PLACES)
    assert are_found(audited("--embeddings", "e.npy", "--drop", "noise"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--embeddings", "none.npy"], "none.npy does not exist"),
        (["--embeddings", "short.npy"], "short.npy has 3 rows, but the table has 60"),
        (["--pred-proba", "names.csv"], "must be named as the labels are (cat, dog)"),
        (["--embeddings", "short.npy", "--memory", "1GB"], "--embeddings needs the table in mem"),
    ],
)
def test_what_does_not_fit_is_refused(folder, options, sentence):
    np.save("short.npy", PLACES[:3])
    write_table("names.csv", {"dog": PROBA[:, 1], "wolf": PROBA[:, 0]})
    result = invoke("audit", "pets.csv", "-l", "pet", *options)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert not (folder / "pets.audit").exists()


@pytest.fixture
def corrected(tmp_path):
    pet = classes()["pet"]
    pet[3] = "dog"
    return written_kind("classes", tmp_path, pet=pet)


def refused(result, sentence):
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {sentence}")
    assert len(result.stderr.splitlines()) == 1


def test_an_earlier_audit_is_compared_to_in_terminal_summary_and_json(audit_of, corrected):
    told = ["--compare-to", audit_of("classes"), "--no-self-check"]
    folder, result = audited_kind("classes", corrected, *told)
    assert "Since the audit compared to:\n60 rows are in both audits" in result.stdout
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert "### What changed since the last audit" in summary
    assert "`t3` | `cat` → `dog`" in summary
    _, result = audited_kind("classes", corrected, *told, "--json", "--force")
    assert [row["id"] for row in json.loads(result.stdout)["diff"]["resolved"]] == ["t3"]


def test_it_may_be_the_one_that_is_replaced(corrected):
    folder, _ = audited_kind("classes", corrected, "--no-self-check")
    more = ("--compare-to", folder, "--force", "--no-self-check")
    _, result = audited_kind("classes", corrected, *more)
    assert "No row is newly flagged.\n1 row is still flagged." in result.stdout


def test_what_cannot_be_compared_to_is_said_before_the_work(audit_of, corrected):
    asked = ["audit", str(corrected), *OPTIONS["classes"], "--compare-to"]
    other = invoke(*asked, audit_of("votes"))
    refused(other, f"--compare-to {audit_of('votes')} is an audit of votes, and this one is of")
    refused(invoke(*asked, "nowhere"), "nowhere does not exist; give the")
    assert [path.name for path in corrected.parent.iterdir()] == ["classes.csv"]


def test_read_in_parts_it_must_not_be_replaced(audit_of, corrected):
    folder, _ = audited_kind("classes", corrected, "--no-self-check")
    asked = ["audit", str(corrected), *OPTIONS["classes"], "--memory", "1GB", "--force"]
    result = invoke(*asked, "--compare-to", folder)
    refused(result, f"--compare-to {folder} would be replaced before it is compared")


@pytest.mark.parametrize("kind", KINDS)
def test_standard_output_is_one_object_whatever_the_kind(kind, tmp_path):
    quick = () if kind == "votes" else ("--no-self-check",)
    folder, result = audited_kind(kind, written_kind(kind, tmp_path), "--json", *quick)
    told = json.loads(result.stdout)
    assert (told["kind"], told["folder"], told["diff"]) == (kind, str(folder), None)
    assert told["metrics"] == json.loads((folder / "metrics.json").read_text())
    assert told["answer"].endswith(".")
    assert "map" not in told
    assert set(told["examples"][0]) == {
        *("row", "id", "label", "suggested", "p_wrong", "flagged", "reasons"),
    }
    assert [f"Note: {note}" for note in told["notes"]] == result.stderr.splitlines()


def test_notes_are_on_standard_error_and_a_gate_still_closes(tmp_path):
    table = written_kind("classes", tmp_path, tag=["t"] * 60)
    asked = ["audit", str(table), *OPTIONS["classes"], "--no-self-check", "--json"]
    result = invoke(*asked, "--fail-above", "0")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["metrics"]["n_flagged"] == 2
    first, last = result.stderr.splitlines()
    assert first.startswith("Note: 1 id in 'tag' stands for several rows")
    assert last.startswith("Too many labels are wrong: ")


def test_nothing_asked_for_is_this_process(passed_on):
    assert passed_on()["engine"] is None


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:1", "ftp://127.0.0.1:8786"])
@pytest.mark.parametrize("command", ["audit", "compare"])
def test_an_address_where_nobody_answers_is_told_before_the_work(command, address, tmp_path):
    pytest.importorskip("distributed", reason="distributed is not installed")
    (tmp_path / "pets.csv").write_text("weight,pet\n" + "4,cat\n5,dog\n" * 30)
    options = ["--label", "pet", "--engine", "dask", "--scheduler", address]
    start = time.monotonic()
    result = invoke(command, tmp_path / "pets.csv", *options)
    assert result.exit_code == 2, result.output
    assert f"no Dask scheduler answers at {address}; give its address" in result.stderr
    assert time.monotonic() - start < 60
    assert [path.name for path in tmp_path.iterdir()] == ["pets.csv"]


@pytest.mark.parametrize("command", ["audit", "compare"])
def test_a_scheduler_alone_would_have_no_effect(command, folder):
    result = invoke(command, "pets.csv", "-l", "pet", "--scheduler", "tcp://10.0.0.1:8786")
    refused(result, "--scheduler names a Dask cluster, so it needs --engine dask.")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--target a --label b", "--label does not go with --target; leave one of them out."),
        ("--target a --pixels 2x2", "--pixels does not go with --target; leave one of them out."),
        (
            "--target a --model forest",
            "it is for an audit of votes, which --item and --worker name",
        ),
        ("--target a --item b", "--target, --item ask for different kinds of audits"),
        ("--item a --label b", "--item needs --worker beside it: an audit of votes"),
        ("--worker a --item b", "--item needs --label beside it"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, sentence):
    result = invoke("audit", "pets.csv", *options.split())
    assert (result.exit_code, sentence in result.output) == (2, True), result.output
