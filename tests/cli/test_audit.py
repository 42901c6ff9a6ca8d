import csv
import errno
import json
import os
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import errata
from auditing.recordings_cases import steady, with_wrong_stretches
from cli.command_line import invoke
from errata.tables import read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

WRONG = [3, 40]


def animals(n=60):
    """Cats are light and dogs are heavy, but for two labels that are wrong."""
    random = np.random.default_rng(0)
    dog = np.arange(n) % 2
    pet = np.where(dog, "dog", "cat")
    pet[WRONG] = np.where(dog[WRONG], "cat", "dog")
    return {
        "weight": (4 + 20 * dog + random.normal(size=n)).round(2),
        "ears": (5 + 5 * dog + random.normal(size=n)).round(2),
        "owner": np.array([f"o{i // 3}" for i in range(n)]),
        "tag": np.array([f"t{i}" for i in range(n)]),
        "pet": pet,
    }


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "pets.csv"
    write_table(path, animals())
    return path


def written(folder, name="pets.csv", **changes):
    """The animals with some columns changed or added, on disk."""
    columns = animals() | changes
    write_table(folder / name, columns)
    return folder / name


def run(*arguments, check=False):
    quick = [] if check else ["--no-self-check"]
    return invoke("audit", *arguments, *quick)


def words(result):
    return " ".join(result.output.split())


def refused(result, sentence, folder):
    """One sentence on standard error, exit code 2, and nothing written."""
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.stderr.split())
    assert result.stderr.startswith("Error: ")
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""
    assert not [name for name in os.listdir(folder) if "audit" in name]


