import datetime
import zipfile

import pytest

from errata.tables import copy_with_column, copy_with_rows, read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
pytest.importorskip("python_calamine", reason="python-calamine is not installed")

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


def test_a_formula_becomes_the_value_it_showed(pets, monkeypatch):
    from errata.tables.formats import _excel

    def computed(path, read=_excel.read_sheet):
        sheet = read(path)
        sheet.rows[0][2] = 8.0  # what Excel would have left there; openpyxl computes nothing
        return sheet

    monkeypatch.setattr(_excel, "read_sheet", computed)
    copy_with_rows(pets, pets.with_name("out.xlsx"), [True] * 4)
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
