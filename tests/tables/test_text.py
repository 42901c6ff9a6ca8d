import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import copy_with_column, read_columns
from errata.tables._records import Record
from errata.tables._text import _with_cell

cells = st.text(st.sampled_from('ab",;\n\r é'), max_size=6)


def row_of(raw, delimiter=","):
    return Record(raw, next(csv.reader(io.StringIO(raw, newline=""), delimiter=delimiter)), 1)


@given(st.lists(cells, min_size=2, max_size=5), st.data(), st.sampled_from(",;"))
def test_one_cell_changes_and_the_others_keep_every_byte(values, data, delimiter):
    line = io.StringIO(newline="")
    quoting = data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    csv.writer(line, delimiter=delimiter, quoting=quoting).writerow(values)
    place = data.draw(st.integers(0, len(values) - 1))
    new = data.draw(cells)
    row = row_of(line.getvalue(), delimiter)
    changed = _with_cell(row, place, new, delimiter)
    found = row_of(changed.raw, delimiter).cells
    assert found == [*values[:place], new, *values[place + 1 :]]
    assert _with_cell(row_of(changed.raw, delimiter), place, values[place], delimiter).raw.count(
        delimiter
    ) == line.getvalue().count(delimiter)


@given(st.text(st.sampled_from('ab",\t é'), max_size=12))
def test_any_line_is_cut_where_the_csv_module_cuts_it(raw):
    row = row_of(raw + "\n") if raw else row_of("x\n")
    if row.cells and "\n" not in "".join(row.cells):
        for place in range(len(row.cells)):
            found = row_of(_with_cell(row, place, "NEW", ",").raw).cells
            assert found == [*row.cells[:place], "NEW", *row.cells[place + 1 :]]


@pytest.mark.parametrize(
    ("raw", "new", "expected"),
    [
        ('1,"a",2\n', "b", '1,"b",2\n'),  # quotes stay
        ("1,a,2", "x,y", '1,"x,y",2'),  # and come where they must
        ('"1""," , "a",2\r\n', "a", '"1""," ,a,2\r\n'),
        ("1,a,2\n", None, "1,,2\n"),
        ("1,a,2\n", 3.5, "1,3.5,2\n"),
    ],
)
def test_a_cell_is_written_as_the_old_one_was(raw, new, expected):
    assert _with_cell(row_of(raw), 1, new, ",").raw == expected


def test_an_empty_cell_alone_on_its_line_stays_a_row(tmp_path):
    (tmp_path / "in.csv").write_text("y\na\nb\n")
    copy_with_column(tmp_path / "in.csv", tmp_path / "out.csv", "y", ["", "b"])
    assert (tmp_path / "out.csv").read_text() == 'y\n""\nb\n'
    assert read_columns(tmp_path / "out.csv")["y"].tolist() == ["", "b"]


def test_a_mark_before_a_quoted_name_is_no_part_of_it(tmp_path):
    (tmp_path / "in.csv").write_bytes('"a, b";y\n1;2\n'.encode("utf-8-sig"))
    assert list(read_columns(tmp_path / "in.csv")) == ["a, b", "y"]


def test_windows_text_keeps_its_signs(tmp_path):
    (tmp_path / "in.csv").write_bytes("price,y\n5 €,“a”\n".encode("cp1252"))
    assert read_columns(tmp_path / "in.csv")["price"].tolist() == ["5 €"]


def test_big_endian_text_stays_so(tmp_path):
    content = "\ufeffx\ty\n1\té\n".encode("utf-16-be")
    (tmp_path / "in.tsv").write_bytes(content)
    copy_with_column(tmp_path / "in.tsv", tmp_path / "out.tsv", "x", ["1"])
    assert (tmp_path / "out.tsv").read_bytes() == content
