from statistics import fmean

import pytest

from errata.bench import Published, list_published, load_published
from errata.bench._report import (
    compare_with_published,
    illustrate_ranks,
    make_detail_table,
    make_summary_table,
    plot_comparison,
    summarise,
    to_markdown,
)
from errata.tables import read_table

WALMSLEY = Published("walmsley_2017_accuracy", repetitions=10)


def ours(*accuracies, method="Perceptron"):
    return [
        {"dataset": "pima", "noise_level": 0.0, "method": method, "repetition": i,
         "accuracy_percent": accuracy}
        for i, accuracy in enumerate(accuracies)
    ]  # fmt: skip


def test_difference_and_standard_error_by_hand():
    # Published: 68.60 +- 2.49 over ten. Ours: mean 70, standard deviation 1 over three.
    row = compare_with_published(ours(69, 70, 71), WALMSLEY)[0]
    assert row["difference"] == pytest.approx(1.4)
    assert row["standard_error"] == pytest.approx((1 / 3 + 2.49**2 / 10) ** 0.5)
    assert row["within"] is True
    just_beyond = 68.60 + 2.1 * row["standard_error"]
    beyond = compare_with_published(ours(just_beyond - 1, just_beyond, just_beyond + 1), WALMSLEY)
    assert beyond[0]["within"] is False


def test_one_repetition_gives_no_sentence():
    row = compare_with_published(ours(70), WALMSLEY)[0]
    assert (row["ours_std"], row["standard_error"], row["within"]) == (None, None, None)


def test_our_spread_stands_in_where_none_was_published():
    published = Published("cantador_dorronsoro_2005_accuracy", repetitions=10)
    results = [
        {"dataset": "twonorm", "noise_level": 0.1, "method": "PP boosting", "repetition": i,
         "accuracy_percent": value}
        for i, value in enumerate([84.0, 85.0])
    ]  # fmt: skip
    row = compare_with_published(results, published)[0]
    assert row["standard_error"] == pytest.approx((0.5 / 2 + 0.5 / 10) ** 0.5)


def test_a_printed_number_may_be_rounded():
    # Printed: 4.6, that is anything from 4.55 to 4.65.
    def within(value):
        results = [
            {"dataset": "discrete m=8 alpha=1", "noise_level": None, "method": "mutual information",
             "repetition": i, "published_convention": value}
            for i in range(2)
        ]  # fmt: skip
        published = Published("frenay_2013_07_failures", repetitions=10)
        return compare_with_published(results, published)[0]["within"]

    assert within(4.649)
    assert not within(4.651)


def test_what_was_not_published_is_left_out():
    assert compare_with_published(ours(70, 71, method="Our own"), WALMSLEY) == []


def test_a_corrected_number_is_preferred_to_a_misprint():
    published = Published("martinez_gray_2015_peeling", repetitions=100)
    corrected = [row for row in published.rows() if row["mean_corrected"] is not None]
    assert len(corrected) == 4
    row = corrected[0]
    results = [
        {name: row[name] for name in ("dataset", "noise_level", "method")}
        | {"repetition": 0, row["metric"]: 1.0}
    ]
    assert compare_with_published(results, published)[0]["published"] == row["mean_corrected"]


def test_published_numbers_are_all_there():
    assert len(list_published()) == 17
    rows = load_published("walmsley_2017_accuracy")
    assert len(rows) == 15 * 6 * 5
    means = load_published("walmsley_2017_mean_rows")
    for mean in means:  # the paper's own last row, from the cells above it
        cells = [
            row["mean"]
            for row in rows
            if (row["noise_level"], row["method"]) == (mean["noise_level"], mean["method"])
        ]
        assert fmean(cells) == pytest.approx(mean["mean_published"], abs=0.0051)


def test_numbers_never_printed_are_left_out():
    assert len(load_published("martinez_gray_2015_peeling")) == 665
    assert len(Published("martinez_gray_2015_peeling", repetitions=100).rows()) == 623


def test_an_unknown_table_gets_a_sentence():
    with pytest.raises(ValueError, match="no published table is called 'walmsly'; there are"):
        load_published("walmsly")


@pytest.fixture
def comparisons():
    names = (
        "dataset", "noise_level", "method", "metric",
        "ours", "ours_std", "published", "published_std", "difference", "standard_error", "within",
    )  # fmt: skip
    rows = [
        ("a|b", 0.1, "one", "error", 10, 1.0, 11, 0.5, -1, 0.7, True),
        ("c", 0.1, "one", "error", 20, 1.0, 17, 0.5, 3, 0.7, False),
        ("c", None, "other", "error", 20, None, 17, None, 3, None, None),
    ]
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_summary_takes_means_over_data_sets(comparisons):
    assert to_markdown(make_summary_table(comparisons)).splitlines()[2:] == [
        "| error | 10% | one | 2 | 15.00 | 14.00 | +1.00 | 1/2 |",
        "| error | - | other | 1 | 20.00 | 17.00 | +3.00 | ? |",
    ]


def test_markdown_is_a_table_even_with_awkward_names(comparisons):
    lines = to_markdown(make_detail_table(comparisons)).splitlines()
    assert lines[0].startswith("| metric | noise | data set | method | ours")
    assert lines[1] == "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |"
    assert lines[2] == r"| error | 10% | a\|b | one | 10.00 ± 1.00 | 11.00 ± 0.50 | -1.00 | yes |"


def test_the_sentence_counts_what_can_be_known(comparisons):
    assert summarise(comparisons).startswith("1 of 2 numbers lie within two standard errors")
    assert summarise(comparisons).endswith("the mean difference is +1.67.")


def test_one_repetition_is_not_said_to_disagree(comparisons):
    assert summarise(comparisons[2:]) == (
        "1 number beside the published ones; one repetition has no spread, so it is not known "
        "which of them agree; the mean difference is +3.00."
    )


def test_differences_of_several_metrics_are_not_averaged(comparisons):
    other = comparisons[0] | {"metric": "iterations", "difference": 40}
    assert summarise([*comparisons, other]).endswith(
        "the mean differences are: error +1.67, iterations +40.00."
    )


def test_the_picture_is_drawn(comparisons, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    plot_comparison(comparisons, tmp_path / "comparison.png", title="A title")
    assert (tmp_path / "comparison.png").read_bytes().startswith(b"\x89PNG")


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
