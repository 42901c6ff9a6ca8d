import numpy as np
import pytest
from scipy import sparse

from errata.auditing._examples import RowValues, example_rows
from errata.auditing._pixels import check_pixels

PIXELS = np.arange(12.0).reshape(3, 4)


def test_all_flagged_rows_and_some_more_come_worst_first():
    suspicion = np.random.default_rng(0).random(500)
    flagged = suspicion > 0.5
    rows = example_rows(suspicion, flagged)
    assert (np.diff(suspicion[rows]) <= 0).all()
    assert set(np.flatnonzero(flagged)) <= set(rows)
    assert len(example_rows(suspicion, suspicion > 2)) == 100
    assert len(example_rows(suspicion[:7], flagged[:7])) == 7


@pytest.mark.parametrize("library", ["pandas", "polars", "dict"])
def test_cells_are_told_under_their_names(library):
    columns = {"weight": [4.0, 31.123456789], "pet": ["cat", "x" * 300]}
    table = columns if library == "dict" else pytest.importorskip(library).DataFrame(columns)
    told = RowValues(table, None).of(1)
    assert told["weight"] == "31.1235"
    assert len(told["pet"]) == 200
    assert told["pet"].endswith("…")


def test_files_that_are_not_there_have_no_picture():
    values = RowValues({"file": ["a.png", "b.PNG"], "size": [1, 2]}, None)
    assert values.picture(0) is None
    assert values.of(1) == {"file": "b.PNG", "size": "2"}


@pytest.mark.parametrize(
    "table",
    [PIXELS, sparse.csr_array(PIXELS), {f"p{j}": PIXELS[:, j].astype(str) for j in range(4)}],
    ids=["array", "sparse", "text"],
)
def test_rows_of_pixels_become_pictures(table):
    check_pixels(table, (2, 2))
    values = RowValues(table, (2, 2))
    assert values.picture(1).startswith("data:image/")
    assert values.of(1) == {}
    with pytest.raises(ValueError, match="image_shape says 3 x 3 pixels, but the table has 4"):
        check_pixels(table, (3, 3))
