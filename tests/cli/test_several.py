"""``errata noise`` and ``errata clean`` on tables in several files."""

import os
import shutil
from itertools import pairwise

import numpy as np
import pytest

import errata
from auditing.stored_cases import PETS, judged_rows, stored_audit
from cli.command_line import invoke
from errata.tables import read_table, write_table

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

CUTS = [0, 30, 31, 80, 80, 120]
WRONG = [3, 30, 100]


def run(*arguments):
    return invoke(*arguments)


def refused(result, sentence, out):
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.stderr.split())
    assert not out.exists()
    assert not [name for name in os.listdir(out.parent) if name.startswith(".errata")]


def table(n=120):
    random = np.random.default_rng(0)
    side = np.arange(n) % 2
    pet = np.array(["cat", "dog"])[side ^ np.isin(np.arange(n), WRONG)]
    weight, ears = 4 + 20 * side + random.normal(size=n), 5 + 5 * side + random.normal(size=n)
    return {"weight": weight.round(3), "ears": ears.round(3), "pet": pet}


def written(folder, columns, ending, cuts=CUTS):
    """Files part-8, part-9, part-10 ... with the rows between the cuts; one of them has none."""
    folder.mkdir()
    names = [f"part-{8 + i}.{ending}" for i in range(len(cuts) - 1)]
    for name, (start, stop) in zip(names, pairwise(cuts), strict=True):
        piece = {k: column[start:stop] for k, column in columns.items()}
        if ending == "parquet":
            piece["pet"] = arrow.array(piece["pet"], arrow.string())
        write_table(folder / name, piece)
    return [folder / name for name in names]


@pytest.fixture(scope="module")
def audited():
    columns = table()
    X = np.column_stack([columns["weight"], columns["ears"]])
    audit = errata.audit(X, columns["pet"], self_check=False, random_state=0)
    assert np.flatnonzero(audit.p_wrong > 0.5).tolist() == WRONG
    return audit


@pytest.fixture
def here(audited, tmp_path):
    """A folder of Parquet files and its audit, as an audit of a folder is."""
    files = written(tmp_path / "pets", table(), "parquet")
    return saved(audited, tmp_path, tmp_path / "pets", files)


def saved(audit, folder, named, files):
    audit._about |= {"label": "pet", "table": str(named), "tables": list(map(str, files))}
    audit.save(folder / "pets.audit")
    return folder


def joined(folder, name="pet"):
    """The column of all copies that have rows, in the order of the files."""
    names = sorted(os.listdir(folder), key=lambda name: int(name[5:].partition(".")[0]))
    tables = [parquet.read_table(folder / name) for name in names]
    return [cell for table in tables for cell in table[name].to_pylist()]


def test_a_folder_is_cleaned_file_by_file(here):
    out = here / "clean"
    result = run("clean", here / "pets.audit", "-o", out)
    assert result.exit_code == 0, result.output
    assert "3 labels are wrong with a probability above 0.5: 3 dropped." in result.output
    assert "with 117 of 120 rows." in " ".join(result.output.split())
    assert "are known by their places" in " ".join(result.stderr.split())
    assert sorted(os.listdir(out)) == sorted(os.listdir(here / "pets"))
    kept = np.delete(np.arange(120), WRONG)
    assert joined(out, "weight") == table()["weight"][kept].tolist()
    assert joined(out) == table()["pet"][kept].tolist()
    assert parquet.ParquetFile(out / "part-9.parquet").metadata.num_rows == 0  # its only row went


def test_a_pattern_of_text_is_relabelled_and_every_other_byte_stays(audited, tmp_path):
    files = written(tmp_path / "pets", table(), "csv")
    saved(audited, tmp_path, tmp_path / "pets" / "*.csv", files)
    out = tmp_path / "clean"
    result = run("clean", tmp_path / "pets.audit", "-o", out, "-a", "relabel", "--sure", 0.5)
    assert "3 relabelled." in result.output
    before = [line for file in files for line in file.read_text().splitlines()]
    after = [line for f in files for line in (out / f.name).read_text().splitlines()]
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert len(changed) == 3
    assert all(b in (a.replace("cat", "dog"), a.replace("dog", "cat")) for a, b in changed)


def test_folder_and_audit_may_move_together(here, tmp_path_factory):
    there = tmp_path_factory.mktemp("there")
    shutil.move(here / "pets", there)
    shutil.move(here / "pets.audit", there)
    result = run("clean", there / "pets.audit", "-o", there / "clean")
    assert result.exit_code == 0, result.output
    shutil.move(there / "pets", here / "elsewhere")
    result = run("clean", there / "pets.audit", "-o", there / "clean2")
    refused(result, "is not there any more; say where it is with --table", there / "clean2")
    given = ["--table", here / "elsewhere"]
    result = run("clean", there / "pets.audit", "-o", there / "clean2", *given)
    assert result.exit_code == 0, result.output


