import pytest

from errata.bench.figures import plot_perceptron_categories


def test_safe_noisy_and_borderline_rows_are_marked():
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    ax = plot_perceptron_categories(n_samples=200)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["wrong label", "safe", "borderline", "noisy"]
    wrong, *categories = ax.collections
    assert len(wrong.get_offsets()) == 20
    assert sum(len(marks.get_offsets()) for marks in categories) == 200
    assert len(ax.lines) == 3
