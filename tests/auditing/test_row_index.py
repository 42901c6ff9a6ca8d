import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.noise import flip_labels

pandas = pytest.importorskip("pandas", reason="the tables extra is not installed")
pytest.importorskip("pyarrow", reason="the tables extra is not installed")
N = 40
X, CODES = blobs(N)
LABELS = flip_labels(CODES, n_flips=4, random_state=0)[0]
DAYS = pandas.date_range("2026-01-01", periods=N, name="day")
INDEXES = {
    "names": pandas.Index([f"plant {row}" for row in range(N)], name="plant"),
    "numbers": pandas.Index(np.arange(N)[::-1]),
    "named count": pandas.RangeIndex(N, name="row"),
    "not unique": pandas.Index(["a", "b"] * (N // 2)),
    "days": DAYS,
    "levels": pandas.MultiIndex.from_product([["x", "y"], range(N // 2)], names=["site", None]),
}


def audited(index):
    frame = pandas.DataFrame(X, index=index).rename(columns=str)
    return frame, errata.audit(frame, LABELS, estimators=QUICK, self_check=False, random_state=0)


@pytest.mark.parametrize("kind", INDEXES)
def test_the_index_is_kept_in_table_examples_cleaning_and_on_disk(kind, tmp_path):
    index = INDEXES[kind]
    frame, audit = audited(index)
    table = audit.table()
    assert table.index.equals(index[table["row"]])
    assert table.index.names == index.names
    first = audit.examples[0]
    name = index[first["row"]]
    assert first["id"] == (", ".join(map(str, name)) if isinstance(name, tuple) else str(name))
    cleaned = audit.clean("drop")
    rows, labels = cleaned.apply(frame)
    assert rows.index.equals(index[cleaned.kept])
    assert len(labels) == len(rows) < N
    audit.save(tmp_path / "plants.audit")
    again = errata.Audit.load(tmp_path / "plants.audit")
    assert again.table().index.equals(table.index)
    assert again.table().index.names == index.names


def test_what_merely_counts_the_rows_is_no_index():
    for index in (None, pandas.RangeIndex(N), pandas.Index(np.arange(N))):
        _, audit = audited(index)
        assert audit._index is None
        assert audit.examples[0]["id"] is None
    how = {"estimators": QUICK, "self_check": False, "random_state": 0}
    assert errata.audit(X, LABELS, **how)._index is None
    assert errata.audit({"a": X[:, 0], "b": X[:, 1]}, LABELS, **how)._index is None


def test_ids_go_before_the_index():
    frame = pandas.DataFrame(X, index=INDEXES["names"])
    ids = [f"id {row}" for row in range(N)]
    audit = errata.audit(frame, LABELS, ids=ids, estimators=QUICK, self_check=False, random_state=0)
    assert audit.examples[0]["id"] == f"id {audit.examples[0]['row']}"
    assert audit.table().index.name == "plant"


def test_values_that_no_file_holds_become_text(tmp_path):
    index = pandas.interval_range(0, N)
    _, audit = audited(index)
    audit.save(tmp_path / "plants.audit")
    again = errata.Audit.load(tmp_path / "plants.audit")
    assert again._index.tolist() == [str(value) for value in index]


def test_a_polars_table_has_none():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(X, schema=["a", "b", "c", "d"])
    audit = errata.audit(frame, LABELS, estimators=QUICK, self_check=False, random_state=0)
    assert audit._index is None
    assert "index" not in audit.table().columns


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (pandas.date_range("2026-01-01", periods=2, tz="UTC"), "2026-01-01 00:00:00+00:00"),
        (pandas.Index([1, None], dtype="Int64"), "1"),
        (pandas.Index([1, 2], dtype="Int64"), 1),
        (pandas.Index([1, "a"]), "1"),
    ],
    ids=["time zone", "missing number", "number", "mixed"],
)
def test_what_a_file_cannot_hold_is_kept_as_text(level, expected, tmp_path):
    audit = audited(None)[1]
    audit._index = level.repeat(N // 2)
    audit.save(tmp_path / "plants.audit")
    assert errata.Audit.load(tmp_path / "plants.audit")._index[0] == expected


def test_names_that_json_cannot_hold_are_kept_as_text(tmp_path):
    index = pandas.RangeIndex(1, N + 1, name=("site", np.int64(1)))
    audit = audited(index)[1]
    audit.save(tmp_path / "plants.audit")
    assert errata.Audit.load(tmp_path / "plants.audit")._index.name == str(index.name)