def ranked(folder):
    with (folder / "ranked.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """The table after an audit, and what the command said."""
    table = written(tmp_path_factory.mktemp("audited"))
    return table, run(table, "--label", "pet", "--id", "tag")


def test_everything_is_in_the_folder_beside_the_table(audited):
    table, result = audited
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir(table.parent)) == ["pets.audit", "pets.csv"]
    folder = table.with_name("pets.audit")
    parquet = ["cards.parquet", "components.parquet", "rows.parquet"]
    short = ["metrics.json", "summary.md"]
    files = sorted(["audit.json", "ranked.csv", "report.html", *short, *parquet])
    assert sorted(os.listdir(folder)) == files
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "pets.csv" in page
    assert f"errata clean {folder} -o {table.with_suffix('.clean.csv')}" in page
    audit = errata.Audit.load(folder)
    assert audit._about["label"] == "pet"
    assert audit._about["table"] == str(table.resolve())
    assert sorted(np.flatnonzero(audit.flagged)) == WRONG
    assert audit.self_check is None


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")
def test_only_the_owner_may_read_what_is_in_the_folder(audited):
    table, _ = audited
    folder = table.with_name("pets.audit")
    assert folder.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.rglob("*")}
    assert {"report.html", "ranked.csv", "rows.parquet"} < set(modes)
    assert set(modes.values()) == {0o600}


def test_all_rows_are_ranked(audited):
    folder = audited[0].with_name("pets.audit")
    rows = ranked(folder)
    assert list(rows[0]) == ["row", "id", "label", "suggested", "p_wrong", "flagged"]
    assert len(rows) == 60
    assert sorted(int(row["row"]) for row in rows[:2]) == WRONG
    assert {row["id"] for row in rows[:2]} == {"t3", "t40"}
    assert [row["flagged"] for row in rows[:3]] == ["1", "1", "0"]
    first = next(row for row in rows if row["row"] == "3")
    assert (first["label"], first["suggested"]) == ("cat", "dog")
    audit = errata.Audit.load(folder)
    suspicion = audit.suspicion[[int(row["row"]) for row in rows]]
    assert (np.diff(suspicion) <= 0).all()
    assert float(first["p_wrong"]) == pytest.approx(audit.p_wrong[3], abs=1e-4)


def test_the_terminal_says_what_was_found_and_what_to_do(audited):
    table, result = audited
    folder, said = table.with_name("pets.audit"), words(result)
    assert "About 2 of 60 labels are probably wrong (at most" in said
    assert "2 rows are flagged" in said
    assert re.search(r"Noise rate: [2-4]\.\d% \(", said)
    assert "label rows expected wrong rate flagged" in said
    assert "cat dog 1" in said
    assert "The 2 flagged rows, counted from 0 after the header:" in said
    assert "t40 dog cat" in said
    assert "nearest rows" in said  # no column of so few rows speaks for itself
    assert f"Look at the rows: {folder / 'report.html'}" in said
    assert f"Decide on them, one key each: errata review {folder}" in said
    assert "Drop the 2 rows that are more likely wrong than right: errata clean" in said
    assert f"errata clean {folder} -o {table.with_suffix('.clean.csv')}" in said
    assert result.stderr == ""  # progress is for terminals


def test_the_self_check_is_told(table):
    result = run(table, "-l", "pet", check=True)
    assert result.exit_code == 0, result.output
    assert "Self-check: Of " in words(result)


def test_paths_with_spaces_can_be_copied(tmp_path):
    folder = tmp_path / "my pets"
    folder.mkdir()
    result = run(written(folder), "-l", "pet")
    assert f"errata clean '{folder / 'pets.audit'}' -o '{folder / 'pets.clean.csv'}'" in words(
        result
    )


def test_columns_that_were_named_are_not_features(table, tmp_path):
    arguments = ["--group", "owner", "--id", "tag", "--drop", "ears", "-o", tmp_path / "out"]
    assert run(table, "-l", "pet", *arguments).exit_code == 0
    audit = errata.Audit.load(tmp_path / "out")
    assert audit._about["features"] == 1
    assert set(audit.examples[0]["values"]) == {"weight"}
    assert audit.examples[0]["id"] in ("t3", "t40")


@pytest.mark.parametrize("name", ["pets.parquet", "pets.feather", "pets.tsv.gz", "pets.jsonl"])
def test_formats(tmp_path, name):
    result = run(written(tmp_path, name), "-l", "pet")
    assert result.exit_code == 0, result.output
    audit = errata.Audit.load(tmp_path / "pets.audit")
    assert sorted(np.flatnonzero(audit.flagged)) == WRONG


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("pets.csv", [1, 2]),
        ("pets.csv", [True, False]),
        ("pets.csv", ["2020-01-01", "2021-05-05"]),
        ("pets.parquet", [1, 2]),
        ("pets.parquet", [1.0, 2.0]),
        ("pets.jsonl", [True, False]),
    ],
)
def test_labels_may_be_numbers_booleans_or_dates_in_text(tmp_path, name, labels):
    pet = np.where(animals()["pet"] == "dog", *map(np.array, labels))
    result = run(written(tmp_path, name, pet=pet), "-l", "pet")
    assert result.exit_code == 0, result.output
    assert sorted(np.flatnonzero(errata.Audit.load(tmp_path / "pets.audit").flagged)) == WRONG


def test_columns_may_be_called_as_ours(tmp_path):
    pets = animals()
    names = ("row", "label", "suggested", "p_wrong", "flagged", "id", "suspicion")
    columns = dict.fromkeys(names, pets["weight"]) | {"class": pets["pet"]}
    write_table(tmp_path / "pets.csv", columns)
    result = run(tmp_path / "pets.csv", "-l", "class", "--id", "id")
    assert result.exit_code == 0, result.output
    assert sorted(int(row["row"]) for row in ranked(tmp_path / "pets.audit")[:2]) == WRONG


def test_labels_and_ids_that_a_spreadsheet_would_run_are_guarded_in_the_list(tmp_path):
    pets = animals()
    pet, tag = np.where(pets["pet"] == "dog", "=dog()", "-1"), np.char.add("@", pets["tag"])
    result = run(written(tmp_path, pet=pet, tag=tag), "-l", "pet", "--id", "tag")
    assert result.exit_code == 0, result.output
    rows = ranked(tmp_path / "pets.audit")
    assert {row["label"] for row in rows} == {row["suggested"] for row in rows} == {"'=dog()", "-1"}
    assert all(row["id"].startswith("'@t") for row in rows)
    assert set(errata.Audit.load(tmp_path / "pets.audit").labels) == {"=dog()", "-1"}


def test_labels_cannot_command_the_terminal_that_shows_the_list(tmp_path):
    pets = animals()
    pet = np.where(pets["pet"] == "dog", "\x1b[2Jdog", "-")
    result = run(written(tmp_path, pet=pet), "-l", "pet", "--no-self-check")
    assert result.exit_code == 0, result.output
    assert b"\x1b" not in (tmp_path / "pets.audit" / "ranked.csv").read_bytes()
    assert {row["label"] for row in ranked(tmp_path / "pets.audit")} == {r"\x1b[2Jdog", "-"}


def test_labels_and_names_cannot_command_the_terminal(tmp_path):
    pets = animals()
    pet = np.where(pets["pet"] == "dog", "\x1b[31mdog", "\u202ecat")
    path = written(tmp_path, "p\x1b[2Jets.csv", pet=pet, **{"we\x07ight": pets["weight"]})
    result = run(path, "-l", "pet", "--id", "owner", check=True)
    assert result.exit_code == 0
    assert not set("\x1b\x07\u202e") & set(result.output)
    assert "\\x1b[31mdog" in result.output


def test_a_class_of_one_is_kept_with_a_note(tmp_path):
    pet = animals()["pet"]
    pet[0] = "emu"
    result = run(written(tmp_path, pet=pet), "-l", "pet")
    assert result.exit_code == 0
    assert "Note: 1 class has one row only (emu)" in words(result)


def test_empty_cells_are_accepted_and_ids_that_repeat_are_noted(tmp_path):
    weight = animals()["weight"].astype(object)
    weight[[5, 6]] = "", "NaN"
    result = run(written(tmp_path, weight=weight), "-l", "pet", "--id", "owner")
    assert result.exit_code == 0, result.output
    assert "Note: 20 ids in 'owner' stand for several rows each (the first is o0)." in words(result)


@pytest.mark.parametrize("model", ["logistic", "forest", "boosting"])
def test_a_model_of_scikit_learn_is_used(table, tmp_path, model):
    assert run(table, "-l", "pet", "--model", model).exit_code == 0
    audit = errata.Audit.load(tmp_path / "pets.audit")
    assert audit.models[-1]["name"] == "your model"
    assert audit.models[-1]["agreement"] > 0.8


def test_any_installed_model_is_used_with_its_settings(table, tmp_path):
    settings = '{"n_estimators": 7, "max_depth": 3}'
    model = "sklearn.ensemble:RandomForestClassifier"
    result = run(table, "-l", "pet", "--model", model, "--model-args", settings)
    assert result.exit_code == 0, result.output
    audit = errata.Audit.load(tmp_path / "pets.audit")
    assert audit.models[-1]["name"] == "your model"
    assert {"model": model, "model_args": settings}.items() <= audit._about["arguments"].items()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--model", "nope"], "--model nope is none of logistic, forest, boosting"),
        (["--model", "not_there:Net"], "cannot be imported: No module named 'not_there'"),
        (["--model", "sklearn.ensemble:Nothing"], "names no class of an installed module"),
        (["--model", "sklearn ensemble:A"], "names no class of an installed module"),
        (["--model", "subprocess:Popen"], "is no classifier with fit and predict_proba"),
        (["--model", "sklearn.svm:LinearSVC"], "is no classifier with fit and predict_proba"),
        (["--model-args", "{}"], "--model-args are those of --model"),
        (["--model", "forest", "--model-args", "{}"], "--model forest has its settings"),
        (["--model", "sklearn.svm:SVC", "--model-args", "{"], "--model-args { is not JSON"),
        (["--model", "sklearn.svm:SVC", "--model-args", "[1]"], "must be as in"),
        (
            ["--model", "sklearn.svm:NuSVC", "--model-args", '{"x": 1}'],
            "does not take --model-args",
        ),
        (
            ["--model", "sklearn.svm:NuSVC", "--model-args", '{"nu": 7, "probability": true}'],
            "your model failed: The 'nu' parameter of NuSVC must be a float",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_model_that_cannot_be_had_is_refused_in_a_sentence(table, arguments, sentence):
    result = run(table, "-l", "pet", *arguments)
    assert result.exit_code == 2
    assert sentence in words(result)


def test_pixels_become_pictures(table, tmp_path):
    arguments = ["--pixels", "1x2", "--drop", "owner", "--drop", "tag"]
    assert run(table, "-l", "pet", *arguments).exit_code == 0
    examples = errata.Audit.load(tmp_path / "pets.audit").examples
    assert all(example["image"].startswith("data:image/") for example in examples)


def test_the_seed_decides(table, tmp_path):
    for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
        run(table, "-l", "pet", "--seed", seed, "-o", tmp_path / name)
    a, b, c = (errata.Audit.load(tmp_path / name).p_wrong for name in "abc")
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_precision_shortens_the_list(tmp_path):
    pet = animals()["pet"]
    pet[::7] = "cat"
    path = written(tmp_path, pet=pet)
    run(path, "-l", "pet", "-o", tmp_path / "long", "--precision", 0.3)
    run(path, "-l", "pet", "-o", tmp_path / "short", "--precision", 0.99)
    long, short = (errata.Audit.load(tmp_path / name).flagged.sum() for name in ("long", "short"))
    assert long > short


def test_too_much_noise_fails_a_pipeline(table, tmp_path):
    result = run(table, "-l", "pet", "--fail-above", 0.01)
    assert result.exit_code == 1
    told = r"Too many labels are wrong: [2-4]\.\d%, more than --fail-above 1\.0%\."
    assert re.match(told, result.stderr)
    assert (tmp_path / "pets.audit" / "report.html").exists()
    assert run(table, "-l", "pet", "--fail-above", 0.2, "--force").exit_code == 0


def blind_table(folder):
    """Columns that have nothing to do with the labels."""
    random = np.random.default_rng(1)
    columns = {name: random.normal(size=200).round(3) for name in "uvw"}
    path = folder / "blind.csv"
    write_table(path, columns | {"y": np.where(random.random(200) < 0.3, "a", "b")})
    return path


def test_columns_that_do_not_tell_are_said_not_to(tmp_path):
    result = run(blind_table(tmp_path), "-l", "y", check=True)
    assert result.exit_code == 0, result.output
    said = words(result)
    assert said.startswith("These columns do not tell the labels apart, so nobody can say")
    assert said.count("These columns do not tell the labels apart") == 1
    for gone in ("Noise rate", "most suspicious rows, counted", "errata clean"):
        assert gone not in said
    page = (tmp_path / "blind.audit" / "report.html").read_text(encoding="utf-8")
    assert "These labels cannot be judged" in page
    assert {row["flagged"] for row in ranked(tmp_path / "blind.audit")} == {"0"}


@pytest.mark.parametrize(("most", "code"), [(0.2, 1), (0.9, 0)])
def test_a_rate_that_cannot_be_judged_fails_a_pipeline(tmp_path, most, code):
    result = run(blind_table(tmp_path), "-l", "y", "--fail-above", most)
    assert result.exit_code == code
    told = f"Whether more than --fail-above {most:.1%} of the labels are wrong cannot be judged."
    assert result.stderr.strip() == (told if code else "")


def test_a_column_that_copies_the_label_is_left_out_unless_trusted(tmp_path):
    pet = animals(200)["pet"]
    weight = np.random.default_rng(2).normal(size=200) + 1.5 * (pet == "dog")
    columns = {"weight": weight, "chip": np.where(pet == "dog", 1, 2), "pet": pet}
    write_table(tmp_path / "pets.csv", columns)
    left = run(tmp_path / "pets.csv", "-l", "pet", "-o", tmp_path / "left")
    assert "trust=['chip']" in words(left)
    kept = run(tmp_path / "pets.csv", "-l", "pet", "-o", tmp_path / "kept", "--trust", "chip")
    assert kept.exit_code == 0, kept.output
    assert "chip" not in words(kept)


def test_an_audit_gives_way_only_when_forced(table, tmp_path):
    run(table, "-l", "pet")
    before = (tmp_path / "pets.audit" / "audit.json").stat().st_mtime_ns
    result = run(table, "-l", "pet")
    assert result.exit_code == 2
    assert "holds an audit already" in result.stderr
    assert (tmp_path / "pets.audit" / "audit.json").stat().st_mtime_ns == before
    assert run(table, "-l", "pet", "--seed", 5, "--force").exit_code == 0
    assert json.loads((tmp_path / "pets.audit" / "audit.json").read_text())["about"]["seed"] == 5
    assert sorted(os.listdir(tmp_path)) == ["pets.audit", "pets.csv"]


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_folder_that_is_not_an_audit_never_gives_way(table, tmp_path, force):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    result = run(table, "-l", "pet", "-o", tmp_path / "mine", *force)
    refused(result, "already exists and is not an audit", tmp_path)
    assert os.listdir(tmp_path / "mine") == ["thesis.tex"]


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        ("x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n", [], "5 rows are too few for an audit"),
        ("x,y\n" + "1,\n" * 9, [], "column 'y' holds no label at all; name the column that does"),
        ("x,y\n1,a\n2,b\n" + "3, \n" * 9, [], "2 labelled rows are too few for an audit; 6"),
        (
            "x,y,z\n" + "1,a,1\n2,b,0\n" * 9 + "3,NA,0\n",
            ["--sequence", "z"],
            "1 row without a label (the first is row 18",
        ),
        (
            "x,y,z\n" + "1,a,1\n2,b,perhaps\n" * 9,
            ["--known", "z"],
            "known holds 'perhaps' in row 1; say 1 or 0, true or false, yes or no",
        ),
        ("y\n" + "a\nb\n" * 9, [], "is left to learn from, besides the labels"),
        ("x,y\n" + "1,a\n1,b\n" * 9, [], "Left out 'x': the same value in every row."),
        ("x,y\n" + "1,a\ninf,b\n" * 9, [], "column 'x' holds inf in row 1"),
        ("x,y\n" + "1,a\n2,a\n" * 9, [], "holds one class only (a): a label"),
        (
            "x,y\n" + "1,a\n2,NA\n" * 9,
            [],
            "one class only (a), and in 9 rows none (an empty cell, nan, na, n/a, null): a label",
        ),
        ("x,y\n", [], "has a header but no rows"),
        ("x,y\n1,a\n2\n", [], "line 3 of"),
        ("PAR1\x00\x01\x02", [], "is a Parquet file, whatever its name says"),
        ("x,Y\n" + "1,a\n2,b\n" * 9, [], "has no column 'y'; did you mean 'Y'?"),
        ("x,z\n" + "1,a\n2,b\n" * 9, [], "has no column 'y'; the columns are x, z."),
        ("x^y\n" + "1^a\n2^b\n" * 9, [], "the only one is 'x^y'; if it should be several"),
        (
            "x,y\n" + "".join(f"{i % 7},{36 + i % 51 / 10}\n" for i in range(510)),
            [],
            "column 'y' holds 51 different numbers in 510 rows (36, 36.1, 36.2, ...), which looks "
            "like a continuous measurement",
        ),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--bogus"], "No such option '--bogus'"),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--precision", "3"], "not in the range 0<=x<=1. See "),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--drop", "y"], "holds the labels; leave it out of --drop"),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--group", "y"], "leave it out of --group"),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--trust", "y"], "leave it out of --trust"),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--trust", "X"], "has no column 'X'; did you mean 'x'?"),
        (
            "x,z,y\n" + "1,1,a\n2,2,b\n" * 9,
            ["--drop", "z", "--trust", "z"],
            "column 'z' is in --trust and in --drop",
        ),
        (
            "x,z,y\n" + "1,1,a\n2,2,b\n" * 9,
            ["--trust", "z", "--group", "z"],
            "column 'z' is in --trust and in --group",
        ),
        ("x,g,y\n" + "1,,a\n2,h,b\n" * 9, ["--group", "g"], "9 rows without a group"),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--pixels", "8"], "--pixels 8 is not a size"),
        ("x,y\n" + "1,a\n2,b\n" * 9, ["--pixels", "2x2"], "takes 4 columns, but 1 is left besides"),
        ("x,y\n" + "u,a\nv,b\n" * 9, ["--pixels", "1x1"], "column 'x' holds something else"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(tmp_path, text, arguments, sentence):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    refused(run(path, "-l", "y", *arguments), sentence, tmp_path)


def test_labels_that_are_all_different_are_refused(tmp_path):
    columns = {"x": np.arange(50_000) % 97, "y": [f"a{i}" for i in range(50_000)]}
    write_table(tmp_path / "bad.csv", columns)
    refused(run(tmp_path / "bad.csv", "-l", "y"), "there are 50000 different labels", tmp_path)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (np.linspace(0, 1, 60), "60 different numbers in 60 rows (0, 0.0169492, 0.0338983, ...)"),
        (np.repeat([0.25, 1], 30), "labels of the type measurement (0.25)"),
        (np.array(["2020-01-01", "2021-01-01"] * 30, "M8[s]"), "labels of the type date"),
        ([[1], [2]] * 30, "labels of the type list"),
    ],
)
def test_what_is_not_a_label_is_refused(tmp_path, labels, sentence):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"x": range(60), "y": labels}), tmp_path / "bad.parquet")
    refused(run(tmp_path / "bad.parquet", "-l", "y"), sentence, tmp_path)


def test_labels_of_several_kinds_are_refused(tmp_path):
    lines = [f'{{"x": {i}, "y": {"1" if i % 2 else chr(34) + "b" + chr(34)}}}' for i in range(20)]
    (tmp_path / "bad.jsonl").write_text("\n".join(lines))
    refused(run(tmp_path / "bad.jsonl", "-l", "y"), "of the type int and str", tmp_path)


@pytest.mark.parametrize("name", ["none.csv", "no/such.csv"])
def test_a_missing_table_is_what_is_complained_about(tmp_path, name):
    refused(run(tmp_path / name, "-l", "y"), f"{name} does not exist.", tmp_path)


def test_a_folder_for_the_result_must_be_there(table, tmp_path):
    result = run(table, "-l", "pet", "-o", tmp_path / "no" / "where")
    refused(result, "there is no folder", tmp_path)


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_closed_folder_is_noticed_before_the_work(table, tmp_path):
    tmp_path.chmod(0o555)
    try:
        refused(run(table, "-l", "pet"), "its folder is closed to you", tmp_path)
    finally:
        tmp_path.chmod(0o755)


def test_a_full_disk_leaves_nothing_behind(table, tmp_path, monkeypatch):
    def full(*_, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("errata.tables.write_table", full)
    refused(run(table, "-l", "pet"), "no space is left on the disk", tmp_path)
    assert os.listdir(tmp_path) == ["pets.csv"]


@pytest.mark.parametrize("where", ["errata.auditing.audit_file", "errata.tables.write_table"])
def test_who_stops_it_finds_everything_as_it_was(table, tmp_path, monkeypatch, where):
    run(table, "-l", "pet")
    before = (tmp_path / "pets.audit" / "audit.json").read_bytes()

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, stop)
    result = run(table, "-l", "pet", "--force", "--seed", 7)
    assert result.exit_code == 130
    assert result.stderr.strip() == "Stopped; nothing was written."
    assert (tmp_path / "pets.audit" / "audit.json").read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["pets.audit", "pets.csv"]


def test_the_table_is_left_as_it_was(audited, table):
    assert audited[0].read_bytes() == table.read_bytes()  # written alike, and not audited


def test_without_a_label_the_columns_are_listed(table, tmp_path):
    sentence = "say which column holds the labels, with --label, or numbers that may be wrong, with"
    refused(run(table), f"{sentence} --target; the columns of", tmp_path)
    assert "pet" in run(table).stderr.partition(" are ")[2]


def test_a_disk_that_can_only_be_read_is_told(table, tmp_path, monkeypatch):
    def read_only(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "/tmp/.errata-x")

    monkeypatch.setattr("tempfile.mkdtemp", read_only)
    sentence = f"cannot write {tmp_path / 'pets.audit'}: its disk can only be read."
    refused(run(table, "-l", "pet"), sentence, tmp_path)


@pytest.fixture
def recordings(tmp_path):
    """Six recordings of which five stretches are labelled wrong."""
    X, labels, names = steady()
    noisy, _ = with_wrong_stretches(labels, [25, 165, 245, 405, 665])
    path = tmp_path / "dogs.csv"
    write_table(path, {"up": X[:, 0], "side": X[:, 1], "dog": names, "gait": noisy})
    return path


def test_recordings_are_audited_by_stretches(recordings):
    result = run(recordings, "--label", "gait", "--sequence", "dog")
    assert result.exit_code == 0, result.output
    assert "stretches, rows counted from 0 after the header" in result.output
    folder = recordings.with_name("dogs.audit")
    assert f"All stretches: {folder / 'stretches.csv'}" in result.output.replace("\n", "")
    with (folder / "stretches.csv").open() as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == [
        *("recording", "start", "end", "rows", "label", "suggested", "p_wrong")
    ]
    assert {"25", "165", "245", "405", "665"} <= {line["start"] for line in found}
    assert "Look at the stretches" in (folder / "report.html").read_text(encoding="utf-8")
    cleaned = invoke("clean", folder, "-o", folder / "new.csv")
    assert cleaned.exit_code == 0, cleaned.output
    assert read_table(folder / "new.csv").num_rows < 720


def test_a_signal_may_be_seen_through_wavelets(recordings):
    options = ("--wavelets", "up", "--fs", 100, "--band", 1, 30)
    result = run(recordings, "-l", "gait", "--sequence", "dog", *options)
    assert result.exit_code == 0, result.output
    found = errata.Audit.load(recordings.with_name("dogs.audit"))
    assert found._about["features"] == 1


def test_an_audit_row_by_row_has_no_stretches(audited):
    assert not audited[0].with_name("pets.audit").joinpath("stretches.csv").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sequence", "cat"], "has no column 'cat'; the columns are"),
        (["--sequence", "gait"], "column 'gait' holds the labels; leave it out of --sequence."),
        (["--sequence", "dog", "--wavelets", "dog"], "is in --wavelets and in --sequence"),
        (["--sequence", "dog", "--wavelets", "gait"], "leave it out of --wavelets."),
        (["--sequence", "up"], "has one row; a sequence takes two at least"),
        (["--sequence", "dog", "--drop", "up", "--drop", "side"], "left to learn from"),
    ],
)
def test_recordings_that_cannot_be_audited_are_refused_in_a_sentence(recordings, options, said):
    result = run(recordings, "--label", "gait", *options)
    assert result.exit_code == 2
    assert said in result.output.replace("\n", " ")
    assert not recordings.with_name("dogs.audit").exists()


def test_known_labels_are_not_flagged_and_their_column_is_no_feature(tmp_path):
    sure = np.where(np.arange(60) == WRONG[0], "yes", "no")
    path = written(tmp_path, sure=sure)
    result = run(path, "-l", "pet", "--known", "sure", "--drop", "tag")
    assert result.exit_code == 0, result.output
    audit = errata.Audit.load(tmp_path / "pets.audit")
    assert np.flatnonzero(audit.flagged).tolist() == WRONG[1:]
    assert audit._about["features"] == 3
    assert audit._known.sum() == 1
    cards = read_table(tmp_path / "pets.audit" / "cards.parquet")
    assert set(json.loads(cards["card"][0].as_py())["values"]) == {
        *("weight", "ears", "owner", "tag")
    }


def test_a_row_is_known_again_whatever_its_label_becomes(tmp_path):
    first = errata.Audit.load(audited_folder(tmp_path, "pets.csv"))
    turned = {name: column[::-1] for name, column in animals().items()}
    turned["pet"] = np.where(turned["pet"] == "dog", "wolf", "cat")
    second = errata.Audit.load(audited_folder(tmp_path, "wolves.csv", **turned))
    assert second._keys[::-1].tolist() == first._keys.tolist()


def audited_folder(folder, name, **changes):
    path = written(folder, name, **changes)
    assert run(path, "-l", "pet").exit_code == 0
    return path.with_suffix(".audit")


def test_a_second_audit_stands_on_what_people_decided_about_the_first(tmp_path):
    path = written(tmp_path)
    assert run(path, "-l", "pet", "--drop", "tag").exit_code == 0
    first = errata.Audit.load(tmp_path / "pets.audit")
    noted = {"drop": ["tag"], "random_state": 0, "n_jobs": 1, "self_check": False}
    assert first._about["arguments"] == noted
    where = tmp_path / "pets.decisions"
    with errata.review.Decisions(where) as decisions:
        for row, kind, pet in ((3, "suggestion", "dog"), (40, "label", "dog"), (7, "unusable", "")):
            decisions.record(
                errata.review.Event(
                    **{"reviewer": "ann", "row": row, "row_key": first._keys[row], "kind": kind},
                    **{"class_text": json.dumps(pet) if pet else None, "audit": "5f0c"},
                    **{"label": json.dumps(str(first.labels[row])), "p_wrong": 0.9},
                    suggested='"dog"',
                )
            )
    out = tmp_path / "pets.2.audit"
    result = run(path, "-l", "pet", "--drop=tag", "--decisions", where, "-o", out)
    assert result.exit_code == 0, result.output
    assert "2 labels decided by people" in words(result)
    second = errata.Audit.load(out)
    assert second._known.nonzero()[0].tolist() == [3, 40]
    assert second.labels[[3, 40, 7]].tolist() == ["dog", "dog", None]
    assert not second.flagged.any()
    done = invoke("clean", out, "-o", tmp_path / "out.csv")
    assert done.exit_code == 0, done.output
    pets = read_table(tmp_path / "out.csv")["pet"].to_pylist()
    assert (pets[3], pets[40]) == ("dog", "dog")


def test_decisions_that_are_not_there_get_a_sentence(table, tmp_path):
    result = run(table, "-l", "pet", "--decisions", tmp_path / "none.decisions")
    refused(result, "none.decisions does not exist", tmp_path)


def test_why_names_columns_that_are_unusual_for_the_label(tmp_path):
    flowers = load_iris(as_frame=True).frame
    flowers.loc[3, "target"] = 2
    flowers.to_csv(tmp_path / "iris.csv", index=False)
    said = words(run(tmp_path / "iris.csv", "-l", "target"))
    summary = (tmp_path / "iris.audit" / "summary.md").read_text()
    assert "petal length (cm) is 1.5, usually 5.5" in summary  # the median of the others is 5.55
    assert ", usually " in said
    assert "models predict" not in said + summary


@pytest.mark.parametrize("name", ["annotator", "labelled_by", "batch no", "visit date", "lap"])
def test_a_source_is_told_by_its_name(tmp_path, name):
    values = np.resize(["2024-05-01", "2024-05-02", "2024-05-03"], len(animals()["pet"]))
    write_table(tmp_path / "pets.csv", {**animals(), name: values})
    said = words(run(tmp_path / "pets.csv", "-l", "pet", "--no-self-check"))
    assert ("may say where labels come from" in said) == (name != "lap")


def test_a_column_that_looks_like_a_source_is_suggested_and_then_summarised(tmp_path):
    sites = np.resize(["north", "south"], len(animals()["pet"]))
    write_table(tmp_path / "pets.csv", {**animals(), "clinic_site": sites})
    suggested = run(tmp_path / "pets.csv", "-l", "pet")
    assert "with --by clinic_site the audit says how noisy" in words(suggested)
    told = run(tmp_path / "pets.csv", "-l", "pet", "--by", "clinic_site", "--force")
    assert "may say where labels come from" not in words(told)
    summary = (tmp_path / "pets.audit" / "summary.md").read_text()
    assert "**By `clinic_site`**" in summary
    assert "| `north` |" in summary
