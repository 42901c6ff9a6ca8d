import csv
import json
import shutil

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from decision_cases import said
from errata.review import Decisions, as_text
from errata.tables import write_table
from kind_cases import WRONG_PRICES, homes

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


def written(folder, name="homes.csv", **changes):
    write_table(folder / name, homes() | changes)
    return folder / name


def run(*arguments, command="audit"):
    return invoke(command, *arguments)


def words(result):
    return " ".join(result.output.split())


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("homes")
    table = written(folder)
    options = ("--target", "price", "--id", "home", "--group", "street", "--drop", "age")
    result = run(table, *options, "--by", "street", "--seed", "1")
    assert result.exit_code == 0, result.output
    return folder, result


def test_the_terminal_tells_what_was_found(audited):
    said = words(audited[1])
    assert "of 120 values of price" in said
    assert "3 look like a factor of ten. The " in said
    assert "values we exchanged for those of other rows" in said
    assert "flagged row" in said
    assert "By street, the" in said
    assert "errata review" in said


def test_a_column_that_copies_the_target_is_left_out_unless_trusted(tmp_path):
    price = homes()["price"]
    table = written(tmp_path, cents=(100 * price).round())
    left = run(table, "--target", "price", "-o", tmp_path / "left", "--no-self-check")
    assert "trust=['cents']" in words(left)
    options = ("-o", tmp_path / "kept", "--trust", "cents", "--no-self-check")
    kept = run(table, "--target", "price", *options)
    assert kept.exit_code == 0, kept.output
    assert "cents" not in words(kept)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--trust", "price"], "column 'price' holds the targets; leave it out of --trust"),
        (["--trust", "siz"], "has no column 'siz'; did you mean 'size'?"),
        (["--trust", "age", "--drop", "age"], "column 'age' is in --trust and in --drop"),
    ],
)
def test_only_another_column_that_is_there_can_be_trusted(tmp_path, options, told):
    result = run(written(tmp_path), "--target", "price", *options)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_the_folder_holds_the_ranked_rows_and_the_report(audited):
    folder = audited[0] / "homes.audit"
    with (folder / "ranked.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    listed = "row id target suggested low high p_wrong hint flagged"
    assert list(rows[0]) == listed.split()
    assert sorted(int(row["row"]) for row in rows[:3]) == WRONG_PRICES
    assert {row["hint"] for row in rows[:3]} == {"x10"}
    assert rows[0]["id"] == f"h{rows[0]['row']}"
    assert len(rows[0]["low"].partition(".")[2]) <= 2
    assert "values of price" in (folder / "report.html").read_text(encoding="utf-8")
    numbers = json.loads((folder / "audit.json").read_text())
    assert (numbers["kind"], numbers["about"]["target"]) == ("numbers", "price")
    again = errata.TargetAudit.load(folder)
    assert again._digests is not None
    assert again._about["features"] == 1


@pytest.mark.parametrize("action", ["drop", "replace", "unlabel"])
def test_cleaning_touches_the_wrong_numbers_and_no_other_byte(audited, action, tmp_path):
    folder, out = audited[0], tmp_path / "clean.csv"
    result = run(folder / "homes.audit", "-o", out, "--action", action, command="clean")
    assert result.exit_code == 0, result.output
    before = (folder / "homes.csv").read_text().splitlines()
    after = out.read_text().splitlines()
    audit = errata.TargetAudit.load(folder / "homes.audit")
    wrong = np.flatnonzero(audit.p_wrong > 0.5)
    assert set(WRONG_PRICES) <= set(wrong)
    if action == "drop":
        assert after == [line for row, line in enumerate(before) if row - 1 not in wrong]
        return
    both = zip(before[1:], after[1:], strict=True)
    assert [row for row, (a, b) in enumerate(both) if a != b] == wrong.tolist()
    cell = after[WRONG_PRICES[0] + 1].rpartition(",")[2]
    expected = f"{homes()['price'][WRONG_PRICES[0]] / 10:.1f}" if action == "replace" else ""
    assert float(cell or "nan") == pytest.approx(float(expected or "nan"), abs=0.11, nan_ok=True)


def test_a_table_that_was_sorted_is_cleaned_row_by_row(audited, tmp_path):
    table = tmp_path / "homes.csv"
    head, *rows = (audited[0] / "homes.csv").read_text().splitlines()
    table.write_text("\n".join([head, *sorted(rows)]) + "\n")
    out = tmp_path / "clean.csv"
    result = run(audited[0] / "homes.audit", "-o", out, "--table", table, command="clean")
    assert "were in another order" in words(result)
    assert not any(f",h{row}," in out.read_text() for row in WRONG_PRICES)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--action", "relabel"], "relabel is for classes; wrong numbers are changed by replace"),
        (["--sure", "0.9"], "--sure is for audits of classes"),
        (["--decisions", "only"], "nobody has decided anything yet"),
    ],
)
def test_what_is_for_classes_is_refused_of_numbers(audited, options, sentence, tmp_path):
    out = tmp_path / "clean.csv"
    result = run(audited[0] / "homes.audit", "-o", out, *options, command="clean")
    assert result.exit_code == 2
    assert sentence in words(result)
    assert not out.exists()


def test_a_row_that_changed_is_told(audited, tmp_path):
    table = tmp_path / "homes.csv"
    table.write_text((audited[0] / "homes.csv").read_text().replace("h9,", "h9x,"))
    out = tmp_path / "clean.csv"
    result = run(audited[0] / "homes.audit", "-o", out, "--table", table, command="clean")
    assert result.exit_code == 2
    assert "1 row of" in words(result)
    assert "not as audited (the first is row 9" in words(result)


