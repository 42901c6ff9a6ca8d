import numpy as np

from decision_cases import said
from errata.review import Decisions, resolve


def test_rows_are_found_by_their_keys_wherever_they_stand(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as decisions:
        kinds = ["suggestion", "label", "ambiguous", "unusable", "skip", "note", "other"]
        decisions.record_all([said(kind, row) for row, kind in enumerate(kinds)])
        decisions.record(said("label", 6, "bob"))
        keys = np.array([f"row.{row}" for row in (9, 6, 5, 4, 3, 2, 1, 0)], dtype=object)
        found = resolve(decisions, keys)
    assert found.rows.tolist() == [1, 4, 5, 6, 7]
    assert found.kinds.tolist() == ["disputed", "unusable", "ambiguous", "decided", "decided"]
    assert found.classes.tolist() == [None, None, None, '"cat"', '"dog"']
    assert found.labels.tolist() == ['"cat"'] * 5


def test_nothing_decided_is_nothing_found(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as decisions:
        found = resolve(decisions, np.array(["row.1"]))
    assert [len(part) for part in found] == [0] * 4
    assert found.rows.dtype.kind == "i"
