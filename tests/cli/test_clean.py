import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from decision_cases import said
from errata.review import Decisions, as_text, read_audited
from errata.tables import read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

WRONG = [3, 40]


def run(*arguments):
    return invoke("clean", *arguments)


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """A table written by hand, with quotes and odd numbers, and its audit."""
    folder = tmp_path_factory.mktemp("audited")
    random = np.random.default_rng(0)
    lines = ['weight;"ears";pet;note']
    for i in range(60):
        dog = (i % 2 == 1) != (i in WRONG)
        weight = 4 + 20 * (i % 2) + random.normal()
        ears = 5 + 5 * (i % 2) + random.normal()
        pet = "dog" if dog else '"cat"'
        lines.append(f'{weight:.3f}0;+{ears:.2f};{pet};"a ""b"""')
    (folder / "pets.csv").write_bytes(("\r\n".join(lines) + "\r\n").encode())
    done = invoke("audit", folder / "pets.csv", "-l", "pet", "--no-self-check")
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def here(audited, tmp_path):
    """A copy of table and audit; the original table is elsewhere, so the one beside is not used."""
    shutil.copytree(audited, tmp_path, dirs_exist_ok=True)
    return tmp_path


def lines_of(path):
    return path.read_bytes().splitlines(keepends=True)


def refused(result, sentence, out):
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.stderr.split())
    assert len(result.stderr.strip().splitlines()) == 1
    assert not out.exists()


def test_drop_leaves_out_the_wrong_and_keeps_every_byte_of_the_others(here):
    result = run(here / "pets.audit", "-o", here / "clean.csv")
    assert result.exit_code == 0, result.output
    assert "2 labels are wrong with a probability above 0.5: 2 dropped." in result.output
    assert f"Wrote {here / 'clean.csv'} with 58 of 60 rows." in " ".join(result.output.split())
    before = lines_of(here / "pets.csv")
    kept = [line for place, line in enumerate(before) if place - 1 not in WRONG]
    assert lines_of(here / "clean.csv") == kept


