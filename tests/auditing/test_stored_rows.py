import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import errata
from auditing.stored_cases import PETS, finished, judged_rows, parts_of, stored_audit
from auditing_cases import QUICK, blobs
from errata.auditing import Cleaned
from errata.auditing.classes import _problem
from errata.auditing.examples._examples import example_rows
from errata.auditing.results import _audit
from errata.auditing.results._base import rank_rows
from errata.auditing.results._flags import Rows, reach_line
from errata.auditing.stored._audit import finish_part
from errata.auditing.stored._rows import NAMES, StoredRows
from errata.noise import flip_labels
from errata.tables import read_table

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
    np.testing.assert_array_equal(audit._codes, judged.code)
    np.testing.assert_array_equal(audit._labelled, ~blank)
    expected = KINDS[kind][judged.code[~blank]]
    assert audit.labels[~blank].tolist() == expected.tolist()
    assert audit.suggested.dtype == KINDS[kind].dtype
    if not special:
        assert audit.labels.dtype == KINDS[kind].dtype
        assert audit._known is None


def test_two_classes_may_be_yes_and_no(tmp_path):
    judged = judged_rows(n_classes=2, special=False)
    audit = stored_audit(tmp_path, judged, classes=np.array([False, True]))
    assert audit.labels.dtype == bool
    np.testing.assert_array_equal(audit.labels, judged.code == 1)


@pytest.mark.parametrize("rows", [slice(0, 600), slice(199, 202), slice(200, 200), slice(450, 600)])
def test_a_slice_holds_the_rows_asked_for(rows, tmp_path):
    audit, judged = stored_audit(tmp_path), judged_rows()
    stored = audit._stored
    np.testing.assert_array_equal(stored.codes("labels", rows.start, rows.stop), judged.code[rows])
    found = stored.read("suspicion", rows.start, rows.stop)
    expected = np.where(judged.audited, judged.suspicion, 0)[rows]
    np.testing.assert_array_equal(found, expected)
    assert stored.read("flagged", rows.start, rows.stop).dtype == bool


def test_rows_anywhere_are_read_from_their_files(tmp_path):
    audit = stored_audit(tmp_path)
    rows = np.array([450, 3, 599, 200, 3])
    np.testing.assert_array_equal(audit._stored.take("labels", rows), audit.labels[rows])
    np.testing.assert_array_equal(audit._stored.take("p_wrong", rows), audit.p_wrong[rows])


def test_only_files_with_rows_asked_for_are_opened(tmp_path):
    audit = stored_audit(tmp_path)
    (tmp_path / "rows" / "part-000000000201.parquet").unlink()
    assert len(audit._stored.read("p_wrong", 0, 201)) == 201
    with pytest.raises(FileNotFoundError, match=r"part-000000000201\.parquet does not exist"):
        _ = audit.p_wrong


def test_a_name_for_all_rows_is_found_without_reading_them(tmp_path):
    for name in ("first", "second", "third", "fourth"):
        (tmp_path / name).mkdir()
    judged = judged_rows()
    first = stored_audit(tmp_path / "first", judged)._stored
    assert first.fingerprint() == stored_audit(tmp_path / "second", judged)._stored.fingerprint()
    p_wrong = judged.p_wrong.copy()
    p_wrong[np.flatnonzero(judged.may_be_flagged)[0]] += 1e-9
    changed = stored_audit(tmp_path / "third", judged._replace(p_wrong=p_wrong))._stored
    renamed = stored_audit(tmp_path / "fourth", judged, classes=np.array(list("abcd")))._stored
    assert len({s.fingerprint() for s in (first, changed, renamed)}) == 3
    for path in (tmp_path / "first" / "rows").iterdir():
        path.unlink()
    assert first.fingerprint()


def test_a_million_rows_take_25_megabytes_at_most(tmp_path):
    n, random = 50_000, np.random.default_rng(0)
    codes = random.integers(4, size=n)
    p = random.random((3, n))
    judged = Rows(codes, codes[::-1], p[0], p[1], p[2], p[0], np.ones(n, dtype=bool))
    StoredRows.write(tmp_path, 10**9, judged.flag(p[0] > 0.5, 0.1), PETS)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 25 * n


pytest.importorskip("pyarrow", reason="the tables extra is not installed")


@pytest.fixture(scope="module")
def in_memory():
    """An audit with rows of all kinds, and the same rows as they would be judged part by part."""
    X, codes = blobs(300)
    labels = flip_labels(codes, n_flips=30, random_state=0)[0].astype(float)
    labels[::17] = np.nan
    labels[5] = 9  # a class of one row
    known = (np.arange(300) % 13 == 0) & ~np.isnan(labels)
    flag = Rows.flag
    seen = []

    def spy(rows, flagged, rate):
        seen.append((rows, rate))
        return flag(rows, flagged, rate)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rows, "flag", spy)
        patch.setattr(_problem, "EXACT_ROWS", 100)
        audit = errata.audit(X, labels, known=known, estimators=QUICK, random_state=0)
    return audit, seen[0]


