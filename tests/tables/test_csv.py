import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import copy_with_column, read_table, write_table
from errata.tables.formats._csv import _replace_cell
from errata.tables.formats._records import (
    Change,
    Record,
    apply_change,
    attach_blank_lines,
    detect_encoding,
    make_change,
)

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
    changed = _replace_cell(row, place, new, delimiter)
    found = row_of(changed.raw, delimiter).cells
    assert found == [*values[:place], new, *values[place + 1 :]]
    assert _replace_cell(row_of(changed.raw, delimiter), place, values[place], delimiter).raw.count(
        delimiter
    ) == line.getvalue().count(delimiter)


@given(st.text(st.sampled_from('ab",\t é'), max_size=12))
def test_any_line_is_cut_where_the_csv_module_cuts_it(raw):
    row = row_of(raw + "\n") if raw else row_of("x\n")
    if row.cells and "\n" not in "".join(row.cells):
        for place in range(len(row.cells)):
            found = row_of(_replace_cell(row, place, "NEW", ",").raw).cells
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
    assert _replace_cell(row_of(raw), 1, new, ",").raw == expected


def test_an_empty_cell_alone_on_its_line_stays_a_row(tmp_path):
    (tmp_path / "in.csv").write_text("y\na\nb\n")
    copy_with_column(tmp_path / "in.csv", tmp_path / "out.csv", "y", ["", "b"])
    assert (tmp_path / "out.csv").read_text() == 'y\n""\nb\n'
    assert read_table(tmp_path / "out.csv")["y"].to_pylist() == ["", "b"]


def test_a_mark_before_a_quoted_name_is_no_part_of_it(tmp_path):
    (tmp_path / "in.csv").write_bytes('"a, b";y\n1;2\n'.encode("utf-8-sig"))
    assert read_table(tmp_path / "in.csv").column_names == ["a, b", "y"]


def test_windows_text_keeps_its_signs(tmp_path):
    (tmp_path / "in.csv").write_bytes("price,y\n5 €,“a”\n".encode("cp1252"))
    assert read_table(tmp_path / "in.csv")["price"].to_pylist() == ["5 €"]


def test_big_endian_text_stays_so(tmp_path):
    content = "\ufeffx\ty\n1\té\n".encode("utf-16-be")
    (tmp_path / "in.tsv").write_bytes(content)
    copy_with_column(tmp_path / "in.tsv", tmp_path / "out.tsv", "x", ["1"])
    assert (tmp_path / "out.tsv").read_bytes() == content


def test_one_long_cell_does_not_widen_the_others(tmp_path):
    rows = 20_000
    (tmp_path / "in.csv").write_text("x,y\n" + "1,a\n" * rows + f'2,"{"long, " * 1000}"\n')
    table = read_table(tmp_path / "in.csv")
    assert table["y"].to_pylist()[-1] == "long, " * 1000
    assert table.nbytes < 20 * rows


@pytest.mark.parametrize("length", [200_000, 3_000_000])
def test_cells_of_any_length_are_read_and_copied(tmp_path, length):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    text = "é" * length
    limit = csv.field_size_limit()
    source.write_text(f'x,y\n"{text}",a\n1,b\n', encoding="utf-8")
    assert read_table(source).to_pydict() == {"x": [text, "1"], "y": ["a", "b"]}
    copy_with_column(source, target, "y", ["b", "b"])
    assert target.read_text(encoding="utf-8") == f'x,y\n"{text}",b\n1,b\n'
    assert csv.field_size_limit() == limit


def test_line_ends_in_cells_do_not_mind_where_a_block_ends(tmp_path):
    cells = [f"{i}\n{i}\n" for i in range(120_000)]
    write_table(tmp_path / "in.csv", {"x": cells, "y": ["a"] * len(cells)})
    assert (tmp_path / "in.csv").stat().st_size > 1 << 20
    assert read_table(tmp_path / "in.csv")["x"].to_pylist() == cells


def test_a_header_longer_than_a_block_is_read(tmp_path):
    names = [f"{i} {'of many ' * 40}" for i in range(4_000)]
    cells = ["1"] * len(names)
    (tmp_path / "in.csv").write_text(",".join(names) + "\n" + ",".join(cells) + "\n")
    assert read_table(tmp_path / "in.csv").shape == (1, 4_000)


ODD = st.text(st.sampled_from('ab",\n\r é0'), max_size=40)


@given(ODD, st.sampled_from(["\n", "\r\n"]))
def test_arrow_reads_what_the_csv_module_would(tmp_path_factory, text, line_end):
    path = tmp_path_factory.mktemp("odd") / "t.csv"
    path.write_bytes(f"x,y{line_end}1,2{line_end}{text}".encode())
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))
    rows = [row for row in rows[1:] if row]
    *_, last = csv.reader(io.StringIO(f"{path.read_bytes().decode()}\nend,end", newline=""))
    try:
        read_table(path)
    except ValueError as error:
        if "never closed" in str(error):
            assert last != ["end", "end"]
            return
    if all(len(row) == 2 for row in rows):
        assert read_table(path).to_pydict() == {
            name: list(cells) for name, cells in zip("xy", zip(*rows, strict=True), strict=True)
        }
    else:
        with pytest.raises(ValueError, match=r"line \d+ of .* cells?, but the header has 2"):
            read_table(path)


