import numpy as np
import pytest
from numpy.testing import assert_array_equal

from errata.tables import write_table
from errata.tables._table import read_beside

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

NUMBERS = np.arange(6.0).reshape(3, 2)


def test_arrays(tmp_path):
    np.save(tmp_path / "a.npy", NUMBERS)
    np.savez(tmp_path / "a.npz", only=NUMBERS)
    for name in ("a.npy", "a.npz"):
        assert_array_equal(read_beside(tmp_path / name, 3), NUMBERS)


def test_columns_of_a_table_come_by_name(tmp_path):
    write_table(tmp_path / "a.csv", {"x": NUMBERS[:, 0], "y": NUMBERS[:, 1]})
    found = read_beside(tmp_path / "a.csv", 3, name="id")
    assert list(found) == ["x", "y"]
    assert_array_equal(np.column_stack(list(found.values())), NUMBERS)


@pytest.mark.parametrize("ids", [[10, 20, 30], ["10", "20", "30"]])
def test_rows_are_found_by_their_ids(tmp_path, ids):
    write_table(tmp_path / "a.parquet", {"id": [30, 10, 20, 40], "x": [3.0, 1.0, 2.0, 4.0]})
    found = read_beside(tmp_path / "a.parquet", 3, name="id", ids=np.array(ids, dtype=object))
    assert found["x"].tolist() == [1, 2, 3]


def test_a_column_of_lists_is_an_array(tmp_path):
    table = arrow.table({"id": ["b", "a", "c"], "embedding": [[2, 3], [0, 1], [4, 5]]})
    parquet.write_table(table, tmp_path / "a.parquet")
    ids = np.array(["a", "b", "c"], dtype=object)
    assert_array_equal(read_beside(tmp_path / "a.parquet", 3, name="id", ids=ids), NUMBERS)


def saved(path, content):
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, dict):
        write_table(path, content)
    elif isinstance(content, tuple):
        np.savez(path, *content)
    else:
        np.save(path, content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.npy", NUMBERS[:2], "has 2 rows, but the table has 3; it needs one for each"),
        ("a.npy", NUMBERS[:, 0], r"float64 of the shape \(3,\); numbers in rows and columns"),
        ("a.npy", np.array([["a"]]), "holds an array of <U1"),
        ("a.npy", b"nothing", "holds no array of numbers, or it is damaged"),
        ("a.npz", (NUMBERS, NUMBERS), r"holds 2 arrays \(arr_0, arr_1\); save the one"),
        ("a.pt", b"torch", "a.pt is no array"),
        ("a.csv", {"x": [1.0, 2.0]}, "has 2 rows, but the table has 3"),
        ("a.csv", {"x": [1.0, 2.0, 3.0], "y": ["a", "b", "c"]}, "column 'y' of .* not a number"),
        ("a.csv", {"id": ["a", "a", "b"], "x": [1, 2, 3]}, "has some ids twice"),
        ("a.csv", {"id": ["a", "x", "y"], "x": [1, 2, 3]}, "no row for 2 rows .* first is 'b'"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(tmp_path, name, content, sentence):
    path = saved(tmp_path / name, content)
    with pytest.raises(ValueError, match=sentence):
        read_beside(path, 3, name="id", ids=np.array(["a", "b", "c"], dtype=object))


def test_lists_of_several_lengths_get_a_sentence(tmp_path):
    parquet.write_table(arrow.table({"e": [[1, 2], [3], [4, 5]]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"not of one length, but of \[1, 2\]"):
        read_beside(tmp_path / "a.parquet", 3)
