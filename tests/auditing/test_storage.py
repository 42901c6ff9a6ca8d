import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import errata
from auditing.stored_cases import PETS, judged_rows, stored_audit
from auditing_cases import QUICK, blobs
from errata.audit_folder import read_column
from errata.tables import RowDigests

pytest.importorskip("pyarrow", reason="the tables extra is not installed")
X, CODES = blobs(40)
LABELS = {
    "int": CODES,
    "small int": CODES.astype(np.int8),
    "float": CODES.astype(float),
    "bool": CODES > 0,
    "str": np.array(["ant", "bee", "cat"])[CODES],
    "object": np.array(["ant", "bee", "cat"], dtype=object)[CODES],
}


def audited(labels, **options):
    return errata.audit(X, labels, estimators=QUICK, random_state=0, **options)


@pytest.mark.parametrize("kind", LABELS)
def test_what_was_saved_comes_back(kind, tmp_path):
    audit = audited(LABELS[kind], self_check=kind == "int")
    audit.save(tmp_path / "pets.audit")
    again = errata.Audit.load(tmp_path / "pets.audit")
    assert again.summary() == audit.summary()
    for name in ("labels", "suggested", "classes", "p_wrong", "suspicion", "flagged", "_codes"):
        assert getattr(again, name).dtype == getattr(audit, name).dtype
        np.testing.assert_array_equal(getattr(again, name), getattr(audit, name))
    np.testing.assert_array_equal(again.clean("relabel").labels, audit.clean("relabel").labels)


def test_numbers_that_are_none_come_back_and_the_file_is_valid_json(tmp_path):
    audit = audited(CODES, precision=1.0)
    audit.save(tmp_path / "pets.audit")
    text = (tmp_path / "pets.audit" / "audit.json").read_text()
    assert "NaN" not in text
    assert np.isnan(errata.Audit.load(tmp_path / "pets.audit").expected_precision)


def test_an_audit_is_replaced_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "new" / "pets.audit"
    audited(CODES).save(path)
    audited(CODES, title="second").save(path)
    assert errata.Audit.load(path)._about["title"] == "second"
    assert [p.name for p in path.parent.iterdir()] == ["pets.audit"]


@pytest.mark.parametrize("moment", ["writing", "putting it in place"])
def test_a_failure_leaves_the_old_audit_and_no_rubbish(moment, monkeypatch, tmp_path):
    path = tmp_path / "pets.audit"
    audited(CODES, title="first").save(path)
    rename = Path.rename

    def fail(*args):
        raise OSError("the disk is full")

    def fail_once(self, target, failed=[]):  # noqa: B006
        if target == path and not failed:
            failed.append(True)
            fail()
        return rename(self, target)

    with monkeypatch.context() as patch:
        if moment == "writing":
            patch.setattr("errata.auditing.results._base.write_table", fail)
        else:
            patch.setattr(Path, "rename", fail_once)
        with pytest.raises(OSError, match="the disk is full"):
            audited(CODES, title="second").save(path)
    assert errata.Audit.load(path)._about["title"] == "first"
    assert [p.name for p in tmp_path.iterdir()] == ["pets.audit"]


@pytest.mark.parametrize("stranger", ["a file", "a folder", "a folder with an audit.json"])
def test_what_is_not_an_audit_is_left_alone(stranger, tmp_path):
    path = tmp_path / "thesis"
    if stranger == "a file":
        path.write_text("my work")
    else:
        path.mkdir()
        (path / ("audit.json" if "audit.json" in stranger else "chapter")).write_text("{}")
    with pytest.raises(FileExistsError, match="is there already and is not an audit"):
        audited(CODES).save(path)
    assert path.exists()


@pytest.mark.parametrize("text", [None, "{", "[]", "{}", "3", '{"version": "new"}'])
def test_strange_folders_get_a_sentence(text, tmp_path):
    if text is not None:
        (tmp_path / "audit.json").write_text(text)
    with pytest.raises(ValueError, match="is not an audit that errata has written"):
        errata.Audit.load(tmp_path)


def test_an_audit_of_another_kind_is_loaded_by_its_own_class(tmp_path):
    path = tmp_path / "pets.audit"
    audited(CODES).save(path)
    assert isinstance(errata.auditing.load_audit(path), errata.Audit)
    numbers = json.loads((path / "audit.json").read_text())
    assert numbers["kind"] == "classes"
    (path / "audit.json").write_text(json.dumps(numbers | {"kind": "numbers"}))
    sentence = "is an audit of numeric targets; load it with errata.TargetAudit.load"
    with pytest.raises(ValueError, match=sentence):
        errata.Audit.load(path)


def test_digests_come_back_where_there_are_any(tmp_path):
    audit = audited(CODES)
    audit.save(tmp_path / "none.audit")
    assert errata.Audit.load(tmp_path / "none.audit")._digests is None
    audit._digests = RowDigests(["a", "b"], np.arange(len(CODES)) - 2**62)
    audit.save(tmp_path / "some.audit")
    again = errata.Audit.load(tmp_path / "some.audit")._digests
    assert again.columns == ["a", "b"]
    assert again.values.dtype == np.int64
    np.testing.assert_array_equal(again.values, audit._digests.values)


def fingerprint(audit, folder):
    """What names the audit where it was saved."""
    audit.save(folder)
    return json.loads((folder / "audit.json").read_text())["fingerprint"]


