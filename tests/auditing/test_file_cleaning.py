"""Cleaning a file from Python, for every kind of label; ``tests/cli/test_clean*`` has the rest."""

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from decision_cases import said
from errata.auditing import load_audit
from errata.review import Decisions
from errata.tables import read_table, write_table
from kind_cases import KINDS, WRONG, audited_kind, classes, written_kind

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

ACTIONS = {"classes": "relabel", "numbers": "replace", "votes": "drop", "multilabel": "relabel"}


@pytest.fixture(scope="module", params=KINDS)
def audited(request, tmp_path_factory):
    """The kind, the file that was audited, and the folder of the audit."""
    table = written_kind(request.param, tmp_path_factory.mktemp(request.param))
    return request.param, table, audited_kind(request.param, table, "--no-self-check")[0]


def source_of(kind, table):
    return None if kind == "votes" else table


@pytest.mark.parametrize("is_default", [True, False], ids=["default", "action"])
def test_python_writes_what_the_command_writes(audited, tmp_path, is_default):
    kind, table, folder = audited
    action = None if is_default else ACTIONS[kind]
    done = load_audit(folder).clean_file(source_of(kind, table), tmp_path / "python.csv", action)
    typed = [] if action is None else ["--action", action]
    arguments = ["clean", str(folder), "-o", str(tmp_path / "shell.csv"), *typed]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    assert done.path.read_bytes() == (tmp_path / "shell.csv").read_bytes()
    assert read_table(done.path).num_rows == done.n_kept
    told = result.stdout.replace("shell.csv", "python.csv").splitlines()
    assert " ".join(told) == " ".join(done.notes)
    assert done.cautions == []


def test_options_of_another_kind_are_refused(audited, tmp_path):
    kind, table, folder = audited
    audit = load_audit(folder)
    source = source_of(kind, table)
    if kind != "classes":
        with pytest.raises(ValueError, match='action="weight" is for files of classes'):
            audit.clean_file(source, tmp_path / "clean.csv", "weight")
    if kind == "numbers":
        with pytest.raises(ValueError, match=r"sure=0.9 has no effect on numbers; leave it out"):
            audit.clean_file(source, tmp_path / "clean.csv", sure=0.9)
    assert not (tmp_path / "clean.csv").exists()


def test_decisions_come_first_from_a_file_or_open(in_python, tmp_path):
    table, audit = in_python
    path = tmp_path / "pets.decisions"
    with Decisions(path) as decisions:
        decisions.record(said(row_key=audit._row_keys()[WRONG[0]], row=WRONG[0], kind="unusable"))
        open_ = audit.clean_file(table, tmp_path / "a.csv", decisions=decisions, undecided="keep")
    again = audit.clean_file(table, tmp_path / "b.csv", decisions=path, undecided="keep")
    assert open_.n_kept == again.n_kept == len(audit) - 1
    assert open_.notes[0] == "People decided 1 row: 1 dropped."


def test_no_file_is_replaced_unless_forced_and_never_the_table(audited, tmp_path):
    kind, table, folder = audited
    audit = load_audit(folder)
    source = source_of(kind, table)
    out = tmp_path / "clean.csv"
    out.write_text("mine")
    with pytest.raises(FileExistsError, match="choose another name, or pass force=True"):
        audit.clean_file(source, out)
    assert out.read_text() == "mine"
    assert audit.clean_file(source, out, force=True).path == out
    before = table.read_bytes()
    with pytest.raises(ValueError, match="is the audited table itself"):
        audit.clean_file(source, table, force=True)
    assert table.read_bytes() == before


@pytest.fixture(scope="module")
def in_python(tmp_path_factory):
    """An audit made in Python, whose rows are known by their places, and its file."""
    table = tmp_path_factory.mktemp("python") / "pets.csv"
    write_table(table, classes())
    return table, errata.audit(read_table(table), "pet", self_check=False, random_state=0)


def test_one_label_is_one_label(in_python, tmp_path):
    table, audit = in_python
    line = float(np.sort(audit.p_wrong)[-2])  # above it is one
    done = audit.clean_file(table, tmp_path / "clean.csv", threshold=line)
    assert done.notes[0].startswith("1 label is wrong with a probability above")
    assert done.notes[0].endswith(": 1 dropped.")
    assert "as it was made in Python; their labels are the same" in done.cautions[0]


@pytest.mark.parametrize(
    ("pet", "sentence"),
    [
        ([True] * 60, r"the labels of .* have changed .*: row 0 .* says True and said 'cat'"),
        (["cat", "cat"], r"has 2 rows, but 60 were audited"),
    ],
    ids=["type", "rows"],
)
def test_other_labels_than_audited_are_refused(in_python, tmp_path, pet, sentence):
    _, audit = in_python
    write_table(tmp_path / "pets.jsonl", {"pet": pet})
    with pytest.raises(ValueError, match=sentence):
        audit.clean_file(tmp_path / "pets.jsonl", tmp_path / "clean.jsonl")


def test_whole_numbers_are_floats_in_a_column_that_had_a_gap(tmp_path):
    columns = classes()
    codes = (columns.pop("pet") == "dog").astype(float)
    codes[7] = np.nan
    audit = errata.audit(columns | {"pet": codes}, "pet", self_check=False, random_state=0)
    whole = [None if code != code else int(code) for code in codes]
    write_table(tmp_path / "pets.jsonl", {"pet": whole})
    done = audit.clean_file(tmp_path / "pets.jsonl", tmp_path / "clean.jsonl")
    assert done.n_kept < done.n_rows == 60


def test_several_files_become_a_folder(in_python, tmp_path):
    table, _ = in_python
    rows = read_table(table)
    for place in (0, 1):
        write_table(tmp_path / f"part-{place}.csv", rows.slice(30 * place, 30))
    files = sorted(tmp_path.glob("part-*.csv"))
    audit = errata.audit(rows, "pet", self_check=False, random_state=0)
    done = audit.clean_file(files, tmp_path / "clean")
    assert sum(read_table(path).num_rows for path in done.path.iterdir()) == done.n_kept
    assert "are known by their places" in done.cautions[0]


def test_several_labels_change_where_people_drop_a_row(tmp_path):
    table = written_kind("multilabel", tmp_path)
    audit = load_audit(audited_kind("multilabel", table, "--no-self-check")[0])
    with Decisions(tmp_path / "a.decisions") as decisions:
        decisions.record(said(row_key=audit._row_keys()[0], kind="unusable"))
        how = {"decisions": decisions, "undecided": "act"}
        done = audit.clean_file(table, tmp_path / "clean.csv", "relabel", **how)
        cleaned = audit.clean("relabel", **how)
    assert done.n_kept == len(audit) - 1
    assert (cleaned.labels != audit.labels).any(axis=0).sum() > 1
    after = read_table(done.path)
    written = np.column_stack([after[f"is_{name}"].to_numpy() for name in ("ant", "bee", "cow")])
    np.testing.assert_array_equal(written.astype(int), cleaned.labels[cleaned.kept])
