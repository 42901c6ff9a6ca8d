import csv

import pytest

from errata.tables import read_table, write_table
from errata.tables._table import guard_formula

FORMULAS = ["=1+1", "+cat", "@SUM(A1)", "\t=1", "\r\n=1", "\n=1", "-1_000", "-inf", "+1;=2", "--1"]


@pytest.mark.parametrize("text", FORMULAS, ids=ascii)
def test_what_begins_like_a_formula_gets_an_apostrophe(text):
    assert guard_formula(text) == f"'{text}"


TEXTS = ["cat", "a=b", "", "two\nlines", "a\tb", "caf\xe9", "\u0645\u06cc\u200c\u0634\u0648\u062f"]
NOT_CHANGED = ["-", "+", "-1", "+1.5", "-.5e-3", "1.", *TEXTS, None, -1.5, True]


@pytest.mark.parametrize("cell", NOT_CHANGED)
def test_numbers_and_other_texts_stay(cell):
    assert guard_formula(cell) == cell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mcat", r"\x1b[31mcat"),
        ("=1\x1b", r"'=1\x1b"),
        ("\x00\x07\x7f\x9b", r"\x00\x07\x7f\x9b"),
        ("\r=1", r"\r=1"),  # a line end that begins another line over this one
        ("\x1b=1", r"\x1b=1"),
        ("\u202etac", r"\u202etac"),
    ],
    ids=ascii,
)
def test_what_a_terminal_would_obey_is_written_out(text, shown):
    assert guard_formula(text) == shown


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_a_file_for_spreadsheets_is_guarded_when_asked_for(ending, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {"=pet": ["=1+1", "cat"], "weight": [-4.0, -1]}
    write_table(tmp_path / f"plain.{ending}", columns)
    write_table(tmp_path / f"guarded.{ending}", columns, guard_formulas=True)
    plain = read_table(tmp_path / f"plain.{ending}").to_pydict()
    assert plain == {"=pet": ["=1+1", "cat"], "weight": ["-4.0", "-1"]}
    shown = read_table(tmp_path / f"guarded.{ending}").to_pydict()
    assert shown == {"'=pet": ["'=1+1", "cat"], "weight": ["-4.0", "-1"]}


def test_other_formats_have_types_and_need_no_guard(tmp_path):
    write_table(tmp_path / "pets.jsonl", {"pet": ["=1+1"]}, guard_formulas=True)
    assert (tmp_path / "pets.jsonl").read_text() == '{"pet": "=1+1"}\n'


def test_a_guarded_line_is_still_a_line_of_csv(tmp_path):
    write_table(tmp_path / "pets.csv", {"pet": ['=A1&"x",\n']}, guard_formulas=True)
    with open(tmp_path / "pets.csv", newline="") as stream:
        assert list(csv.reader(stream)) == [["pet"], ['\'=A1&"x",\n']]