def test_relabel_changes_the_cell_and_nothing_else(here):
    arguments = ["--action", "relabel", "--sure", 0.5]
    result = run(here / "pets.audit", "-o", here / "clean.csv", *arguments)
    assert "2 labels are wrong with a probability above 0.5: 2 relabelled." in result.output
    before, after = lines_of(here / "pets.csv"), lines_of(here / "clean.csv")
    changed = [place - 1 for place, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert changed == WRONG
    assert after[4] == before[4].replace(b'"cat"', b'"dog"')
    assert after[41] == before[41].replace(b"dog", b"cat")


def test_relabel_keeps_or_drops_what_is_not_sure(here):
    arguments = ["--action", "relabel", "--sure", 1]
    result = run(here / "pets.audit", "-o", here / "kept.csv", *arguments)
    said = " ".join(result.output.split())
    assert "2 kept, as no class is more probable than 1 (a lower --sure relabels more)" in said
    assert "relabels more); nothing changed." in said
    assert (here / "kept.csv").read_bytes() == (here / "pets.csv").read_bytes()
    result = run(here / "pets.audit", "-o", here / "dropped.csv", *arguments, "--unsure", "drop")
    assert "2 labels are wrong with a probability above 0.5: 2 dropped." in result.output


def test_relabelling_to_the_same_label_is_not_counted(here):
    arguments = ["--action", "relabel", "--threshold", 0, "--sure", 0.5]
    result = run(here / "pets.audit", "-o", here / "clean.csv", *arguments)
    assert "60 labels are wrong with a probability above 0: 2 relabelled, 58 kept" in result.output


def test_unlabel_empties_the_cell(here):
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--action", "unlabel")
    assert "2 labels are wrong with a probability above 0.5: 2 unlabelled." in result.output
    pet = read_table(here / "clean.csv", ["pet"])["pet"].to_pylist()
    assert [row for row, cell in enumerate(pet) if cell == ""] == WRONG


def test_no_class_loses_more_than_half(here):
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--threshold", 0)
    assert "above 0: 30 dropped, 30 kept, as no class loses more than half." in result.output
    assert read_table(here / "clean.csv").num_rows == 30


def test_what_is_not_sure_may_stay_because_of_its_class(here):
    arguments = ["--action", "relabel", "--sure", 1, "--unsure", "drop", "--threshold", 0]
    result = run(here / "pets.audit", "-o", here / "clean.csv", *arguments)
    assert "30 dropped, 30 kept, as no class loses more than half." in result.output


def test_an_audit_without_skill_says_of_no_label_that_it_is_wrong(here):
    audit = errata.Audit.load(here / "pets.audit")
    audit.has_skill = False
    audit.save(here / "pets.audit")
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--threshold", 0)
    assert "the columns do not tell the labels apart" in result.output
    assert "so nobody knows which are wrong; nothing changed.\n" in result.output
    assert "probability" not in result.output
    assert (here / "clean.csv").read_bytes() == (here / "pets.csv").read_bytes()


def test_nothing_to_do_is_said(here):
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--threshold", 1)
    assert (
        "No label is wrong with a probability above 1 (the highest is 0.99); nothing changed. A "
        "lower --threshold or decisions in a review would change some.\n"
    ) in result.output
    assert (here / "clean.csv").read_bytes() == (here / "pets.csv").read_bytes()


@pytest.fixture(scope="module", params=["pets.parquet", "pets.jsonl", "pets.tsv.gz"])
def numbered(request, audited, tmp_path_factory):
    """A table of another format, its labels numbers, with an audit beside it."""
    table = tmp_path_factory.mktemp("numbered") / request.param
    columns = read_table(audited / "pets.csv").to_pydict()
    columns["pet"] = [int(pet == "dog") for pet in columns["pet"]]
    write_table(table, columns)
    assert invoke("audit", table, "-l", "pet", "--no-self-check").exit_code == 0
    return table


@pytest.mark.parametrize("action", ["drop", "relabel", "unlabel"])
def test_formats_are_kept(numbered, tmp_path, action):
    out = tmp_path / numbered.name
    arguments = ["-o", out, "--action", action, "--sure", 0.5]
    assert run(numbered.with_name("pets.audit"), *arguments).exit_code == 0
    before, after = read_table(numbered), read_table(out)
    assert after.column_names == before.column_names
    assert len(after["pet"]) == (58 if action == "drop" else 60)
    if action == "relabel":
        assert after["pet"].type == before["pet"].type
        pairs = zip(before["pet"].to_pylist(), after["pet"].to_pylist(), strict=True)
        assert [row for row, (old, new) in enumerate(pairs) if old != new] == WRONG
    if action == "unlabel":
        assert [p in (None, "") for p in after["pet"].to_pylist()].count(True) == 2


def test_table_and_audit_may_move_together(audited, tmp_path, monkeypatch):
    first = tmp_path / "first"
    shutil.copytree(audited, first)
    invoke("audit", first / "pets.csv", "-l", "pet", "--no-self-check", "--force")
    first.rename(tmp_path / "second")
    monkeypatch.chdir(tmp_path / "second")
    assert run("pets.audit", "-o", "clean.csv").exit_code == 0
    (tmp_path / "second" / "pets.csv").rename(tmp_path / "elsewhere.csv")
    result = run("pets.audit", "-o", "again.csv")
    refused(result, "is not there any more; say where it is with --table", tmp_path / "again.csv")
    assert run("pets.audit", "-o", "again.csv", "--table", "../elsewhere.csv").exit_code == 0


@pytest.mark.parametrize("action", ["drop", "relabel"])
def test_a_table_that_was_sorted_since_loses_the_same_rows(here, action):
    header, *lines = lines_of(here / "pets.csv")
    arguments = [here / "pets.audit", "--table", here / "pets.csv", "-a", action, "--sure", 0.5]
    assert run(*arguments, "-o", here / "before.csv").exit_code == 0
    (here / "pets.csv").write_bytes(header + b"".join(sorted(lines)))
    result = run(*arguments, "-o", here / "after.csv")
    assert result.exit_code == 0, result.output
    assert "were in another order when they were audited; each was found." in result.output
    before, after = lines_of(here / "before.csv"), lines_of(here / "after.csv")
    if action == "drop":
        assert after == [header, *sorted(before[1:])]
    else:
        assert sorted(after) == sorted(before)
        weights = [line.partition(b";")[0] for line in after[1:]]
        assert weights == [line.partition(b";")[0] for line in sorted(lines)]


def test_a_command_loads_what_it_needs(here):
    arguments = ["clean", "pets.audit", "-o", "clean.csv"]
    command = [sys.executable, "-m", "errata.cli", *arguments]
    subprocess.run(command, check=True, cwd=here, capture_output=True)
    assert (here / "clean.csv").exists()


def test_sorting_within_a_label_is_noticed(here):
    header, *lines = lines_of(here / "pets.csv")
    lines[0], lines[2] = lines[2], lines[0]  # two cats: the labels are as they were
    (here / "pets.csv").write_bytes(header + b"".join(lines))
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--table", here / "pets.csv")
    assert "were in another order" in result.output
    kept = [line for row, line in enumerate(lines) if row not in WRONG]
    assert lines_of(here / "clean.csv") == [header, *kept]


def test_columns_that_were_added_or_moved_do_not_matter(here):
    columns = read_table(here / "pets.csv").to_pydict()
    moved = {"reviewed": ["no"] * 60} | dict(reversed(columns.items()))
    write_table(here / "more.tsv.gz", moved)
    arguments = ["--table", here / "more.tsv.gz", "-o", here / "clean.tsv.gz"]
    assert run(here / "pets.audit", *arguments).exit_code == 0
    clean = read_table(here / "clean.tsv.gz").to_pydict()
    assert clean == {k: [c for i, c in enumerate(v) if i not in WRONG] for k, v in moved.items()}


def test_rows_that_are_equal_go_and_stay_together(audited, tmp_path):
    header, *lines = lines_of(audited / "pets.csv")
    (tmp_path / "pets.csv").write_bytes(header + b"".join(2 * lines))
    invoke("audit", tmp_path / "pets.csv", "-l", "pet", "--no-self-check")
    (tmp_path / "pets.csv").write_bytes(header + b"".join(sorted(2 * lines)))
    assert run(tmp_path / "pets.audit", "-o", tmp_path / "clean.csv").exit_code == 0
    kept = [line for row, line in enumerate(lines) if row not in WRONG]
    assert lines_of(tmp_path / "clean.csv") == [header, *sorted(2 * kept)]


def edited(row, old, new):
    def change(lines):
        assert old in lines[row + 1]
        return [*lines[: row + 1], lines[row + 1].replace(old, new), *lines[row + 2 :]]

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: lines[:-1], "has 59 rows, but 60 were audited; audit it again"),
        (
            edited(59, b"dog", b"emu"),
            "have changed since the audit: row 59 (counted from 0) says 'emu' and said 'dog'",
        ),
        (lambda lines: [lines[0].replace(b"pet", b"animal"), *lines[1:]], "has no column 'pet'"),
        (lambda lines: [lines[0].replace(b"note", b"n"), *lines[1:]], "has no column 'note'"),
        (edited(7, b'b"', b'c"'), "1 row of"),
        (edited(7, b'b"', b'c"'), "is not as audited (the first is row 7, counted from 0)"),
        (
            lambda lines: [lines[0], *edited(7, b'b"', b'c"')(lines)[:0:-1]],
            "is not as audited (the first is row 52, counted from 0); audit it again.",
        ),
        (
            lambda lines: [lines[0], *[line.replace(b'b"', b'c"') for line in lines[1:]]],
            "no row of",
        ),
        (lambda lines: [*lines[:-1], lines[2]], "is not as audited (the first is row 59"),
    ],
)
def test_a_table_that_changed_is_refused(here, change, sentence):
    (here / "pets.csv").write_bytes(b"".join(change(lines_of(here / "pets.csv"))))
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--table", here / "pets.csv")
    refused(result, sentence, here / "clean.csv")


