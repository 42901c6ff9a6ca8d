from pathlib import Path

import numpy as np
import pytest

from errata.tables import read_table, write_table
from errata.tables.stored._files import copy_files, get_copy_names, read_column, read_files

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "more").mkdir()
    paths = [tmp_path / name for name in ("a.csv", "b.parquet", "more/c.jsonl", "d.csv", "e.csv")]
    for number, path in enumerate(paths[:3]):
        write_table(path, {"x": [10 * number, 1], "y": [f"{number}a", f"{number}b"]})
    paths[3].write_text("x,y\n")
    paths[4].touch()
    return paths


def upper(place, cells):
    return [cell != "1a" for cell in cells], [cell.upper() for cell in cells]


def test_copies_have_the_names_of_their_files_and_the_rest_as_it_was(files, tmp_path):
    out = tmp_path / "out"
    assert copy_files(files, out, "y", upper) == 6
    assert (out / "a.csv").read_text() == "x,y\n0,0A\n1,0B\n"
    assert read_table(out / "b.parquet").to_pydict() == {"x": [1], "y": ["1B"]}
    assert (out / "more" / "c.jsonl").read_text() == '{"x": 20, "y": "2A"}\n{"x": 1, "y": "2B"}\n'
    assert (out / "d.csv").read_text() == "x,y\n"
    assert (out / "e.csv").read_text() == ""


def test_all_rows_of_a_file_may_go(files, tmp_path):
    copy_files(files, tmp_path / "out", "y", lambda place, cells: ([False] * len(cells), cells))
    assert (tmp_path / "out" / "a.csv").read_text() == "x,y\n"
    assert (tmp_path / "out" / "more" / "c.jsonl").read_text() == ""
    with pytest.raises(ValueError, match="has a header but no rows"):
        read_table(tmp_path / "out" / "b.parquet")


def test_places_tell_file_and_rows_before(files, tmp_path):
    seen = []

    def rewrite(place, cells):
        seen.append((place.file.name, place.row, place.rows_before, len(cells)))
        return [True] * len(cells), cells

    copy_files(files, tmp_path / "out", "y", rewrite)
    assert seen == [("a.csv", 0, 0, 2), ("b.parquet", 0, 2, 2), ("c.jsonl", 0, 4, 2)]


def test_a_column_of_several_files_keeps_what_its_cells_are(tmp_path):
    write_table(tmp_path / "a.parquet", {"y": [1, 2]})
    write_table(tmp_path / "b.parquet", {"y": [2.0, None]})
    write_table(tmp_path / "c.parquet", {"y": ["x"]})
    paths = [tmp_path / f"{name}.parquet" for name in "abc"]
    found = read_column(paths[:2], "y")
    np.testing.assert_array_equal(found, [1.0, 2.0, 2.0, np.nan])
    assert read_column(paths[::2], "y").tolist() == [1, 2, "x"]


def test_files_without_rows_are_passed_over_unless_there_are_no_others(files):
    assert read_column(files, "y").tolist() == ["0a", "0b", "1a", "1b", "2a", "2b"]
    with pytest.raises(ValueError, match=r"none of the files in .* holds a row"):
        read_column(files[3:], "y")


def test_files_are_read_as_one_table(files, tmp_path):
    assert read_files(files[1:])["x"].to_pylist() == [10, 1, 20, 1]
    write_table(tmp_path / "z.csv", {"x": [1], "z": [2]})
    with pytest.raises(ValueError, match=r"z.csv has no column 'y', but .*a.csv has"):
        read_files([*files, tmp_path / "z.csv"])


def test_names_are_told_apart_by_their_folders():
    names = get_copy_names([Path("/v/2020/a.csv"), Path("/v/2021/a.csv")])
    assert names == [Path("2020/a.csv"), Path("2021/a.csv")]
    assert get_copy_names([Path("/v/2020/a.csv")]) == [Path("a.csv")]