def test_an_audit_made_in_python_is_cleaned_by_place(tmp_path):
    table = written(tmp_path)
    X, y = np.column_stack([homes()["size"], homes()["age"]]), homes()["price"]
    row = np.arange(len(y))
    told = np.where(np.isin(row, WRONG_PRICES), y / 10, y + 0.5 * np.cos(row))
    found = errata.audit_targets(
        {"size": X[:, 0], "price": y}, "price", estimators=[], predictions=told, self_check=False
    )
    found.save(tmp_path / "homes.audit")
    out = tmp_path / "clean.csv"
    asked = (tmp_path / "homes.audit", "-o", out, "--table", table)
    result = run(*asked, command="clean")
    assert result.exit_code == 0, result.output
    assert "it was made in Python" in words(result)
    other = written(tmp_path, "other.csv", price=homes()["price"] + 1)
    result = run(*asked[:-1], other, "--force", command="clean")
    assert "not as audited" in words(result)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--label", "street"], "--label does not go with --target"),
        (["--pixels", "2x2"], "--pixels does not go with --target"),
        (["--drop", "price"], "column 'price' holds the targets; leave it out of --drop"),
        (["--drop", "prize"], "no column 'prize'"),
        (["--memory", "1GB"], "an audit of numeric targets needs its table in memory"),
        (
            ["--drop", "size", "--drop", "age", "--drop", "street", "--drop", "home"],
            "no column of",
        ),
    ],
)
def test_what_cannot_be_audited_is_refused_and_nothing_is_written(options, sentence, tmp_path):
    result = run(written(tmp_path), "--target", "price", *options)
    assert result.exit_code == 2, result.output
    assert sentence in words(result)
    assert [path.name for path in tmp_path.iterdir()] == ["homes.csv"]


def test_a_target_that_is_words_is_refused(tmp_path):
    result = run(written(tmp_path), "--target", "street")
    assert result.exit_code == 2
    assert "column 'street' holds values that are not numbers (s0, s1" in words(result)


def test_without_skill_nothing_is_flagged_and_a_pipeline_fails(tmp_path):
    noise = np.random.default_rng(0).normal(size=(2, 120)).round(3)
    table = tmp_path / "noise.csv"
    write_table(table, {"a": noise[0], "y": noise[1]})
    result = run(table, "--target", "y", "--no-self-check", "--fail-above", "0.1")
    assert result.exit_code == 1
    said = words(result)
    assert "These columns do not predict the target" in said
    assert "What may help: other columns or more rows." in said
    assert "of the values of y are wrong cannot be judged" in said


@pytest.fixture
def decided(audited, tmp_path):
    """A copy of the audit, three rows of which people decided."""
    folder = tmp_path / "homes.audit"
    shutil.copytree(audited[0] / "homes.audit", folder)
    audit = errata.TargetAudit.load(folder)
    with Decisions(tmp_path / "homes.decisions") as decisions:
        for row, kind, given in ((5, "other", 401.25), (40, "label", None), (8, "unusable", None)):
            recorded = as_text(audit.targets[row])
            text = None if kind == "unusable" else recorded if given is None else as_text(given)
            seen = {"row_key": audit._keys[row], "class_text": text, "label": recorded}
            decisions.record(said(kind, row, **seen))
    return folder


def prices(path):
    with path.open(newline="") as file:
        return {row["home"]: row["price"] for row in csv.DictReader(file)}


def test_what_people_decided_comes_first(decided, audited):
    out, before = decided.with_name("clean.csv"), prices(audited[0] / "homes.csv")
    result = run(decided, "-o", out, "--action", "replace", command="clean")
    assert result.exit_code == 0, result.output
    assert "People decided 3 rows: 1 replaced, 1 kept, 1 dropped." in words(result)
    after = prices(out)
    assert after["h5"] == "401.25"
    assert after["h40"] == before["h40"]  # ten times too large, but kept
    assert "h8" not in after
    assert float(after["h77"]) < float(before["h77"]) / 5
    only = run(decided, "-o", out, "--decisions", "only", "--force", command="clean")
    assert only.exit_code == 0, only.output
    assert prices(out)["h77"] == before["h77"]


def test_decisions_are_told_and_put_into_the_report(decided):
    result = run(decided, "--update", "--export", decided.with_name("d.csv"), command="decisions")
    assert result.exit_code == 0, result.output
    assert "2 rows decided: 1 number wrong, 1 right; 1 unusable." in words(result)
    assert "1 number wrong" in (decided / "report.html").read_text(encoding="utf-8")


def test_a_second_audit_takes_decisions(decided, audited):
    again, table = decided.with_name("homes.2.audit"), audited[0] / "homes.csv"
    file = decided.with_name("homes.decisions")
    options = ("--target", "price", "--id", "home", "--no-self-check", "--decisions", file)
    result = run(table, *options, "-o", again)
    assert result.exit_code == 0, result.output
    assert "2 targets decided by people: taken as known." in words(result)
    out = decided.with_name("again.csv")
    cleaned = run(again, "-o", out, command="clean")
    assert cleaned.exit_code == 0, cleaned.output
    assert "People decided 3 rows: 1 replaced, 1 kept, 1 dropped." in words(cleaned)
    assert prices(out)["h5"] == "401.25"


def test_numbers_too_large_to_compute_with_are_one_sentence(tmp_path):
    table = {"size": np.linspace(0, 1, 60), "price": np.linspace(-1, 1, 60) * 1e308}
    write_table(tmp_path / "homes.csv", table)
    result = invoke("audit", tmp_path / "homes.csv", "--target", "price")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: column 'price' holds numbers that are too large")
    assert len(result.stderr.splitlines()) == 1