def test_cells_are_the_text_that_stands_there(tmp_path):
    (tmp_path / "in.csv").write_text("a,b,c,d\n01,4.00,true,2020-01-01\n, NA ,1e3,12:30\n")
    assert read_table(tmp_path / "in.csv", ["d", "a", "b", "c"]).to_pydict() == {
        "d": ["2020-01-01", "12:30"],
        "a": ["01", ""],
        "b": ["4.00", " NA "],
        "c": ["true", "1e3"],
    }


def test_the_line_of_a_ragged_row_counts_lines_in_quotes_and_blank_ones(tmp_path):
    (tmp_path / "in.csv").write_text('x,y\n"a\nb",1\n\n2\n')
    with pytest.raises(ValueError, match=r"line 5 of .* has 1 cell, but the header has 2"):
        read_table(tmp_path / "in.csv")


@pytest.mark.parametrize("line", ['1,"cat', '"1,cat', '"1,cat"",'])
def test_a_quote_that_is_never_closed_is_named_with_its_line(tmp_path, line):
    (tmp_path / "t.csv").write_text(f"x,y\n1,dog\n{line}\n" + "2,dog\n" * 5)
    with pytest.raises(
        ValueError, match=r'a quote \("\) opens a cell in line 3 of .* never closed'
    ):
        read_table(tmp_path / "t.csv")


def test_a_last_cell_of_several_lines_is_read(tmp_path):
    (tmp_path / "t.csv").write_text('x,y\n1,dog\n2,"cat\nand mouse"\n')
    assert read_table(tmp_path / "t.csv")["y"].to_pylist() == ["dog", "cat\nand mouse"]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"plain", "utf-8"),
        ("naïve".encode(), "utf-8"),
        ("naïve €".encode("cp1252"), "cp1252"),
        (b"\x81 \xe9", "latin-1"),  # Windows-1252 has no 0x81
        ("é".encode("utf-16"), "utf-16-le"),
        ("\ufeffé".encode("utf-16-be"), "utf-16-be"),
        (b"a" * (1 << 17) + b"\xe9", "cp1252"),  # the odd byte comes late
    ],
)
def test_encodings_are_told_apart(tmp_path, content, encoding):
    (tmp_path / "t.txt").write_bytes(content)
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(content))
    assert detect_encoding(tmp_path / "t.txt") == encoding
    assert detect_encoding(tmp_path / "t.txt.gz") == encoding


def test_a_packed_file_without_the_name_of_one_gets_a_sentence(tmp_path):
    (tmp_path / "t.csv").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    with pytest.raises(ValueError, match=r"is compressed with gzip \(add \.gz to its name\)"):
        detect_encoding(tmp_path / "t.csv")


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-be"])
def test_utf_32_is_named(tmp_path, encoding):
    mark = "" if encoding == "utf-32" else "\ufeff"
    (tmp_path / "t.csv").write_bytes(f"{mark}x,y\n1,2\n".encode(encoding))
    with pytest.raises(ValueError, match=r"t.csv is UTF-32 text, .* save it as UTF-8"):
        detect_encoding(tmp_path / "t.csv")


@given(st.lists(st.booleans(), min_size=1))
def test_blank_lines_hang_on_and_nothing_is_lost(blanks):
    records = [Record(f"{i}\n", None if blank else [i], i) for i, blank in enumerate(blanks)]
    joined = list(attach_blank_lines(records))
    assert "".join(record.raw for record in joined) == "".join(record.raw for record in records)
    rows = [record.cells for record in records if record.cells is not None]
    assert [record.cells for record in joined] == (rows or [None])


def test_rows_that_go_are_not_given():
    records = [Record(f"{i}\n", [i], i) for i in range(3)]
    change = make_change(np.array([True, False, True]), "y", ["a", "b", "c"])

    def kept(records):
        found = apply_change(records, lambda record: record.cells[0], change, Path("t"))
        return [(record.cells[0], value) for record, value in found]

    assert kept(records) == [(0, "a"), (2, "c")]
    for others in (records[:2], [*records, records[0]]):
        with pytest.raises(ValueError, match=f"t has {len(others)} rows, but 3 values were given"):
            kept(others)


def test_a_change_sees_cells_and_places_some_rows_at_a_time(monkeypatch):
    monkeypatch.setattr("errata.tables.formats._records.COPIED_ROWS", 2)
    records = [Record(f"{i}\n", [i], i) for i in range(5)]
    seen = []

    def of(start, cells):
        seen.append((start, cells))
        return [cell != 3 for cell in cells], [10 * cell for cell in cells]

    found = apply_change(records, lambda record: record.cells[0], Change("y", of), Path("t"))
    assert [value for _, value in found] == [0, 10, 20, 40]
    assert seen == [(0, [0, 1]), (2, [2, 3]), (4, [4])]