def test_labels_of_another_type_are_refused(here):
    columns = read_table(here / "pets.csv").to_pydict()
    columns["pet"] = [int(pet == "dog") for pet in columns["pet"]]
    write_table(here / "numbers.csv", columns)
    invoke("audit", here / "numbers.csv", "-l", "pet", "--no-self-check")
    write_table(here / "numbers.jsonl", columns)  # 1 where the audit has read "1"
    arguments = ["--table", here / "numbers.jsonl", "-o", here / "clean.jsonl"]
    result = run(here / "numbers.audit", *arguments)
    refused(result, "row 0 (counted from 0) says 0 and said '0'", here / "clean.jsonl")


def test_nothing_is_overwritten_unless_forced(here):
    (here / "clean.csv").write_text("mine")
    result = run(here / "pets.audit", "-o", here / "clean.csv")
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert (here / "clean.csv").read_text() == "mine"
    assert run(here / "pets.audit", "-o", here / "clean.csv", "--force").exit_code == 0


def test_a_folder_is_no_name_for_the_cleaned_table(here):
    result = run(here / "pets.audit", "-o", here, "--force")
    assert result.exit_code == 2
    assert f"{here} is a folder; give the name of a file in it" in " ".join(result.stderr.split())


def test_the_audited_table_itself_is_never_overwritten(here):
    table = here / "pets.csv"
    before = table.read_bytes()
    result = run(here / "pets.audit", "-o", table, "--table", table, "--force")
    assert result.exit_code == 2
    assert "is the audited table itself" in result.stderr
    assert table.read_bytes() == before


