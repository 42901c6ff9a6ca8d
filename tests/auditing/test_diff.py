import json
from dataclasses import replace

import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.auditing import NoiseRate
from kind_cases import KINDS
from stored_cases import stored_audit

X, CODES = blobs(60)
NAMES = np.array(["ant", "bee", "cat"])


def pets(wrong=(), **options):
    labels = NAMES[CODES]
    labels[list(wrong)] = NAMES[(CODES[list(wrong)] + 1) % 3]
    found = errata.audit(
        *(X, labels),
        estimators=QUICK,
        ids=[f"p{row}" for row in range(60)],
        self_check=False,
        random_state=0,
        **options,
    )
    found.flagged = np.isin(np.arange(60), wrong)
    return found


def some(audit, rows):
    """The audit of some of the rows, as if the others had never been there."""
    rows = np.asarray(rows)
    names = (*audit._row_columns, "ids")
    return replace(audit, **{name: getattr(audit, name)[rows] for name in names})


def why(rows):
    return {row["id"]: row["why"] for row in rows}


def test_nothing_changes_between_an_audit_and_itself():
    audit = pets([3, 30])
    found = errata.diff(audit, audit)
    assert (found.newly_flagged, found.resolved, found.still_flagged) == ([], [], 2)
    assert (found.matched, found.added, found.gone) == (60, 0, 0)
    assert (found.intervals_overlap, found.notes) == (True, [])


def test_every_way_to_be_newly_flagged_is_told_apart():
    old, new = pets([3]), pets([3, 30])
    new.flagged[[7, 50]] = True  # the labels of which are what they were
    found = errata.diff(some(old, range(50)), new)
    assert why(found.newly_flagged) == {
        "p30": "label changed",
        "p7": "same label",
        "p50": "new row",
    }
    assert (found.still_flagged, found.added, found.gone) == (1, 10, 0)
    suspicion = [new.suspicion[row["row"]] for row in found.newly_flagged]
    assert suspicion == sorted(suspicion, reverse=True)


def test_every_way_to_be_resolved_is_told_apart():
    old, new = pets([3, 30]), pets([])
    old.flagged[[7, 8, 50]] = True
    new.known = np.arange(60) == 8
    found = errata.diff(old, some(new, [row for row in range(60) if row != 50]))
    assert why(found.resolved) == {
        "p3": "label changed",
        "p30": "label changed",
        "p7": "same label",
        "p8": "label known",
        "p50": "row gone",
    }
    row = next(row for row in found.resolved if row["id"] == "p30")
    assert (row["row"], row["old_row"]) == (30, 30)
    assert (row["old_label"], row["label"]) == (NAMES[(CODES[30] + 1) % 3], NAMES[CODES[30]])
    gone = next(row for row in found.resolved if row["id"] == "p50")
    assert (gone["row"], gone["old_row"], gone["label"], gone["p_wrong"]) == (None, 50, None, None)
    assert gone["old_p_wrong"] == pytest.approx(old.p_wrong[50], abs=1e-4)


@pytest.mark.parametrize(
    ("then", "now", "overlap"),
    [
        ((0.1, 0.05, 0.15), (0.2, 0.15, 0.3), True),
        ((0.1, 0.05, 0.15), (0.2, 0.16, 0.3), False),
        ((0.3, 0.2, 0.4), (0.1, 0.05, 0.19), False),
        ((0.3, 0.2, 0.4), (0.25, 0.22, 0.28), True),
    ],
)
def test_chance_may_explain_a_difference_as_long_as_intervals_overlap(then, now, overlap):
    old, new = (replace(pets(), noise_rate=NoiseRate(*rate)) for rate in (then, now))
    assert errata.diff(old, new).intervals_overlap is overlap


def test_without_skill_nobody_can_say():
    audit = pets()
    assert errata.diff(audit, replace(audit, has_skill=False)).intervals_overlap is None


def test_two_kinds_are_one_sentence(audit_of):
    sentence = "the old audit is one of classes and the new one of votes; compare two of one kind"
    with pytest.raises(ValueError, match=sentence):
        errata.diff(audit_of("classes"), audit_of("votes"))


@pytest.mark.parametrize("kind", KINDS)
def test_audits_of_every_kind_are_compared(kind, audit_of):
    old, new = (errata.auditing.load_audit(audit_of(kind)) for _ in range(2))
    row = int(np.flatnonzero(old.flagged)[0])
    new.flagged = new.flagged & (np.arange(len(new)) != row)
    found = errata.diff(old, new)
    assert found.matched_by == ("item" if kind == "votes" else "id")
    assert [told["row"] for told in found.resolved] == [row]
    assert found.resolved[0]["why"] == "same label"
    assert found.resolved[0]["label"] == found.resolved[0]["old_label"] is not None
    json.dumps(found.to_dict(), allow_nan=False)


def test_other_options_and_versions_are_noted_but_not_the_number_of_threads():
    old, new = pets(), pets()
    old.about |= {"errata": "0.1", "options": ["--seed=0", "--jobs=1", "--drop=a"]}
    new.about |= {"errata": "0.2", "options": ["--seed=1", "--jobs=2"]}
    assert errata.diff(old, new).notes == [
        "The audits were made by errata 0.1 and errata 0.2.",
        "The audits were made with different options: --drop=a --seed=0 before, --seed=1 now.",
    ]
    new.about |= {"errata": "0.1", "options": ["--drop=a", "--jobs=2", "--seed=0"]}
    assert errata.diff(old, new).notes == []


def test_two_columns_of_labels_are_noted():
    old, new = pets(), pets()
    old.about["label"] = "pet"
    assert errata.diff(old, new).notes == []
    new.about["label"] = "animal"
    assert errata.diff(old, new).notes == ["The audits are of two columns, 'pet' and 'animal'."]


def test_rows_on_disk_are_compared_by_their_place(tmp_path):
    pytest.importorskip("pyarrow", reason="the tables extra is not installed")
    audit = stored_audit(tmp_path)
    found = errata.diff(audit, audit)
    assert (found.matched_by, found.matched) == ("place", len(audit))
    later = replace(audit, flagged=np.zeros(len(audit), dtype=bool))
    resolved = errata.diff(audit, later).resolved
    assert [row["row"] for row in resolved] == audit.ranked_columns(flagged=True)["row"].tolist()
    known = set(np.flatnonzero(audit.known))
    assert all((row["why"] == "label known") == (row["row"] in known) for row in resolved)
