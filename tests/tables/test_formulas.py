import csv

import pytest

from errata.tables import read_table, write_table
from errata.tables._formulas import guarded

FORMULAS = ["=1+1", "+cat", "-", "@SUM(A1)", "\t=1", "\r=1", "-1_000", "-inf", "+1;=2", "--1"]


@pytest.mark.parametrize("text", FORMULAS, ids=ascii)
def test_what_begins_like_a_formula_gets_an_apostrophe(text):
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("cell", ["-1", "+1.5", "-.5e-3", "1.", "cat", "a=b", "", None, -1.5, True])
def test_numbers_and_other_texts_stay(cell):
    assert guarded(cell) == cell


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
