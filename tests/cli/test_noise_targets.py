import numpy as np
import pytest
from click.testing import CliRunner

from errata.cli.__main__ import main
from errata.tables import read_table, write_table
from homes_cases import homes

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def run(*arguments):
    return CliRunner().invoke(main, ["noise", *map(str, arguments)])


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