def test_an_audit_made_in_python_knows_its_files(here, audited):
    files = audited._about["tables"]
    audited._about["table"] = None
    audited.save(here / "pets.audit")
    result = run("clean", here / "pets.audit", "-o", here / "pets" / "clean")
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir(here / "pets" / "clean")) == sorted(map(os.path.basename, files))
    os.remove(files[2])
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    refused(result, "is not there any more; say where the table is with --table", here / "clean")


def rewrite(file, change):
    columns = parquet.read_table(file).to_pydict()
    change(columns)
    parquet.write_table(arrow.table(columns), file)


def test_a_label_that_changed_is_named_with_its_file(here):
    rewrite(here / "pets" / "part-10.parquet", lambda t: t["pet"].__setitem__(5, "wolf"))
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    refused(result, "part-10.parquet have changed since the audit: row 5", here / "clean")


def test_rows_that_came_or_went_are_noticed(here):
    last = here / "pets" / "part-12.parquet"
    whole = last.read_bytes()
    rewrite(last, lambda t: [column.pop() for column in t.values()])
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    refused(result, "pets has 119 rows, but 120 were audited", here / "clean")
    last.write_bytes(whole)
    rewrite(last, lambda t: [column.append(column[-1]) for column in t.values()])
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    refused(result, "pets has more rows than the 120 that were audited", here / "clean")


def test_files_that_came_or_went_are_named(here):
    shutil.copy(here / "pets" / "part-8.parquet", here / "pets" / "part-11a.parquet")
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    refused(result, "part-11a.parquet was not there when the others were audited", here / "clean")
    os.rename(here / "pets" / "part-11a.parquet", here / "other.parquet")
    os.remove(here / "pets" / "part-9.parquet")
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    refused(result, "part-9.parquet was audited and is not there any more", here / "clean")


def test_a_damaged_file_is_named(here):
    file = here / "pets" / "part-10.parquet"
    file.write_bytes(b"PAR1" + file.read_bytes()[:100])
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    refused(result, "part-10.parquet is not a parquet file", here / "clean")


def test_nothing_is_written_over_by_mistake(here):
    for out in (here / "pets", here / "pets" / "clean", here):
        result = run("clean", here / "pets.audit", "-o", out, "--force")
        assert result.exit_code == 2
        assert "is where the table is; choose a folder elsewhere" in " ".join(result.stderr.split())
    assert run("clean", here / "pets.audit", "-o", here / "clean").exit_code == 0
    result = run("clean", here / "pets.audit", "-o", here / "clean")
    assert "exists already; choose another name, or pass --force" in " ".join(result.stderr.split())
    assert run("clean", here / "pets.audit", "-o", here / "clean", "--force").exit_code == 0
    (here / "clean" / "thesis.txt").touch()
    result = run("clean", here / "pets.audit", "-o", here / "clean", "--force")
    assert "holds thesis.txt, which would be lost" in " ".join(result.stderr.split())
    assert (here / "clean" / "thesis.txt").exists()
    result = run("clean", here / "pets.audit", "-o", here / "no" / "clean")
    refused(result, "there is no folder", here / "clean2")


@pytest.mark.parametrize("action", ["drop", "relabel", "unlabel"])
@pytest.mark.parametrize("several", [True, False])
def test_rows_on_disk_are_cleaned_as_in_memory(tmp_path, monkeypatch, action, several):
    for module in ("_records", "_columnar"):
        monkeypatch.setattr(f"errata.tables.formats.{module}.COPIED_ROWS", 70)
    audit = stored_audit(tmp_path, judged_rows(special=False))
    columns = {"i": np.arange(600), "pet": audit.labels}
    files = written(tmp_path / "pets", columns, "parquet", [0, 250, 600] if several else [0, 600])
    saved(audit, tmp_path, tmp_path / "pets" if several else files[0], files)
    out = tmp_path / "clean" if several else tmp_path / "clean.parquet"
    result = run("clean", tmp_path / "pets.audit", "-o", out, "-a", action)
    assert result.exit_code == 0, result.output
    cleaned = audit.clean(action)
    found = {
        name: joined(out, name) if several else read_table(out)[name].to_pylist()
        for name in ("i", "pet")
    }
    assert found["i"] == np.flatnonzero(cleaned.kept).tolist()
    assert found["pet"] == cleaned.labels[cleaned.kept].tolist()
    changed = int((cleaned.did != "kept").sum())
    assert f"{changed} {cleaned.did[cleaned.did != 'kept'][0]}" in result.output


