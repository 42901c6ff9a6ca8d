from itertools import pairwise

import numpy as np
import pytest

from errata.auditing import Cleaned
from errata.auditing.results import _cleaning
from errata.auditing.results._flags import Rows
from stored_cases import judged_rows, stored_audit

pytest.importorskip("pyarrow", reason="the tables extra is not installed")

WISHES = [
    {"action": "drop"},
    {"action": "drop", "threshold": 0.05},  # more than half of every class
    {"action": "drop", "threshold": 0.9},
    {"action": "relabel"},
    {"action": "relabel", "threshold": 0.1, "sure": 0.3, "unsure": "drop"},
    {"action": "relabel", "threshold": 0.05, "sure": 0.95, "unsure": "drop"},
    {"action": "weight"},
    {"action": "unlabel"},
]


def together(parts):
    return Cleaned(*map(np.concatenate, zip(*parts, strict=True)))


@pytest.mark.parametrize("has_skill", [True, False])
@pytest.mark.parametrize("special", [True, False], ids=["blanks", "no blanks"])
@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: "-".join(map(str, wish.values())))
def test_parts_are_cleaned_as_all_rows_at_once_are(wish, special, has_skill, tmp_path):
    audit = stored_audit(tmp_path, judged_rows(special=special), has_skill=has_skill)
    whole = audit.clean(**wish)
    cuts = [0, 1, 200, 390, 600]  # others than those of the files
    parts = [audit.clean_rows(a, b, **wish) for a, b in pairwise(cuts)]
    for name, column in together(parts)._asdict().items():
        np.testing.assert_array_equal(column, getattr(whole, name), err_msg=name)
    if wish["action"] == "drop" and has_skill:
        assert (~whole.kept).any()


def test_equal_probabilities_are_told_apart_by_their_place(tmp_path):
    judged = judged_rows(special=False)._replace(p_wrong=np.full(600, 0.75))
    audit = stored_audit(tmp_path, judged)
    kept = together([audit.clean_rows(0, 300), audit.clean_rows(300, 600)]).kept
    np.testing.assert_array_equal(kept, audit.clean().kept)
    sizes = np.bincount(judged.code)
    np.testing.assert_array_equal(np.bincount(judged.code[kept]), -(-sizes // 2))
    assert audit._totals.dropped == np.sum(~kept)


def test_what_relabelling_leaves_of_a_class_is_spared(tmp_path):
    n = 400
    code, wrong = np.arange(n) % 4, np.arange(n) % 4 == 0
    p_wrong = np.where(wrong, 0.9, 0.0)
    p_other = np.where(np.arange(n) < n // 2, 0.9, 0.6) * wrong  # the first half is sure
    everywhere = np.ones(n, dtype=bool)
    judged = Rows(code, (code + 1) % 4, p_wrong, p_other, p_wrong, p_wrong, everywhere)
    audit = stored_audit(tmp_path, judged, (150,))
    wish = {"action": "relabel", "unsure": "drop"}
    cleaned = together([audit.clean_rows(0, 170, **wish), audit.clean_rows(170, n, **wish)])
    np.testing.assert_array_equal(cleaned.did, audit.clean(**wish).did)
    # Of 100 rows 50 get another label, and half of the 50 that are left stay.
    assert (cleaned.did == "relabelled").sum() == 50
    assert (cleaned.did == "dropped").sum() == 25


def test_all_rows_are_looked_through_once(tmp_path, monkeypatch):
    audit, looked = stored_audit(tmp_path), []
    find = _cleaning.find_cuts
    monkeypatch.setattr(_cleaning, "find_cuts", lambda *a: looked.append(1) or find(*a))
    for start in (0, 300):
        audit.clean_rows(start, start + 300)
        audit.clean_rows(start, start + 300, threshold=0.7)
    assert len(looked) == 2


def test_rows_in_memory_are_cleaned_likewise(flowers):
    audit, _ = flowers
    part = audit.clean_rows(20, 90, "relabel", threshold=0.3)
    whole = audit.clean("relabel", threshold=0.3)
    np.testing.assert_array_equal(part.labels, whole.labels[20:90])
    np.testing.assert_array_equal(part.did, whole.did[20:90])


def test_bad_wishes_are_named(tmp_path):
    with pytest.raises(ValueError, match="action='burn' is not known"):
        stored_audit(tmp_path).clean_rows(0, 10, "burn")
