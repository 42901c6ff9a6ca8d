import gzip
import os
import stat

import numpy as np
import pytest
from sklearn.datasets import load_iris

from cli.command_line import invoke
from errata.tables import read_table, write_table
from kind_cases import homes

NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture
def iris(tmp_path):
    data = load_iris()
    path = tmp_path / "iris.csv"
    lines = ["a,b,c,d,species"]
    lines += [
        ",".join(map(str, row)) + "," + NAMES[label]
        for row, label in zip(data.data, data.target, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def run(*arguments):
    return invoke("noise", *arguments)


def arrays(path):
    return {name: np.array(cells) for name, cells in read_table(path).to_pydict().items()}


def refused(result, sentence, folder):
    """One sentence, exit code 2, and nothing written."""
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.output.split())
    assert "Traceback" not in result.output
    assert not [path for path in os.listdir(folder) if "noisy" in path or path.startswith(".")]


def test_table_and_truth_are_written(iris, tmp_path):
    result = run(iris, "--label", "species", "--rate", 0.2, "-o", tmp_path / "noisy.csv")
    assert result.exit_code == 0, result.output
    assert "Changed 30 of 150 labels (20%)." in result.output
    noisy, clean = read_table(tmp_path / "noisy.csv"), read_table(iris)
    truth = arrays(tmp_path / "noisy.truth.csv")
    assert truth["label"].tolist() == noisy["species"].to_pylist()
    assert truth["class"].tolist() == clean["species"].to_pylist()
    flipped = truth["flipped"] == "1"
    np.testing.assert_array_equal(flipped, truth["label"] != truth["class"])
    assert flipped.sum() == 30
    for name in "abcd":
        assert noisy[name].equals(clean[name])


def test_labels_that_a_spreadsheet_would_run_are_guarded_in_the_truth_alone(iris, tmp_path):
    iris.write_bytes(iris.read_bytes().replace(b"setosa", b"=setosa").replace(b"virginica", b"-1"))
    result = run(iris, "-l", "species", "--rate", 0.2, "-o", tmp_path / "noisy.csv")
    assert result.exit_code == 0, result.output
    assert set(arrays(tmp_path / "noisy.csv")["species"]) == {"=setosa", "versicolor", "-1"}
    truth = arrays(tmp_path / "noisy.truth.csv")
    assert set(truth["class"]) == set(truth["label"]) == {"'=setosa", "versicolor", "-1"}


def test_the_seed_decides(iris, tmp_path):
    for name, seed in [("noisy1", 1), ("noisy2", 1), ("noisy3", 2)]:
        run(iris, "-l", "species", "-r", 0.2, "--seed", seed, "-o", tmp_path / f"{name}.csv")
    one, same, other = ((tmp_path / f"noisy{i}.csv").read_bytes() for i in (1, 2, 3))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        (["--kind", "cyclic"], {("setosa", "versicolor"), ("versicolor", "virginica"),
                                ("virginica", "setosa")}),
        (["--kind", "pairwise", "--pair", "setosa", "virginica"],
         {("setosa", "virginica"), ("virginica", "setosa")}),
        (["--kind", "boundary"], {("versicolor", "virginica"), ("virginica", "versicolor"),
                                  ("setosa", "versicolor"), ("versicolor", "setosa")}),
        (["--kind", "region"], None),
        (["--kind", "density"], None),
        (["--per-row"], None),
    ],
)  # fmt: skip
def test_every_kind_of_noise(iris, tmp_path, options, allowed):
    result = run(iris, "-l", "species", "-r", 0.15, *options, "-o", tmp_path / "noisy.csv")
    assert result.exit_code == 0, result.output
    truth = arrays(tmp_path / "noisy.truth.csv")
    flipped = truth["flipped"] == "1"
    assert 10 <= flipped.sum() <= 40
    moves = set(zip(truth["class"][flipped], truth["label"][flipped], strict=True))
    assert allowed is None or moves <= allowed