def test_rows_on_disk_without_a_label_may_get_one(tmp_path):
    audit = stored_audit(tmp_path)
    labels = [None if label is None else str(label) for label in audit.labels.tolist()]
    (file,) = written(tmp_path / "pets", {"i": np.arange(600), "pet": labels}, "parquet", [0, 600])
    saved(audit, tmp_path, file, [file])
    out = tmp_path / "clean.parquet"
    result = run("clean", tmp_path / "pets.audit", "-o", out, "-a", "relabel")
    cleaned = audit.clean("relabel")
    assert read_table(out)["pet"].to_pylist() == cleaned.labels.tolist()
    blank = [label is None for label in labels]
    filled = int((cleaned.did[blank] == "relabelled").sum())
    assert f"{sum(blank)} rows had no label; {filled} got the suggested class." in result.output
    assert set(PETS) >= set(filter(None, labels))


def test_a_copy_in_another_format_is_refused(tmp_path):
    audit = stored_audit(tmp_path, judged_rows(special=False))
    (file,) = written(tmp_path / "pets", {"pet": audit.labels}, "parquet", [0, 600])
    saved(audit, tmp_path, file, [file])
    result = run("clean", tmp_path / "pets.audit", "-o", tmp_path / "clean.csv")
    refused(result, "clean.csv is of another format than part-8.parquet", tmp_path / "clean.csv")


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_noise_is_planted_in_all_files_as_in_one(tmp_path, ending):
    files = written(tmp_path / "pets", table(), ending)
    write_table(tmp_path / "one.csv", table())
    wanted = ["-l", "pet", "-r", 0.2, "--seed", 3]
    result = run("noise", tmp_path / "pets", *wanted, "-o", tmp_path / "noisy")
    assert result.exit_code == 0, result.output
    assert "Changed 24 of 120 labels (20%)." in result.output
    run("noise", tmp_path / "one.csv", *wanted, "-o", tmp_path / "noisy-one.csv")
    expected = read_table(tmp_path / "noisy-one.csv")["pet"].to_pylist()
    truth = read_table(tmp_path / "noisy.truth.csv")
    assert truth.equals(read_table(tmp_path / "noisy-one.truth.csv"))
    found = []
    for file, (start, stop) in zip(files, pairwise(CUTS), strict=True):
        if stop > start:
            copy, original = read_table(tmp_path / "noisy" / file.name), read_table(file)
            assert copy.drop_columns(["pet"]).equals(original.drop_columns(["pet"]))
            found += copy["pet"].to_pylist()
    assert found == expected


def test_noise_takes_a_pattern_and_looks_at_the_columns_of_all_files(tmp_path):
    written(tmp_path / "pets", table(), "csv")
    pattern = tmp_path / "pets" / "part-*.csv"
    wanted = ["-l", "pet", "-r", 0.1, "-k", "boundary", "-o", tmp_path / "noisy"]
    result = run("noise", pattern, *wanted)
    assert result.exit_code == 0, result.output
    assert len(os.listdir(tmp_path / "noisy")) == 5


def test_a_cell_that_stays_is_not_rewritten_for_another_file(tmp_path):
    (tmp_path / "pets").mkdir()
    (tmp_path / "pets" / "a.jsonl").write_text('{"x": 1, "pet": 1}\n{"x": 2, "pet": 2}\n')
    (tmp_path / "pets" / "b.jsonl").write_text('{"x": 1, "pet": 1.0}\n{"x": 2, "pet": 2.0}\n')
    result = run("noise", tmp_path / "pets", "-l", "pet", "-r", 0, "-o", tmp_path / "noisy")
    assert result.exit_code == 0, result.output
    for name in ("a.jsonl", "b.jsonl"):
        copy = tmp_path / "noisy" / name
        assert copy.read_bytes() == (tmp_path / "pets" / name).read_bytes()


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("none-*.csv", "no file matches"),
        ("nowhere", "nowhere does not exist"),
        ("empty", "holds no table"),
        ("mixed", "holds files of several formats"),
        ("unlike", "has no column 'pet'"),
    ],
)
def test_what_is_no_table_gets_a_sentence(tmp_path, named, sentence):
    for name in ("empty", "mixed", "unlike"):
        (tmp_path / name).mkdir()
    for name in ("mixed/a.csv", "mixed/b.tsv", "unlike/a.csv"):
        write_table(tmp_path / name, {"x": [1, 2], "pet": ["a", "b"]})
    write_table(tmp_path / "unlike/b.csv", {"x": [1, 2]})
    result = run("noise", tmp_path / named, "-l", "pet", "-r", 0.1, "-o", tmp_path / "noisy")
    refused(result, sentence, tmp_path / "noisy")
    assert not (tmp_path / "noisy.truth.csv").exists()


def test_the_truth_is_no_part_of_the_table(tmp_path):
    written(tmp_path / "pets", table(), "csv")
    wanted = ["-l", "pet", "-r", 0.1, "-o", tmp_path / "noisy"]
    for folder in ("pets", "noisy"):
        result = run("noise", tmp_path / "pets", *wanted, "--truth", tmp_path / folder / "t.csv")
        refused(result, "among the tables; put it elsewhere", tmp_path / "noisy")