def test_what_is_not_an_audit_is_refused(here):
    result = run(here, "-o", here / "clean.csv")
    refused(result, "is not an audit", here / "clean.csv")


def test_another_format_is_refused(here):
    result = run(here / "pets.audit", "-o", here / "clean.parquet")
    refused(result, "of another format", here / "clean.parquet")


def test_an_audit_made_in_python_needs_to_know_the_table(here):
    columns = read_table(here / "pets.csv")
    errata.audit(columns, "pet", self_check=False, random_state=0).save(here / "python")
    result = run(here / "python", "-o", here / "clean.csv")
    refused(result, "does not say what it is an audit of", here / "clean.csv")
    table = ["--table", here / "pets.csv"]
    result = run(here / "python", "-o", here / "clean.csv", *table)
    assert result.exit_code == 0
    assert "as it was made in Python; their labels are the same" in result.stderr
    table_of_features, labels = columns.drop_columns(["pet"]), columns["pet"]
    errata.audit(table_of_features, labels, self_check=False, random_state=0).save(here / "array")
    result = run(here / "array", "-o", here / "other.csv", *table)
    refused(result, "labels that are not a column of a table", here / "other.csv")


def test_a_run_that_fails_leaves_no_temporary_files(here):
    before = sorted(os.listdir(here))
    run(here / "pets.audit", "-o", here / "clean.parquet")
    run(here / "pets.audit", "-o", here / "no" / "where.csv")
    assert sorted(os.listdir(here)) == before


def decided(here, kind, row, reviewer="ann", class_text=None):
    """Somebody decides on a row of the audit."""
    rows = read_audited(here / "pets.audit")
    label, suggested = as_text(rows.labels[row]), as_text(rows.suggested[row])
    given = {"label": label, "suggestion": suggested, "other": class_text}.get(kind)
    seen = {"row_key": rows.keys[row], "label": label, "suggested": suggested, "class_text": given}
    with Decisions(here / "pets.decisions") as decisions:
        decisions.record(said(kind, row, reviewer, **seen))


def test_a_review_in_which_nobody_decided_goes_without_saying(here):
    with Decisions(here / "pets.decisions"):
        pass
    result = run(here / "pets.audit", "-o", here / "clean.csv")
    assert result.exit_code == 0
    assert "People" not in result.output


def test_what_people_decided_comes_first(here):
    decided(here, "label", 3)  # flagged, and they keep it
    decided(here, "other", 6, class_text='"dog"')
    decided(here, "unusable", 7)
    decided(here, "ambiguous", 8)
    result = run(here / "pets.audit", "-o", here / "clean.csv")
    assert "People decided 4 rows: 1 relabelled, 1 kept, 1 dropped, 1 ambiguous and kept." in (
        result.output
    )
    # The other suspect still goes, though one of two was right.
    assert "1 label is wrong with a probability above 0.5: 1 dropped." in result.output
    before, after = lines_of(here / "pets.csv"), lines_of(here / "clean.csv")
    before[7] = before[7].replace(b'"cat"', b'"dog"')
    assert after == [line for place, line in enumerate(before) if place not in (8, 41)]


