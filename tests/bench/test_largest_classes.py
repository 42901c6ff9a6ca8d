import numpy as np
import pytest

from errata.bench.experiments._datasets import load_largest


@pytest.fixture
def folder(tmp_path):
    rows = [(i, 7, i % 3, "a") for i in range(5)] + [(9, 7, 1, "b")] * 4 + [(1, 8, 1, "c")] * 2
    lines = ["x,nearly_constant,z,label", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "small.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_small_classes_go_and_then_the_columns_that_no_longer_vary(folder):
    X, y = load_largest("small", folder, 2)
    assert sorted(set(y)) == ["a", "b"]
    assert X.shape == (9, 2)
    np.testing.assert_array_equal(X[:5, 0], range(5))


def test_all_classes_stay_when_no_number_is_told(folder):
    X, y = load_largest("small", folder)
    assert X.shape == (11, 3)
    assert len(set(y)) == 3
