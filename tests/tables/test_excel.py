import datetime

import pytest

from errata.tables import read_table

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
pytest.importorskip("python_calamine", reason="python-calamine is not installed")

DAY = datetime.datetime(2020, 1, 2)
NOON = datetime.time(12)


def workbook_of(path, *rows, edit=lambda sheet: None):
    """A workbook with these rows in its first sheet."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    edit(book.active)
    book.save(path)
    return path


def test_every_column_has_one_type(tmp_path):
    names = ["whole", "number", "yes", "day", "span", "mixed", "text"]
    path = workbook_of(
        tmp_path / "t.xlsx",
        names,
        [1, 1.5, True, DAY, NOON, 3, "01"],
        [None, 2, False, DAY.replace(hour=3), datetime.timedelta(hours=30), "3b", None],
        [7, None, True, None, None, True, "NA"],
    )
    found = read_table(path)
    assert found.to_pydict() == {
        "whole": [1, None, 7],
        "number": [1.5, 2.0, None],
        "yes": [True, False, True],
        "day": [DAY, DAY.replace(hour=3), None],
        "span": [datetime.timedelta(hours=12), datetime.timedelta(hours=30), None],
        "mixed": ["3", "3b", "TRUE"],
        "text": ["01", None, "NA"],
    }
    assert found.schema.field("whole").type == arrow.int64()
    assert found.schema.field("day").type == arrow.timestamp("us")


def test_a_number_too_large_to_be_exact_stays_a_float(tmp_path):
    path = workbook_of(tmp_path / "t.xlsx", ["x"], [1e300], [2])
    assert read_table(path)["x"].to_pylist() == [1e300, 2.0]


def test_names_that_are_numbers_or_dates_are_text(tmp_path):
    path = workbook_of(tmp_path / "t.xlsx", [2020, DAY, True], [1, 2, 3])
    assert read_table(path).column_names == ["2020", "2020-01-02", "TRUE"]


def test_columns_come_in_the_order_they_are_asked_for(tmp_path):
    path = workbook_of(tmp_path / "t.xlsx", ["a", "b"], [1, 2])
    assert read_table(path, ["b", "a"]).to_pydict() == {"b": [2], "a": [1]}
    with pytest.raises(ValueError, match=r"has no column 'c'"):
        read_table(path, ["c"])


def test_empty_rows_and_columns_are_not_there(tmp_path):
    rows = [None, None, None], ["a", None, "b"], [1, None, 2], [None] * 3, [3, None, None]
    assert read_table(workbook_of(tmp_path / "t.xlsx", *rows)).to_pydict() == {
        "a": [1, 3],
        "b": [2, None],
    }


def test_the_first_column_may_be_nameless(tmp_path):
    path = workbook_of(tmp_path / "t.xlsx", [None, "a"], [0, "x"], [1, "y"])
    assert read_table(path).column_names == ["", "a"]


@pytest.mark.parametrize(
    ("rows", "merged", "sentence"),
    [
        ([["Pets of 2020"], ["a", "b"], [1, 2]], None, "names 1 column in the first row of its"),
        ([["a", None], [1, 2]], None, "delete what stands above them and split merged cells"),
        ([["a", "b"], [1, 2], [3, 4]], "A2:A3", r"has merged cells \(the first at A2\)"),
        ([["a", "b"]], None, "has a header but no rows"),
        ([["a", "a"], [1, 2]], None, "has 2 columns named 'a'; rename one of them"),
        ([], None, "has nothing in its first sheet, 'Sheet'"),
    ],
)
def test_what_is_no_table_gets_a_sentence(tmp_path, rows, merged, sentence):
    path = workbook_of(
        tmp_path / "t.xlsx", *rows, edit=lambda sheet: merged and sheet.merge_cells(merged)
    )
    with pytest.raises(ValueError, match=sentence):
        read_table(path)


def test_an_empty_first_sheet_names_the_others(tmp_path):
    path = workbook_of(tmp_path / "t.xlsx", edit=lambda sheet: sheet.parent.create_sheet("pets"))
    with pytest.raises(ValueError, match=r"move the sheet with the table \(pets\) to the front"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.xlsx", "t.xls", "t.ods"])
@pytest.mark.parametrize(
    ("raw", "sentence"),
    [(b"", "is empty"), (b"a,b\n1,2\n", "is not a workbook"), (b"PK\x03\x04", "it is damaged")],
)
def test_a_file_that_is_no_workbook_gets_a_sentence(tmp_path, name, raw, sentence):
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(ValueError, match=sentence):
        read_table(tmp_path / name)
