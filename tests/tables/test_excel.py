import datetime
import re
import zipfile

import pyarrow as arrow
import pytest

from errata.tables import copy_with_column, copy_with_rows, read_table, write_table

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


RED = openpyxl.styles.PatternFill("solid", fgColor="FFFF0000")


@pytest.fixture
def pets(tmp_path):
    """A workbook with an empty row, a formula, a coloured cell, a tall row and a second sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["legs", "pet", "twice"], [4, "cat", "=A2*2"], [2, "bird"], [], [4, 3], [8, "ant"]):
        sheet.append(row)
    sheet["A5"].fill = RED
    sheet.row_dimensions[5].height = 40
    sheet.auto_filter.ref = "A1:C6"
    sheet.add_table(openpyxl.worksheet.table.Table(displayName="Pets", ref="A1:C6"))
    sheet.column_dimensions["B"].width = 33
    book.create_sheet("notes").append(["=COUNT(Sheet!A:A)"])
    book.save(tmp_path / "pets.xlsx")
    return tmp_path / "pets.xlsx"


def test_labels_change_and_nothing_else(pets):
    out = pets.with_name("out.xlsx")
    copy_with_column(pets, out, "pet", ["cat", "crow", "3", "spider"])
    sheet = openpyxl.load_workbook(out).active
    assert [cell.value for cell in sheet["B"]] == ["pet", "cat", "crow", None, 3, "spider"]
    assert [cell.value for cell in sheet["A"]] == ["legs", 4, 2, None, 4, 8]
    assert sheet["A5"].fill == RED
    assert sheet.column_dimensions["B"].width == 33


def test_rows_go_and_the_others_move_up_as_they_looked(pets):
    out = pets.with_name("out.xlsx")
    copy_with_rows(pets, out, [False, True, True, False], name="pet", values=["", "bird", "3", ""])
    book = openpyxl.load_workbook(out)
    sheet = book.active
    assert [cell.value for cell in sheet["A"]] == ["legs", 2, None, 4]
    assert sheet["A4"].fill == RED
    assert sheet["A2"].fill != RED
    assert sheet.row_dimensions[4].height == 40
    assert 5 not in sheet.row_dimensions
    assert sheet.tables["Pets"].ref == sheet.auto_filter.ref == "A1:C4"
    assert book["notes"]["A1"].value == "=COUNT(Sheet!A:A)"
    assert read_table(out).to_pydict()["pet"] == ["bird", "3"]


def test_a_formula_becomes_the_value_it_showed(pets):
    computed = pets.with_name("computed.xlsx")  # with what Excel leaves; openpyxl computes nothing
    with zipfile.ZipFile(pets) as book, zipfile.ZipFile(computed, "w") as copy:
        for name in book.namelist():
            shown = re.sub(rb"(?<=<f>A2\*2</f>)<v( ?/>|></v>)", b"<v>8</v>", book.read(name))
            copy.writestr(name, shown)
    copy_with_rows(computed, pets.with_name("out.xlsx"), [True] * 4)
    assert openpyxl.load_workbook(pets.with_name("out.xlsx")).active["C2"].value == 8


def test_text_that_looks_like_a_formula_stays_text(tmp_path):
    write_table(tmp_path / "t.xlsx", {"a": ["=1+1", "b"]})
    copy_with_column(tmp_path / "t.xlsx", tmp_path / "u.xlsx", "a", ["=1+1", "=2+2"])
    assert read_table(tmp_path / "t.xlsx")["a"].to_pylist() == ["=1+1", "b"]
    assert read_table(tmp_path / "u.xlsx")["a"].to_pylist() == ["=1+1", "=2+2"]


def test_what_is_written_is_read_again(tmp_path):
    day = datetime.datetime(2020, 1, 2, 3, 4)
    table = {"n": [1, 2], "x": [0.5, None], "b": [True, False], "d": [day, day], "t": ["01", "é"]}
    write_table(tmp_path / "t.xlsx", table)
    assert read_table(tmp_path / "t.xlsx").to_pydict() == table


def test_not_a_number_is_an_empty_cell(tmp_path):
    write_table(tmp_path / "t.xlsx", {"x": [float("nan"), 1.5], "y": ["a", "b"]})
    assert read_table(tmp_path / "t.xlsx")["x"].to_pylist() == [None, 1.5]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (float("inf"), "cannot hold inf; Excel knows"),
        ([1], r"cannot hold \[1\]; Excel knows"),
        ("x" * 32_768, "cannot hold a text of 32,768 characters"),
        ("a\x00b", "it has control characters"),
    ],
)
def test_what_excel_does_not_take_gets_a_sentence(tmp_path, value, sentence):
    with pytest.raises(ValueError, match=sentence):
        write_table(tmp_path / "t.xlsx", {"x": [value]})
    assert not list(tmp_path.iterdir())


def test_too_many_rows_get_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("errata.tables.formats._excel.MOST_ROWS", 3)
    write_table(tmp_path / "t.xlsx", {"x": [1, 2]})
    with pytest.raises(ValueError, match="cannot hold 3 rows of 1 columns"):
        write_table(tmp_path / "u.xlsx", {"x": [1, 2, 3]})


def open_document(path, rows):
    """The least that is a spreadsheet of OpenDocument."""
    text = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    lines = "".join(
        f"<table:table-row>{''.join(map(text.format, row))}</table:table-row>" for row in rows
    )
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet><table:table "
        f'table:name="one">{lines}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
    return path


def test_older_formats_are_read_and_copied_as_xlsx(tmp_path):
    old = open_document(tmp_path / "t.ods", [["x", "y"], ["1", "a"], ["2", "b"]])
    assert read_table(old).to_pydict() == {"x": ["1", "2"], "y": ["a", "b"]}
    with pytest.raises(ValueError, match=r"another format than t.ods; give it the ending .xlsx"):
        copy_with_rows(old, tmp_path / "u.ods", [True, False])
    copy_with_rows(old, tmp_path / "u.xlsx", [False, True], name="y", values=["a", "c"])
    assert read_table(tmp_path / "u.xlsx").to_pydict() == {"x": ["2"], "y": ["c"]}
    with pytest.raises(ValueError, match=r"a format that errata only reads; write .xlsx"):
        write_table(tmp_path / "v.xls", {"x": [1]})


def test_more_or_fewer_values_than_rows_get_a_sentence(pets):
    with pytest.raises(ValueError, match="has 4 rows, but 3 values were given"):
        copy_with_column(pets, pets.with_name("out.xlsx"), "pet", ["a", "b", "c"])
    assert not pets.with_name("out.xlsx").exists()
