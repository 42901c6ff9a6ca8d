from pathlib import Path

import numpy as np
import pytest

from errata.tables import read_table, write_table
from errata.tables._table import is_stored
from errata.tables.stored._files import (
    copy_files,
    find_files,
    get_copy_names,
    read_column,
    read_files,
)


@pytest.fixture
def folder(tmp_path):
    for name in ("part-10.parquet", "part-9.parquet", "part-1.parquet", "_metadata", ".x.crc"):
        (tmp_path / name).touch()
    return tmp_path


def names(files):
    return [file.name for file in files]


def test_numbers_in_names_count_as_numbers(folder):
    expected = ["part-1.parquet", "part-9.parquet", "part-10.parquet"]
    assert names(find_files(folder)) == expected
    assert names(find_files(f"{folder}/*")) == expected
    assert names(find_files(f"{folder}/part-[0-9].parquet")) == expected[:2]


def test_a_list_keeps_its_order_and_may_hold_patterns(folder):
    (folder / "more").mkdir()
    (folder / "more" / "a.csv").touch()
    found = find_files([folder / "part-9.parquet", f"{folder}/part-1*", folder / "more"])
    assert names(found) == ["part-9.parquet", "part-1.parquet", "part-10.parquet", "a.csv"]


def test_a_name_with_brackets_is_a_file_when_it_is_there(tmp_path):
    (tmp_path / "a[1].csv").touch()
    assert names(find_files(tmp_path / "a[1].csv")) == ["a[1].csv"]


def test_folders_below_only_when_the_pattern_says_so(folder):
    (folder / "b").mkdir()
    (folder / "b" / "part-2.parquet").touch()
    with pytest.raises(ValueError, match=r'holds a folder, b; say .* such as ".*\*\*/\*.parquet"'):
        find_files(folder)
    assert len(find_files(f"{folder}/**/*.parquet")) == 4


def test_folders_that_are_columns_elsewhere_get_a_sentence(tmp_path):
    (tmp_path / "year=2020").mkdir()
    with pytest.raises(ValueError, match=r'such as year=2020, .* partitioning="hive"'):
        find_files(tmp_path)


def test_what_is_no_table_is_not_passed_over(folder):
    (folder / "data.csv.bz2").touch()
    with pytest.raises(ValueError, match=r"holds data.csv.bz2 besides tables; say which files"):
        find_files(folder)


def test_formats_are_not_mixed_in_a_folder(folder):
    (folder / "readme.txt").touch()
    with pytest.raises(ValueError, match=r"several formats \(.parquet, .txt\)"):
        find_files(folder)


def test_what_is_not_there_gets_a_sentence(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no.csv does not exist\."):
        find_files(tmp_path / "no.csv")
    with pytest.raises(FileNotFoundError, match=r"no file matches .*no-\*.csv"):
        find_files(f"{tmp_path}/no-*.csv")
    with pytest.raises(FileNotFoundError, match="holds no table"):
        find_files(tmp_path)
    (tmp_path / "a.docx").touch()
    with pytest.raises(ValueError, match="has no ending that errata knows"):
        find_files(tmp_path / "a.docx")


def test_texts_are_no_paths(tmp_path):
    assert is_stored("visits")
    assert is_stored(["a.csv", "b.csv"])
    assert is_stored([tmp_path])
    assert is_stored((Path("a"),))
    assert not is_stored(["good service", "bad food."])
    assert not is_stored([])
    assert not is_stored([[1.0, 2.0]])
    assert not is_stored({"text": ["a.csv"]})


@pytest.fixture
def files(tmp_path):
    (tmp_path / "more").mkdir()
    paths = [tmp_path / name for name in ("a.csv", "b.parquet", "more/c.jsonl", "d.csv", "e.csv")]
    for number, path in enumerate(paths[:3]):
        write_table(path, {"x": [10 * number, 1], "y": [f"{number}a", f"{number}b"]})
    paths[3].write_text("x,y\n")
    paths[4].touch()
    return paths


def upper(cells, *where):
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
    copy_files(files, tmp_path / "out", "y", lambda cells, *where: ([False] * len(cells), cells))
    assert (tmp_path / "out" / "a.csv").read_text() == "x,y\n"
    assert (tmp_path / "out" / "more" / "c.jsonl").read_text() == ""
    with pytest.raises(ValueError, match="has a header but no rows"):
        read_table(tmp_path / "out" / "b.parquet")


def test_places_tell_file_and_rows_before(files, tmp_path):
    seen = []

    def rewrite(cells, start, file, row):
        seen.append((file.name, row, start, len(cells)))
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