def test_keys_come_back_and_the_fingerprint_names_the_audit(tmp_path):
    audit = audited(CODES)
    first = fingerprint(audit, tmp_path / "first.audit")
    again = errata.Audit.load(tmp_path / "first.audit")
    kept = read_column(tmp_path / "first.audit" / "rows.parquet", "key")
    assert kept.to_pylist() == audit._row_keys().tolist()
    assert again._keys is None  # a million texts would take as much memory as all else
    assert again._row_keys().tolist() == [f"row.{row}" for row in range(len(CODES))]
    assert fingerprint(again, tmp_path / "again.audit") == first
    for change in ({"_keys": audit._row_keys()[::-1]}, {"p_wrong": audit.p_wrong + 1e-9}):
        assert fingerprint(replace(audit, **change), tmp_path / "other.audit") != first
    assert fingerprint(audited(np.where(CODES == 0, 7, CODES)), tmp_path / "other.audit") != first


def test_a_change_of_what_is_written_is_noticed(tmp_path):
    # No more than a change detector: with these lists, VERSION has to change.
    audited(CODES).save(tmp_path / "pets.audit")
    numbers = json.loads((tmp_path / "pets.audit" / "audit.json").read_text())
    fields = (
        "about answer classes components digested dtype duplicates examples expected_precision "
        "expected_recall fingerprint has_skill hypotheses index kind known models noise_rate "
        "notes overlap parts piles points prior reviewed rule self_check timeline totals traces "
        "transition unlabelled version"
    )
    shown = (
        "compared flagged id image label p_wrong reasons row similar speaking suggested usual "
        "values"
    )
    assert numbers["version"] == 17
    assert sorted(numbers) == fields.split()
    assert sorted(numbers["examples"][0]) == shown.split()
    beside = "differs image label row values"
    assert sorted(numbers["examples"][0]["compared"][0]) == beside.split()


@pytest.mark.parametrize(
    ("version", "sentence"),
    [(5, "an older errata, in version 5 "), (99, "a newer errata.* update errata, or")],
)
def test_another_version_gets_a_sentence(version, sentence, tmp_path):
    path = tmp_path / "pets.audit"
    audited(CODES).save(path)
    numbers = json.loads((path / "audit.json").read_text())
    (path / "audit.json").write_text(json.dumps(numbers | {"version": version}))
    with pytest.raises(ValueError, match=f"was written by {sentence}.*run the audit again"):
        errata.Audit.load(path)


def test_recordings_and_their_clock_come_back(walks, tmp_path):
    audit, _ = walks
    audit.save(tmp_path / "dogs.audit")
    again = errata.Audit.load(tmp_path / "dogs.audit")
    assert again._timeline.clock_name == "t"
    assert again._traces == audit._traces
    assert again.stretches().equals(audit.stretches())
    assert again.summary() == audit.summary()


def test_an_audit_with_rows_in_many_files_comes_back(tmp_path):
    audit = stored_audit(tmp_path)
    audit.save(tmp_path / "pets.audit")
    names = sorted(path.name for path in (tmp_path / "pets.audit").iterdir())
    assert names == ["audit.json", "metrics.json", "rows"]
    for path in (tmp_path / "rows").iterdir():
        path.unlink()  # what was saved needs nothing of where it was made
    again = errata.Audit.load(tmp_path / "pets.audit")
    assert again.summary() == audit.summary()
    assert again._stored.parts == audit._stored.parts
    assert again._stored.fingerprint() == audit._stored.fingerprint()
    assert again.classes.dtype == PETS.dtype
    np.testing.assert_array_equal(again._codes, judged_rows().code)
    numbers = json.loads((tmp_path / "pets.audit" / "audit.json").read_text())
    assert numbers["fingerprint"] == audit._stored.fingerprint()
    assert numbers["unlabelled"] == np.sum(judged_rows().code < 0)
    assert numbers["known"] == judged_rows().known.sum()


def test_rows_in_many_files_can_be_saved_over_themselves_and_twice(tmp_path):
    path = tmp_path / "pets.audit"
    stored_audit(tmp_path).save(path)
    audit = errata.Audit.load(path)
    audit.notes.append("seen")
    audit.save(path)
    audit.save(tmp_path / "second.audit")
    for saved in (path, tmp_path / "second.audit"):
        again = errata.Audit.load(saved)
        assert again.notes == ["seen"]
        assert len(again.p_wrong) == 600
    audited(CODES).save(path)  # one of the other kind may take its place
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []
    assert errata.Audit.load(path)._stored is None


def test_a_column_that_was_replaced_is_saved(tmp_path):
    audit = stored_audit(tmp_path)
    audit.p_wrong = np.linspace(0, 1, 600)
    audit.save(tmp_path / "pets.audit")
    again = errata.Audit.load(tmp_path / "pets.audit")
    assert again._stored is None
    np.testing.assert_array_equal(again.p_wrong, np.linspace(0, 1, 600))
    np.testing.assert_array_equal(again._codes, audit._codes)


def test_files_are_copied_where_they_cannot_have_two_names(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("not on this disk")

    monkeypatch.setattr("os.link", refuse)
    stored_audit(tmp_path).save(tmp_path / "pets.audit")
    assert len(errata.Audit.load(tmp_path / "pets.audit").p_wrong) == 600


def test_rows_that_have_gone_leave_the_old_audit_alone(tmp_path):
    audit = stored_audit(tmp_path)
    audited(CODES, title="first").save(tmp_path / "pets.audit")
    (tmp_path / "rows" / "part-000000000200.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"part-000000000200\.parquet does not exist"):
        audit.save(tmp_path / "pets.audit")
    assert errata.Audit.load(tmp_path / "pets.audit")._about["title"] == "first"