def test_a_transition_matrix_from_a_file(iris, tmp_path):
    (tmp_path / "T.csv").write_text(
        "class,virginica,setosa,versicolor\nsetosa,0.1,0.9,0\nversicolor,0,0,1\nvirginica,1,0,0\n"
    )
    result = run(
        iris, "-l", "species", "-k", "transition", "--transition", tmp_path / "T.csv",
        "-o", tmp_path / "noisy.csv",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    truth = arrays(tmp_path / "noisy.truth.csv")
    flipped = truth["flipped"] == "1"
    assert flipped.sum() == 5
    assert set(truth["class"][flipped]) == {"setosa"}
    assert set(truth["label"][flipped]) == {"virginica"}


def test_compressed_tables_stay_compressed(iris, tmp_path):
    packed = tmp_path / "iris.csv.gz"
    packed.write_bytes(gzip.compress(iris.read_bytes()))
    result = run(packed, "-l", "species", "-r", 0.1, "-o", tmp_path / "noisy.csv.gz")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "noisy.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert (tmp_path / "noisy.truth.csv").exists()


def test_parquet_keeps_whole_number_labels(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    parquet.write_table(arrow.table({"x": range(10), "y": [0, 1] * 5}), tmp_path / "t.parquet")
    result = run(tmp_path / "t.parquet", "-l", "y", "-r", 0.4, "-o", tmp_path / "noisy.parquet")
    assert result.exit_code == 0, result.output
    assert str(parquet.read_table(tmp_path / "noisy.parquet").schema.field("y").type) == "int64"


def test_the_three_files_are_different_ones(iris, tmp_path):
    out = tmp_path / "noisy.csv"
    for same in (iris, out):
        result = run(iris, "-l", "species", "-r", 0.1, "-o", out, "--truth", same, "--force")
        refused(result, "must be three different files", tmp_path)
    assert "setosa" in iris.read_text()


def test_the_ending_of_the_output_is_that_of_the_table(iris, tmp_path):
    result = run(iris, "-l", "species", "-r", 0.1, "-o", tmp_path / "noisy.tsv")
    refused(result, "of another format", tmp_path)


@pytest.mark.parametrize("labels", [[b"a", b"b", b"a"], [[1], [2], [1]]])
def test_labels_of_odd_types_are_refused(tmp_path, labels):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    parquet.write_table(arrow.table({"x": [1, 2, 3], "y": labels}), tmp_path / "t.parquet")
    result = run(tmp_path / "t.parquet", "-l", "y", "-r", 0.1, "-o", tmp_path / "noisy.parquet")
    refused(result, "holds labels of the type", tmp_path)


def test_nothing_is_overwritten_unless_forced(iris, tmp_path):
    out = tmp_path / "noisy.csv"
    out.write_text("precious")
    result = run(iris, "-l", "species", "-r", 0.1, "-o", out)
    assert result.exit_code == 2
    assert "exists already; choose another name, or pass --force" in result.output
    assert out.read_text() == "precious"
    assert run(iris, "-l", "species", "-r", 0.1, "-o", out, "--force").exit_code == 0
    assert out.read_text() != "precious"


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("", ["-r", 0.1], "bad.csv is empty"),
        ("x,y\n", ["-r", 0.1], "has a header but no rows"),
        ("x,z\n1,2\n", ["-r", 0.1], "has no column 'y'; the columns are x, z"),
        ("x,y\n1,a\n2,a\n", ["-r", 0.1], "column 'y' holds one class only (a)"),
        ("x,y\n1,a\n2,\n3,b\n", ["-r", 0.1], "1 row without a label (the first is row 1"),
        ("x,y\n1,a\n2,NaN\n3,b\n", ["-r", 0.1], "1 row without a label (the first is row 1"),
        ("x,y\n1,a\n2, \n3,b\n", ["-r", 0.1], "1 row without a label (the first is row 1"),
        ("x,y\n1,a\n2,b\n", ["-r", 0.1, "--pair", "a", "b"], "--pair belongs to --kind pairwise"),
        ("x,y\n1,a\n2,b\n", ["-r", 0.1, "--transition", "T.csv"], "--transition belongs to"),
        ("x,y\n1,a\n2,b\n", ["-r", 0.1, "-k", "transition"], "leave out --rate"),
        ("x,y\n1,a\n2,b\n", ["-r", 1.5], "1.5 is not in the range 0<=x<=1"),
        ("x,y\n1,a\n2,b\n", ["-r", -1], "-1.0 is not in the range 0<=x<=1"),
        ("x,y\n1,a\n2,b\n", ["-r", "nan"], "nan is not in the range 0<=x<=1"),
        ("x,y\n1,a\n2,b\n", [], "say how much noise: --rate"),
        ("x,y\n1,a\n2,b\n", ["-k", "transition"], "needs the matrix: --transition with a file"),
        ("x,y\n1,a\n2,b\n", ["-r", 0.1, "-k", "pairwise"], "confused: --pair of two each"),
        ("x,y\n1,a\n2,b\n", ["-r", 0.1, "-k", "pairwise", "--pair", "a", "q"],
         "there is no class 'q'; the classes are a, b"),
        ("x,y\n1,a\n2,b\n", ["-r", 0.1, "-k", "pairwise", "--pair", "a", "a"],
         "--pair a a names one class twice; name two classes."),
        ("x,y\nred,a\nblue,b\n", ["-r", 0.1, "-k", "density"], "no numeric column that varies"),
        ("x,y\n1,a\n,b\n3,a\n", ["-r", 0.1, "-k", "region"], "column 'x' has empty cells"),
        ("x,y\n1,a\n2,b\n3,a\n", ["-r", 0.1, "-k", "boundary"], "a class with one row cannot"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_nothing_is_written(tmp_path, content, options, sentence):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    refused(run(path, "-l", "y", *options, "-o", tmp_path / "noisy.csv"), sentence, tmp_path)


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        ("class,a,b\na,0.9,0.2\nb,0,1\n", "row 0 of the transition matrix sums to 1.1"),
        ("class,a,c\na,1,0\nc,0,1\n", "y holds the label 'b', which is not among the classes"),
        ("class,a,b\na,1,0\nq,0,1\n", "must name the same classes in its first column"),
        ("class,a,b\na,1,zero\nb,0,1\n", "column 'b' of"),
    ],
)
def test_bad_matrices_are_one_sentence(tmp_path, matrix, sentence):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    (tmp_path / "T.csv").write_text(matrix)
    result = run(
        tmp_path / "t.csv", "-l", "y", "-k", "transition", "--transition", tmp_path / "T.csv",
        "-o", tmp_path / "noisy.csv",
    )  # fmt: skip
    refused(result, sentence, tmp_path)


def test_missing_files_and_folders_are_named(iris, tmp_path):
    out = tmp_path / "noisy.csv"
    refused(run(tmp_path / "no.csv", "-l", "y", "-r", 0.1, "-o", out), "does not exist", tmp_path)
    refused(run(tmp_path, "-l", "y", "-r", 0.1, "-o", out), "is where the table is", tmp_path)
    nowhere = tmp_path / "no" / "noisy.csv"
    result = run(iris, "-l", "species", "-r", 0.1, "-o", nowhere)
    refused(result, "there is no folder", tmp_path)


@pytest.mark.parametrize("out", [".", "..", "/"])
def test_a_folder_that_is_there_is_no_name_for_the_noisy_table(iris, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    result = run(iris, "-l", "species", "-r", 0.1, "-o", out)
    refused(result, "is a folder; give the name of a file", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(iris, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    result = run(iris, "-l", "species", "-r", 0.1, "-o", locked / "noisy.csv")
    assert result.exit_code == 2
    assert "Permission denied" in result.output


def test_table_and_truth_are_written_together_or_not_at_all(iris, tmp_path):
    nowhere = tmp_path / "no" / "truth.csv"
    result = run(iris, "-l", "species", "-r", 0.1, "-o", tmp_path / "noisy.csv", "--truth", nowhere)
    refused(result, "there is no folder", tmp_path)


def test_a_full_disk_leaves_nothing_half_written(iris, tmp_path, monkeypatch):
    def no_space(*_, **__):
        raise OSError(28, "No space left on device", "noisy.csv")

    monkeypatch.setattr("os.replace", no_space)
    result = run(iris, "-l", "species", "-r", 0.1, "-o", tmp_path / "noisy.csv")
    refused(result, "noisy.truth.csv: no space is left on the disk.", tmp_path)


@pytest.mark.filterwarnings("default::errata.exceptions.NoiseWarning")
def test_strong_noise_is_warned_of_on_standard_error(iris, tmp_path):
    result = run(iris, "-l", "species", "-r", 0.9, "-o", tmp_path / "noisy.csv")
    assert result.exit_code == 0
    assert "Warning: rate=0.9 with 3 classes" in result.stderr


@pytest.fixture
def table(tmp_path):
    write_table(tmp_path / "homes.csv", homes())
    return tmp_path / "homes.csv"


def column(path, name):
    return np.array(read_table(path)[name].to_pylist(), dtype=float)


@pytest.mark.parametrize("kind", ["swap", "gross", "shift", "unit"])
def test_numbers_are_changed_and_the_truth_is_kept(table, kind, tmp_path):
    out = tmp_path / "noisy.csv"
    result = run(table, "--target", "price", "--kind", kind, "-r", "0.1", "-o", out)
    assert result.exit_code == 0, result.output
    assert "Changed 12 of 120 numbers (10%)." in result.output
    truth = tmp_path / "noisy.truth.csv"
    changed = column(truth, "changed") == 1
    before, after = column(table, "price"), column(out, "price")
    np.testing.assert_array_equal(changed, before != after)
    np.testing.assert_array_equal(column(truth, "target"), before)
    np.testing.assert_allclose(column(truth, "recorded"), after, rtol=0, atol=0.05001)
    lines = zip(table.read_text().splitlines()[1:], out.read_text().splitlines()[1:], strict=True)
    assert [a != b for a, b in lines] == changed.tolist()


def test_swap_is_the_default_and_a_seed_gives_the_same_again(table, tmp_path):
    for name in ("a", "b"):
        run(table, "--target", "price", "-r", "0.1", "-o", tmp_path / f"{name}.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--target", "price"], "say how much noise: --rate"),
        (["--target", "price", "--label", "home", "-r", "0.1"], "cannot both be given"),
        (["--target", "price", "-k", "cyclic", "-r", "0.1"], "--kind cyclic is for labels"),
        (["-k", "gross", "-r", "0.1"], "--kind gross is for numbers; name their column"),
        (["--target", "price", "--per-row", "-r", "0.1"], "--per-row is for labels"),
        (["--target", "street", "-r", "0.1"], "holds values that are not numbers"),
    ],
)
def test_what_does_not_go_together_is_refused(table, options, sentence, tmp_path):
    result = run(table, *options, "-o", tmp_path / "noisy.csv")
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["homes.csv"]
