from pathlib import Path

import pytest

from errata.tables.stored._files import find_files, is_table_path


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
    assert is_table_path("visits")
    assert is_table_path(["a.csv", "b.csv"])
    assert is_table_path([tmp_path])
    assert is_table_path((Path("a"),))
    assert not is_table_path(["good service", "bad food."])
    assert not is_table_path([])
    assert not is_table_path([[1.0, 2.0]])
    assert not is_table_path({"text": ["a.csv"]})