def test_decisions_alone_or_not_at_all(here):
    decided(here, "unusable", 7)
    result = run(here / "pets.audit", "-o", here / "only.csv", "--decisions", "only")
    assert "People decided 1 row: 1 dropped.\nWrote" in result.output
    assert read_table(here / "only.csv").num_rows == 59
    result = run(here / "pets.audit", "-o", here / "none.csv", "--decisions", "ignore")
    assert "People" not in result.output
    assert read_table(here / "none.csv").num_rows == 58


def test_ambiguous_rows_go_when_asked_to(here):
    decided(here, "ambiguous", 8)
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--ambiguous", "drop")
    assert "People decided 1 row: 1 dropped." in result.output
    assert read_table(here / "clean.csv").num_rows == 57


def test_disputed_rows_are_left_to_the_action(here):
    decided(here, "label", 3)
    decided(here, "suggestion", 3, "bob")
    result = run(here / "pets.audit", "-o", here / "clean.csv")
    assert "People decided 0 rows: 1 more disputed, as if undecided." in result.output
    assert read_table(here / "clean.csv").num_rows == 58


def test_decisions_that_are_not_there_cannot_be_all(here):
    result = run(here / "pets.audit", "-o", here / "clean.csv", "--decisions", "only")
    refused(result, "nobody has decided anything yet", here / "clean.csv")


def test_decisions_help_where_the_columns_tell_nothing(here):
    audit = errata.Audit.load(here / "pets.audit")
    audit.has_skill = False
    audit.save(here / "pets.audit")
    decided(here, "unusable", 7)
    result = run(here / "pets.audit", "-o", here / "clean.csv")
    assert "People decided 1 row: 1 dropped." in result.output
    assert "so nobody knows which are wrong.\n" in result.output
    assert read_table(here / "clean.csv").num_rows == 59


def pets_of(path):
    return [line.split(b";")[2].strip(b'"') for line in lines_of(path)[1:]]


def test_what_unlabel_wrote_can_be_audited_and_filled_in(here):
    blank, full = here / "blank.csv", here / "full.csv"
    assert run(here / "pets.audit", "-o", blank, "--action", "unlabel").exit_code == 0
    assert pets_of(blank).count(b"") == 2
    audited = invoke("audit", blank, "-l", "pet", "--no-self-check")
    assert audited.exit_code == 0, audited.output
    assert "2 rows have no label" in " ".join(audited.output.split())
    result = run(here / "blank.audit", "-o", full, "--action", "relabel")
    assert "2 rows had no label; 2 got the suggested class." in result.output
    assert "No label is wrong with a probability above 0.5.\n" in result.output
    assert pets_of(full) == [b"dog" if i % 2 else b"cat" for i in range(60)]
    result = run(here / "blank.audit", "-o", here / "same.csv")
    assert "(the highest is <0.01); nothing changed. A lower --threshold" in result.output
    assert "would change some.\n2 rows had no label; none got" in result.output
    assert (here / "same.csv").read_bytes() == blank.read_bytes()


def test_the_word_for_a_missing_label_stays(here):
    words = (here / "pets.csv").read_bytes().replace(b";dog;", b"; n/a;", 2)
    (here / "gaps.csv").write_bytes(words)
    assert invoke("audit", here / "gaps.csv", "-l", "pet", "--no-self-check").exit_code == 0
    assert run(here / "gaps.audit", "-o", here / "out.csv", "--action", "unlabel").exit_code == 0
    assert pets_of(here / "out.csv").count(b" n/a") == 2


def test_numbers_with_gaps_are_filled_in_as_whole_numbers(tmp_path):
    dog = np.arange(60) % 2
    weight = 4 + 20 * dog + np.random.default_rng(0).normal(size=60)
    labels = [None if i in (7, 8) else int(code) for i, code in enumerate(dog)]
    table = {"weight": weight, "ears": weight**2, "pet": labels}
    errata.tables.write_table(tmp_path / "pets.parquet", table)
    for step in (
        ("audit", tmp_path / "pets.parquet", "-l", "pet", "--no-self-check"),
        ("clean", tmp_path / "pets.audit", "-o", tmp_path / "full.parquet", "-a", "relabel"),
        ("clean", tmp_path / "pets.audit", "-o", tmp_path / "same.parquet"),
    ):
        done = invoke(*step)
        assert done.exit_code == 0, done.output
    full, same = (
        errata.tables.read_table(tmp_path / f"{name}.parquet")["pet"] for name in ("full", "same")
    )
    assert full.to_pylist() == dog.tolist()
    assert same.to_pylist() == labels