@pytest.mark.parametrize("cuts", [(), (1, 100, 299)])
def test_rows_finished_part_by_part_are_those_of_an_audit_in_memory(
    in_memory, cuts, tmp_path, monkeypatch
):
    audit, (judged, rate) = in_memory
    monkeypatch.setattr("auditing.stored_cases.RATE", rate)
    again = stored_audit(tmp_path, judged, cuts, classes=audit.classes)
    assert audit.flagged.sum() >= 20
    assert (audit._known.sum(), (~audit._labelled).sum(), (audit._codes == 3).sum()) == (22, 18, 1)
    for name in ("labels", "suggested", "flagged", "_known", "_codes", "_labelled"):
        assert getattr(again, name).dtype == getattr(audit, name).dtype
        np.testing.assert_array_equal(getattr(again, name), getattr(audit, name), err_msg=name)
    for name in ("p_wrong", "suspicion"):
        np.testing.assert_array_equal(getattr(again, name), getattr(audit, name), err_msg=name)
    np.testing.assert_allclose(again.p_suggested, audit.p_suggested, rtol=0, atol=1e-7)
    for name in ("expected_precision", "expected_recall"):
        np.testing.assert_allclose(getattr(again, name), getattr(audit, name), rtol=1e-9)
    told, expected = again._totals.as_dict(), audit._totals.as_dict()
    assert told.pop("near_borders") == np.sum(judged.p_elsewhere[audit.flagged] < 0.2)
    expected.pop("near_borders")
    np.testing.assert_allclose(told.pop("wrong"), expected.pop("wrong"), rtol=1e-9, atol=0)
    assert sorted(told.pop("confusion")) == sorted(expected.pop("confusion"))
    assert told == expected


def test_the_worst_rows_are_those_that_are_shown(tmp_path):
    judged = judged_rows(3_000)
    (_, _, worst), line = finished(tmp_path, judged, (700, 1_400, 2_999))
    flagged = judged.may_be_flagged & reach_line(line[0], judged.p_wrong, judged.suspicion)
    shown = example_rows(judged.suspicion, flagged, judged.may_be_flagged)
    assert len(worst.row) == 200
    np.testing.assert_array_equal(worst.row[: len(shown)], shown[:200])
    np.testing.assert_array_equal(worst.other, judged.other[worst.row])
    np.testing.assert_array_equal(worst.code, judged.code[worst.row])
    np.testing.assert_array_equal(worst.flagged, flagged[worst.row])


def test_what_is_finished_can_travel_and_parts_stay_in_order(tmp_path):
    done, _ = finished(tmp_path, judged_rows(), (200, 450))
    _, parts, _ = done
    assert pickle.loads(pickle.dumps(done))[1] == parts
    assert [(start, stop) for start, stop, _ in parts] == [
        (p.start, p.stop) for p in parts_of(600, (200, 450))
    ]
    names = sorted(path.name for path in (tmp_path / "rows").iterdir())
    assert names == [f"part-{start:012d}.parquet" for start in (0, 200, 450)]


def test_a_part_may_be_finished_twice(tmp_path):
    first, _ = finished(tmp_path, judged_rows(), (200,))
    second, _ = finished(tmp_path, judged_rows(), (200,))
    assert first[1] == second[1]


def test_without_skill_nothing_is_flagged(tmp_path):
    audit = stored_audit(tmp_path, has_skill=False)
    assert not audit.flagged.any()
    assert audit.summary()["flagged"]["cleaned"]["rows"] == 0
    np.testing.assert_array_equal(audit.suggested[audit._labelled], audit.labels[audit._labelled])
    assert set(audit.suggested[~audit._labelled]) <= set(PETS)


def test_a_label_that_is_certain_is_not_flagged_even_if_all_others_are(tmp_path):
    judged, everything = judged_rows(), (0.0, 0.0)
    finished(tmp_path, judged)
    shared = (tmp_path / "judged", tmp_path / "rows", PETS, everything, 0.1)
    totals, _, worst = finish_part(parts_of(600)[0], shared)
    flagged = read_table(tmp_path / "rows" / "part-000000000000.parquet")["flagged"].to_numpy()
    expected = (judged.code >= 0) & ~judged.known & judged.audited
    np.testing.assert_array_equal(flagged, expected)
    assert totals.n_flagged == expected.sum()
    assert judged.ranking()[0].sum() == expected.sum()
    assert not judged.known[worst.row].any()


pytest.importorskip("pyarrow", reason="the tables extra is not installed")


def test_batches_hold_all_rows_in_order(flowers, tmp_path, monkeypatch):
    monkeypatch.setattr(_audit, "BATCH_ROWS", 40)
    for audit, n_batches in ((flowers[0], 4), (stored_audit(tmp_path), 4)):
        batches, columns = list(audit.batches()), audit._columns()
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
    assert in_memory._stored is None
    assert audit._stored is not None
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
    find = StoredRows.find_cuts
    monkeypatch.setattr(StoredRows, "find_cuts", lambda *a: looked.append(1) or find(*a))
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
