import csv

import numpy as np
import pytest

import errata
from auditing.vote_cases import crowd, measured
from cli.command_line import invoke
from decision_cases import said
from errata.review import Decisions, as_text
from errata.tables import write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


def lines(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An audit of votes alone, and one with a table that has two items more."""
    made = tmp_path_factory.mktemp("votes")
    votes, truth = crowd()
    write_table(made / "votes.csv", votes)
    X = np.vstack([measured(truth), [[0.0, 0.0], [6.0, 0.0]]])
    write_table(made / "pets.csv", {"item": np.arange(122), "a": X[:, 0], "b": X[:, 1]})
    columns = ("--item", "item", "--worker", "worker", "--label", "label")
    for name, more in (("votes", ()), ("both", ("--features", made / "pets.csv"))):
        out = ("--out", made / f"{name}.audit")
        done = invoke("audit", made / "votes.csv", *columns, *more, *out)
        assert done.exit_code == 0, done.output
    return made


def test_items_are_written_with_the_consensus(folder, tmp_path):
    done = invoke("clean", folder / "votes.audit", "-o", tmp_path / "items.csv")
    assert done.exit_code == 0, done.output
    audit = errata.VoteAudit.load(folder / "votes.audit")
    cleaned = audit.clean()
    written = lines(tmp_path / "items.csv")
    assert [line["item"] for line in written] == audit.items[cleaned.kept].astype(str).tolist()
    assert [line["label"] for line in written] == cleaned.labels[cleaned.kept].tolist()
    assert f"{np.sum(cleaned.did == 'relabelled')} relabelled" in done.output


def test_options_that_are_typed_count(folder, tmp_path):
    out = tmp_path / "items.csv"
    done = invoke("clean", folder / "votes.audit", "-o", out, "--action", "drop")
    assert done.exit_code == 0, done.output
    cleaned = errata.VoteAudit.load(folder / "votes.audit").clean("drop")
    assert len(lines(out)) == cleaned.kept.sum()


def test_a_table_of_the_items_gets_a_column_of_labels(folder, tmp_path):
    done = invoke("clean", folder / "both.audit", "-o", tmp_path / "labelled.csv")
    assert done.exit_code == 0, done.output
    assert "2 rows had no label; 2 got the suggested class." in done.output
    written = lines(tmp_path / "labelled.csv")
    assert list(written[0]) == ["item", "a", "b", "label"]
    assert [line["label"] for line in written[-2:]] == ["bird", "dog"]


def test_decisions_of_people_come_first(folder, tmp_path):
    audit = errata.VoteAudit.load(folder / "votes.audit")
    row = int(np.argmax(audit.p_wrong))
    known = (audit.labels[row], audit.consensus[row])
    other = next(str(name) for name in audit.classes if name not in known)
    path = folder / "votes.decisions"
    with Decisions(path) as decisions:
        key = audit._row_keys()[row]
        decisions.record(said("other", row, row_key=key, class_text=as_text(other)))
    try:
        done = invoke("clean", folder / "votes.audit", "-o", tmp_path / "items.csv")
        told = invoke("decisions", folder / "votes.audit")
        export = ("--export", tmp_path / "decided.csv")
        exported = invoke("decisions", folder / "votes.audit", *export)
    finally:
        path.unlink()
    assert done.exit_code == 0, done.output
    assert "People decided 1 row: 1 relabelled." in done.output
    assert told.exit_code == 0, told.output
    assert exported.exit_code == 0, exported.output
    written = lines(tmp_path / "decided.csv")
    assert [line["item"] for line in written] == audit.items.astype(str).tolist()
    assert [line["label"] for line in written] == audit.labels.tolist()
    assert written[row]["errata_class"] == other
    labels = {line["item"]: line["label"] for line in lines(tmp_path / "items.csv")}
    assert labels[str(audit.items[row])] == other


def test_the_votes_are_never_overwritten(folder):
    done = invoke("clean", folder / "votes.audit", "-o", folder / "votes.csv", "--force")
    assert done.exit_code == 2
    assert "is the audited table itself" in done.output


def test_a_table_makes_no_sense_where_there_was_none(folder, tmp_path):
    out = ("-o", tmp_path / "x.csv", "--table", folder / "pets.csv")
    done = invoke("clean", folder / "votes.audit", *out)
    assert done.exit_code == 2
    assert "made from votes alone; --table has no effect" in done.output


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text.replace("\n3,", "\n300,"), "has the item 300, which was not audited"),
        (lambda text: text.replace("item,a,b", "item,a,label"), "has a column 'label' already"),
        (lambda text: text.replace("item,a,b", "thing,a,b"), "no column 'item'"),
    ],
)
def test_another_table_is_refused(folder, tmp_path, change, sentence):
    other = tmp_path / "other.csv"
    other.write_text(change((folder / "pets.csv").read_text()))
    out = ("-o", tmp_path / "x.csv", "--table", other)
    done = invoke("clean", folder / "both.audit", *out)
    assert done.exit_code == 2, done.output
    assert sentence in done.output
    assert not (tmp_path / "x.csv").exists()