@pytest.fixture(scope="module", params=["csv", "parquet", "jsonl"])
def again(request, tmp_path_factory):
    """Decisions about a table of whole numbers, and an audit that was made with them."""
    here = tmp_path_factory.mktemp("again")
    dog = np.arange(60) % 2
    weight = 4 + 20 * dog + np.random.default_rng(0).normal(size=60)
    pets = np.where(np.isin(np.arange(60), WRONG), 1 - dog, dog)
    name = here / f"pets.{request.param}"
    errata.tables.write_table(name, {"weight": weight, "ears": weight**2, "pet": pets})
    audit = ("audit", name, "-l", "pet", "--no-self-check")
    assert invoke(*audit).exit_code == 0
    decided(here, "suggestion", WRONG[0])
    decided(here, "unusable", 8)
    second = ["--decisions", here / "pets.decisions", "-o", here / "pets.2.audit"]
    done = invoke(*audit, *second)
    assert done.exit_code == 0, done.output
    return name


def test_an_audit_made_with_decisions_is_cleaned_with_them(again, tmp_path):
    out = tmp_path / again.name
    result = run(again.parent / "pets.2.audit", "-o", out, "-a", "relabel")
    assert "People decided 2 rows: 1 relabelled, 1 dropped.\n" in result.output
    before, after = (read_table(path)["pet"].to_pylist() for path in (again, out))
    before[WRONG[0]], before[WRONG[1]] = (type(before[0])(row % 2) for row in WRONG)
    assert after == before[:8] + before[9:]
    assert {type(cell) for cell in after} == {type(before[0])}


def test_decisions_that_an_audit_was_made_with_may_be_ignored(again, tmp_path):
    out = tmp_path / again.name
    arguments = ["-o", out, "--decisions", "ignore", "--threshold", 1]
    assert "; nothing changed." in run(again.parent / "pets.2.audit", *arguments).output
    assert read_table(out).equals(read_table(again))


def test_decisions_that_an_audit_was_made_with_are_missed(again, tmp_path):
    here, out = again.parent, tmp_path / again.name
    (here / "pets.decisions").rename(here / "gone.decisions")
    refused(
        run(here / "pets.2.audit", "-o", out), "which is not there any more; put it beside", out
    )
    (here / "gone.decisions").rename(here / "pets.decisions")
    shutil.copy(here / "pets.decisions", here / "pets.2.decisions")
    assert "--merge" not in run(here / "pets.2.audit", "-o", out).output
    (here / "pets.2.decisions").unlink()
    Decisions(here / "pets.2.decisions").close()
    result = run(here / "pets.2.audit", "-o", out, "--force")
    (here / "pets.2.decisions").unlink()  # other tests use the folder, too
    assert f"pets.2.audit --merge {here / 'pets.decisions'}" in result.output


def test_weights_are_a_column_more(here):
    result = run(here / "pets.audit", "-o", here / "weighted.csv", "--action", "weight")
    assert result.exit_code == 0, result.output
    assert result.output.startswith(
        "The column sample_weight says how probably each row is right.\n"
    )
    before = (here / "pets.csv").read_bytes().splitlines()
    after = (here / "weighted.csv").read_bytes().splitlines()
    assert [line.rpartition(b";")[0] for line in after] == before
    weights = np.array([line.rpartition(b";")[2] for line in after[1:]], dtype=float)
    p_wrong = errata.Audit.load(here / "pets.audit").p_wrong
    np.testing.assert_allclose(weights, 1 - p_wrong, rtol=0, atol=1e-4)
    again = run(here / "pets.audit", "-o", here / "twice.csv", "--action", "weight", "--table",
                here / "weighted.csv")  # fmt: skip
    sentence = f"Error: {here / 'weighted.csv'} has a column 'sample_weight' already; rename it."
    assert again.stderr.startswith(sentence)
