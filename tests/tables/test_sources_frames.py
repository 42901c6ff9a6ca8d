import pytest

from errata.tables import write_table
from errata.tables.stored._sources import is_stored, open_source

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
dataset = pytest.importorskip("pyarrow.dataset", reason="pyarrow is not installed")
fs = pytest.importorskip("pyarrow.fs", reason="pyarrow is not installed")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "stored"
    folder.mkdir()
    write_table(folder / "a.parquet", {"x": [1, 2, 3], "y": ["a", "b", "c"]})
    write_table(folder / "b.parquet", {"x": [4, 5], "y": ["d", "e"]})
    return folder


def opened(X, tmp_path):
    assert is_stored(X)
    source = open_source(X, scratch=tmp_path / "scratch", rows_per_part=2)
    return source, arrow.concat_tables(part.read() for part in source.parts).to_pydict()


def is_copied(tmp_path):
    return any((tmp_path / "scratch").glob("*"))


def test_parquet_of_a_dataset_is_read_in_place(folder, tmp_path):
    source, found = opened(dataset.dataset(folder), tmp_path)
    assert found == {"x": [1, 2, 3, 4, 5], "y": ["a", "b", "c", "d", "e"]}
    assert not is_copied(tmp_path)
    assert source.files == [str(folder / "a.parquet"), str(folder / "b.parquet")]
    assert source.fingerprint() == opened(folder, tmp_path)[0].fingerprint()


def test_files_of_another_filesystem_are_read_there(folder, tmp_path):
    elsewhere = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())
    source, found = opened(dataset.dataset("", filesystem=elsewhere), tmp_path)
    assert found["x"] == [1, 2, 3, 4, 5]
    assert not is_copied(tmp_path)
    assert source.files == ["a.parquet", "b.parquet"]


def test_a_filtered_dataset_is_filtered(folder, tmp_path):
    kept = dataset.dataset(folder).filter(dataset.field("x") > 2)
    source, found = opened(kept, tmp_path)
    assert found == {"x": [3, 4, 5], "y": ["c", "d", "e"]}
    assert source.files == []
    assert source.parts[0].name == "the dataset, rows 0 to 0"


def test_folders_are_columns_when_the_dataset_says_so(tmp_path):
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        write_table(tmp_path / f"year={year}" / "a.parquet", {"x": [year - 2000]})
    _, found = opened(dataset.dataset(tmp_path, partitioning="hive"), tmp_path)
    assert found == {"x": [20, 21], "year": [2020, 2021]}


def test_text_of_a_dataset_has_the_types_it_has_there(tmp_path):
    write_table(tmp_path / "a.csv", {"x": [1, 2]})
    _, found = opened(dataset.dataset(tmp_path / "a.csv", format="csv"), tmp_path)
    assert found == {"x": [1, 2]}


def test_a_lazy_frame_is_written_and_known_by_what_it_holds(tmp_path):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.LazyFrame({"x": [1, 2, 3], "y": ["a", None, "c"]})
    source, found = opened(frame.filter(polars.col("x") > 1), tmp_path)
    assert found == {"x": [2, 3], "y": [None, "c"]}
    same = opened(frame.filter(polars.col("x") > 1), tmp_path)[0]
    other = opened(frame.filter(polars.col("x") < 3), tmp_path)[0]
    assert source.fingerprint() == same.fingerprint()
    assert source.fingerprint() != other.fingerprint()


def test_an_empty_frame_gets_a_sentence(tmp_path):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(ValueError, match="the frame holds no rows"):
        opened(polars.LazyFrame({"x": []}), tmp_path)
