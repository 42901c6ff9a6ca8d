from dataclasses import replace

import numpy as np
import pytest

from errata.auditing.results import _audit
from errata.auditing.stored._rows import NAMES, rank_rows
from stored_cases import judged_rows, stored_audit

pytest.importorskip("pyarrow", reason="the tables extra is not installed")


def test_batches_hold_all_rows_in_order(flowers, tmp_path, monkeypatch):
    monkeypatch.setattr(_audit, "BATCH_ROWS", 40)
    for audit, n_batches in ((flowers[0], 4), (stored_audit(tmp_path), 4)):
        batches, columns = list(audit.batches()), audit.columns()
        assert len(batches) == n_batches
        assert columns["row"].tolist() == list(range(len(audit)))
        for name, column in columns.items():
            together = np.concatenate([batch[name] for batch in batches])
            np.testing.assert_array_equal(together, column)


def test_the_table_of_rows_on_disk_holds_those_flagged(tmp_path):
    pytest.importorskip("pandas")
    audit = stored_audit(tmp_path)
    flagged, everything = audit.table(), audit.table(flagged=False)
    assert 0 < len(flagged) == audit.flagged.sum() < len(everything) == 600
    assert flagged["flagged"].all()
    ranked = everything[everything["flagged"]].reset_index(drop=True)
    assert flagged.equals(ranked)
    assert (np.diff(everything["suspicion"]) <= 0).all()


def test_the_table_may_hold_flagged_rows_only(flowers):
    pytest.importorskip("pandas")
    audit, _ = flowers
    assert len(audit.table()) == 150
    table = audit.table(flagged=True)
    assert sorted(table["row"]) == np.flatnonzero(audit.flagged).tolist()


def test_a_summary_reads_no_row(tmp_path):
    audit = stored_audit(tmp_path)
    expected = audit.summary()
    for path in (tmp_path / "rows").iterdir():
        path.unlink()
    assert audit.summary() == expected
    assert "of 600" not in repr(audit)
    assert f"of {audit._totals.labelled} labels" in repr(audit)
    assert len(audit) == 600


def test_what_summaries_say_is_what_the_rows_say(tmp_path):
    audit = stored_audit(tmp_path)
    in_memory = replace(audit)  # with the arrays in place of files
    assert in_memory.stored is None
    assert audit.stored is not None
    assert in_memory.summary() == audit.summary()


def test_a_column_that_was_replaced_counts(tmp_path):
    audit = stored_audit(tmp_path)
    audit.p_wrong = np.zeros(600)
    assert audit.summary()["flagged"]["cleaned"]["above"] == 0
    assert not next(iter(audit.batches()))["p_wrong"].any()
    assert (audit.clean_rows(0, 600).did == "kept").all()


def test_labels_of_equal_rows_are_read_from_their_files_alone(tmp_path):
    audit = stored_audit(tmp_path)
    labels = [str(label) for label in audit.labels[[3, 500]]]
    audit.duplicates = [np.array([3, 500])]
    (tmp_path / "rows" / "part-000000000201.parquet").unlink()
    assert audit.summary()["duplicates"] == [{"rows": [3, 500], "labels": labels}]


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_read_when_asked_for_and_not_kept(name, tmp_path):
    audit = stored_audit(tmp_path, judged_rows())
    first, second = getattr(audit, name), getattr(audit, name)
    assert first is not second
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("most", [None, 7, 1_000])
def test_of_equally_suspicious_rows_the_first_come_first(most):
    suspicion = np.tile([0.5, 0.9], 200)
    batches = [
        {"row": np.arange(start, start + 100), "suspicion": suspicion[start : start + 100]}
        for start in range(0, 400, 100)
    ]
    expected = [*range(1, 400, 2), *range(0, 400, 2)][:most]
    assert rank_rows(batches, most)["row"].tolist() == expected
