import numpy as np
import pytest

from errata.auditing.results._flags import Rows
from errata.auditing.stored._rows import write_part
from stored_cases import PETS, judged_rows, stored_audit

pytest.importorskip("pyarrow", reason="the tables extra is not installed")

KINDS = {
    "text": PETS,
    "objects": PETS.astype(object),
    "whole numbers": np.array([1, 2, 5, 7]),
    "small numbers": np.array([1, 2, 5, 7], dtype=np.int8),
    "floats": np.array([1.0, 2.0, 5.0, 7.0]),
}


@pytest.mark.parametrize("special", [True, False], ids=["with blanks", "without"])
@pytest.mark.parametrize("kind", KINDS)
def test_labels_come_back_as_the_classes_are(kind, special, tmp_path):
    judged = judged_rows(special=special)
    audit = stored_audit(tmp_path, judged, classes=KINDS[kind])
    blank = judged.code < 0
    assert blank.any() == special
    np.testing.assert_array_equal(audit.codes, judged.code)
    np.testing.assert_array_equal(audit.labelled, ~blank)
    expected = KINDS[kind][judged.code[~blank]]
    assert audit.labels[~blank].tolist() == expected.tolist()
    assert audit.labels.dtype == audit.suggested.dtype
    if not special:
        assert audit.labels.dtype == KINDS[kind].dtype
        assert audit.known is None


def test_two_classes_may_be_yes_and_no(tmp_path):
    judged = judged_rows(n_classes=2, special=False)
    audit = stored_audit(tmp_path, judged, classes=np.array([False, True]))
    assert audit.labels.dtype == bool
    np.testing.assert_array_equal(audit.labels, judged.code == 1)


@pytest.mark.parametrize("rows", [slice(0, 600), slice(199, 202), slice(200, 200), slice(450, 600)])
def test_a_slice_holds_the_rows_asked_for(rows, tmp_path):
    audit, judged = stored_audit(tmp_path), judged_rows()
    stored = audit.stored
    np.testing.assert_array_equal(stored.codes("labels", rows.start, rows.stop), judged.code[rows])
    found = stored.read("suspicion", rows.start, rows.stop)
    expected = np.where(judged.audited, judged.suspicion, 0)[rows]
    np.testing.assert_array_equal(found, expected)
    assert stored.read("flagged", rows.start, rows.stop).dtype == bool


def test_rows_anywhere_are_read_from_their_files(tmp_path):
    audit = stored_audit(tmp_path)
    rows = np.array([450, 3, 599, 200, 3])
    np.testing.assert_array_equal(audit.stored.take("labels", rows), audit.labels[rows])
    np.testing.assert_array_equal(audit.stored.take("p_wrong", rows), audit.p_wrong[rows])


def test_only_files_with_rows_asked_for_are_opened(tmp_path):
    audit = stored_audit(tmp_path)
    (tmp_path / "rows" / "part-000000000201.parquet").unlink()
    assert len(audit.stored.read("p_wrong", 0, 201)) == 201
    with pytest.raises(FileNotFoundError, match=r"part-000000000201\.parquet does not exist"):
        _ = audit.p_wrong


def test_a_name_for_all_rows_is_found_without_reading_them(tmp_path):
    for name in ("first", "second", "third", "fourth"):
        (tmp_path / name).mkdir()
    judged = judged_rows()
    first = stored_audit(tmp_path / "first", judged).stored
    assert first.fingerprint() == stored_audit(tmp_path / "second", judged).stored.fingerprint()
    p_wrong = judged.p_wrong.copy()
    p_wrong[np.flatnonzero(judged.may_be_flagged)[0]] += 1e-9
    changed = stored_audit(tmp_path / "third", judged._replace(p_wrong=p_wrong)).stored
    renamed = stored_audit(tmp_path / "fourth", judged, classes=np.array(list("abcd"))).stored
    assert len({s.fingerprint() for s in (first, changed, renamed)}) == 3
    for path in (tmp_path / "first" / "rows").iterdir():
        path.unlink()
    assert first.fingerprint()


def test_a_million_rows_take_25_megabytes_at_most(tmp_path):
    n, random = 50_000, np.random.default_rng(0)
    codes = random.integers(4, size=n)
    p = random.random((3, n))
    judged = Rows(codes, codes[::-1], p[0], p[1], p[2], p[0], np.ones(n, dtype=bool))
    write_part(tmp_path, 10**9, judged.flag(p[0] > 0.5, 0.1), PETS)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 25 * n
