import numpy as np
import pytest
from scipy import sparse

from errata.auditing.examples._views import RowValues
from errata.auditing.inputs._features import check_pixels
from errata.tables._pictures import get_picture_content

PIXELS = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("library", ["pandas", "polars", "dict"])
def test_cells_are_told_under_their_names_in_the_order_asked_for(library):
    columns = {"weight": [4.0, 31.123456789], "pet": ["cat", "x" * 3_000]}
    table = columns if library == "dict" else pytest.importorskip(library).DataFrame(columns)
    told = RowValues(table, None).of(1, [1, 0])
    assert list(told) == ["pet", "weight"]
    assert told["weight"] == "31.1235"
    assert len(told["pet"]) == 2_000
    assert told["pet"].endswith("…")


def test_columns_of_an_array_are_named_by_their_place():
    assert RowValues(PIXELS, None).of(1, [2]) == {"column 2": "6"}


def test_files_that_are_not_there_have_no_picture():
    values = RowValues({"file": ["a.png", "b.PNG"], "size": [1, 2]}, None)
    assert values.picture(0) is None
    assert values.of(1, [0, 1]) == {"file": "b.PNG", "size": "2"}


def test_a_column_of_file_names_is_found_wherever_it_is(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (2, 2)).save(tmp_path / "a.png")
    columns = {f"c{j}": [1] for j in range(40)} | {"file": [str(tmp_path / "a.png")]}
    assert RowValues(columns, None).picture(0).startswith("data:image/")


@pytest.mark.parametrize(
    "table",
    [PIXELS, sparse.csr_array(PIXELS), {f"p{j}": PIXELS[:, j].astype(str) for j in range(4)}],
    ids=["array", "sparse", "text"],
)
def test_rows_of_pixels_become_pictures(table):
    check_pixels(table, (2, 2))
    values = RowValues(table, (2, 2))
    assert values.picture(1).startswith("data:image/")
    assert values.columns == []
    with pytest.raises(ValueError, match="image_shape says 3 x 3 pixels, but the table has 4"):
        check_pixels(table, (3, 3))


def test_a_picture_within_a_cell_is_shown_and_named():
    picture = pytest.importorskip("PIL.Image").new("RGB", (2, 2))
    raw = get_picture_content(picture)
    for cell, name in (({"bytes": raw, "path": "a.png"}, "a.png"), (raw, ""), (picture, "")):
        values = RowValues({"photo": [cell, cell]}, None)
        assert values.file_name(0) is None
        assert values.drawn(0).startswith("data:image/png")
        assert values.picture(0) == values.drawn(0)
        assert values.of(0, [0]) == {"photo": name}
