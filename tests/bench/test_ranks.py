import pytest

from errata.bench._report import illustrate_ranks
from errata.tables import read_table

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


def results(methods, datasets=("x", "y", "z")):
    """Method number i is better than number i + 1 everywhere; two repetitions of each."""
    return [
        {"dataset": d, "noise_level": 0.1, "method": m, "repetition": r, "accuracy": 90 - 5 * i + r}
        for d in datasets
        for i, m in enumerate(methods)
        for r in (0, 1)
    ]


def test_friedman_and_a_diagram_for_each_level(tmp_path):
    files = illustrate_ranks(results(["best", "middle", "worst"]), tmp_path, metric="accuracy")
    assert [path.name for path in files] == ["friedman.csv", "ranks-0.1.png"]
    assert files[1].read_bytes().startswith(b"\x89PNG")
    table = read_table(files[0]).to_pydict()
    assert table["rank of best"] == ["1.0"]
    assert table["rank of worst"] == ["3.0"]
    assert float(table["statistic"][0]) == pytest.approx(6)  # full agreement: N (k - 1)


@pytest.mark.parametrize(
    "few", [results(["one", "two"]), results(["a", "b", "c"], datasets=("x",)), []]
)
def test_too_few_to_rank_draws_nothing(tmp_path, few):
    assert illustrate_ranks(few, tmp_path, metric="accuracy") == []
    assert not list(tmp_path.iterdir())
