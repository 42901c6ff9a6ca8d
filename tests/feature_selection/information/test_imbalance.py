import numpy as np
import pytest

from errata.feature_selection.information import imbalance

# Table 1 of Frénay and others (2014), and the class counts of the sets in the UCI repository.
TABLE_1 = {
    "ecoli": ([143, 77, 52, 35, 20], 0.13, 0.1320),
    "glass": ([70, 76, 29], 0.12, 0.1193),
    "page": ([4913, 329, 28, 88, 115], 0.35, 0.3493),
    "vertebral": ([150, 100, 60], 0.12, 0.1188),
    "wall robot": ([2205, 826, 2097, 328], 0.15, 0.1480),
    "wine": ([59, 71, 48], 0.05, 0.0528),
    "yeast": ([463, 429, 244, 163], 0.10, 0.0964),
}


@pytest.mark.parametrize(("counts", "printed", "computed"), TABLE_1.values(), ids=TABLE_1.keys())
def test_the_table_of_the_paper(counts, printed, computed):
    found = imbalance(np.repeat(np.arange(len(counts)), counts))
    assert found == pytest.approx(printed, abs=5e-3)
    assert found == pytest.approx(computed, abs=5e-5)


def test_balanced_labels_have_none_and_names_do_not_matter():
    assert imbalance(["a", "b", "a", "b"]) == 0
    assert imbalance([0, 0, 1]) == imbalance(["x", "y", "x"])


def test_one_row_of_a_second_class_is_nearly_the_most():
    y = np.repeat([0, 1], [9999, 1])
    assert imbalance(y) == pytest.approx(np.sqrt(1) / 2, abs=1e-3)


def test_missing_labels_are_refused():
    with pytest.raises(ValueError, match="contains NaN or None"):
        imbalance([0.0, 1.0, np.nan])
