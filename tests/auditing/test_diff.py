import json
from dataclasses import replace

import numpy as np
import pytest

import errata
from auditing.stored_cases import stored_audit
from auditing_cases import QUICK, blobs
from errata.auditing import NoiseRate
from errata.auditing.results._diff import diff_in_markdown, diff_in_sentences, match_rows
from errata.tables import RowDigests
from kind_cases import KINDS

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
    names = (*audit._row_columns, "_ids")
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


def test_a_number_written_in_another_way_is_the_label_it_was():
    old, new = pets(), pets()
    old.labels, new.labels = (np.array([name, *["8"] * 59]) for name in ("5.0", "5"))
    new.flagged[0] = True
    assert why(errata.diff(old, new).newly_flagged) == {"p0": "same label"}


def test_every_way_to_be_resolved_is_told_apart():
    old, new = pets([3, 30]), pets([])
    old.flagged[[7, 8, 50]] = True
    new._known = np.arange(60) == 8
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
    old._about |= {"errata": "0.1", "arguments": {"random_state": 0, "n_jobs": 1, "drop": ["a"]}}
    new._about |= {"errata": "0.2", "arguments": {"random_state": 1, "n_jobs": 2}}
    assert errata.diff(old, new).notes == [
        "The audits were made by errata 0.1 and errata 0.2.",
        "The audits were made with different options: --drop=a --seed=0 before, --seed=1 now.",
    ]
    new._about |= {"errata": "0.1", "arguments": {"drop": ["a"], "n_jobs": 2, "random_state": 0}}
    assert errata.diff(old, new).notes == []


def test_two_columns_of_labels_are_noted():
    old, new = pets(), pets()
    old._about["label"] = "pet"
    assert errata.diff(old, new).notes == []
    new._about["label"] = "animal"
    assert errata.diff(old, new).notes == ["The audits are of two columns, 'pet' and 'animal'."]


def test_rows_on_disk_are_compared_by_their_place(tmp_path):
    pytest.importorskip("pyarrow", reason="the tables extra is not installed")
    audit = stored_audit(tmp_path)
    found = errata.diff(audit, audit)
    assert (found.matched_by, found.matched) == ("place", len(audit))
    later = replace(audit, flagged=np.zeros(len(audit), dtype=bool))
    resolved = errata.diff(audit, later).resolved
    assert [row["row"] for row in resolved] == audit.table()["row"].tolist()
    known = set(np.flatnonzero(audit._known))
    assert all((row["why"] == "label known") == (row["row"] in known) for row in resolved)


MATCHED_X, MATCHED_CODES = blobs(40)


@pytest.fixture(scope="module")
def audit():
    return errata.audit(
        MATCHED_X, MATCHED_CODES, estimators=QUICK, self_check=False, random_state=0
    )


def named(audit, names, column=None):
    return replace(audit, _ids=np.array(names), _about=audit._about | {"id": column})


def of_contents(audit, keys, columns):
    digests = RowDigests(columns, np.arange(len(keys)))
    return replace(audit, _keys=np.array(keys, dtype=object), _digests=digests)


def test_rows_are_found_by_their_ids_wherever_they_stand(audit):
    order = np.random.default_rng(0).permutation(40)
    by, old_rows, _ = match_rows(named(audit, np.arange(40)), named(audit, [f"{n}" for n in order]))
    assert by == "id"
    assert old_rows.tolist() == order.tolist()


def test_rows_that_are_new_or_gone_have_no_place(audit):
    old, new = named(audit, np.arange(40)), named(audit, np.arange(1, 41))
    _, old_rows, _ = match_rows(old, new)
    assert old_rows.tolist() == [*range(1, 40), -1]
    assert (errata.diff(old, new).added, errata.diff(old, new).gone) == (1, 1)


def test_ids_that_stand_for_several_rows_are_taken_in_their_order_and_noted(audit):
    twice = named(audit, np.arange(40) // 2)
    _, old_rows, notes = match_rows(twice, twice)
    assert old_rows.tolist() == list(range(40))
    assert notes == ["20 ids stand for several rows, which are matched in their order."]


def test_ids_of_different_columns_are_not_compared(audit):
    old, new = named(audit, np.arange(40), "tag"), named(audit, np.arange(40), "serial")
    assert match_rows(old, new)[0] == "place"


def test_an_index_names_rows_too(audit):
    pandas = pytest.importorskip("pandas")
    old, new = (
        replace(audit, _index=pandas.Index(list(n), name="n")) for n in (range(40), "x" * 40)
    )
    assert match_rows(old, replace(old, _index=old._index[::-1]))[1].tolist()[:2] == [39, 38]
    assert (match_rows(old, new)[1] == -1).all()


def test_rows_are_found_by_their_contents_where_the_columns_are_the_same(audit):
    keys = [f"{n:016x}.0" for n in range(40)]
    old, new = of_contents(audit, keys, ["a", "b"]), of_contents(audit, keys[::-1], ["a", "b"])
    by, old_rows, notes = match_rows(old, new)
    assert (by, notes) == ("contents", [])
    assert old_rows.tolist() == list(range(39, -1, -1))
    assert match_rows(old, of_contents(audit, keys, ["a", "c"]))[0] == "place"


def test_places_are_the_last_resort_and_said_to_be(audit):
    old = replace(audit, _keys=audit._row_keys())  # as an audit that was loaded
    shorter = replace(audit, p_wrong=audit.p_wrong[:30])
    by, _, notes = match_rows(old, shorter)
    assert by == "place"
    assert "matched by their place" in notes[0]
    assert match_rows(shorter, old)[1].tolist() == [*range(30), *[-1] * 10]


def side(estimate=0.1, low=0.05, high=0.2, *, has_skill=True):
    rate = {"estimate": estimate, "low": low, "high": high}
    return {"title": "pets", "rows": 60, "noise_rate": rate, "has_skill": has_skill, "flagged": 1}


def row(number, why, **more):
    told = {"row": number, "old_row": number, "id": None, "label": "cat", "old_label": "cat"}
    return {**told, "suggested": "dog", "p_wrong": 0.9, "old_p_wrong": 0.8, "why": why, **more}


def told(**changes):
    base = {
        "kind": "classes",
        "matched_by": "id",
        "old": side(),
        "new": side(),
        "matched": 58,
        "added": 1,
        "gone": 2,
        "still_flagged": 0,
        "newly_flagged": [],
        "resolved": [],
        "notes": [],
        "intervals_overlap": True,
    }
    return base | changes


def test_sentences_say_how_rows_were_matched_and_what_is_flagged():
    assert diff_in_sentences(told(notes=["Beware."])) == [
        "58 rows are in both audits, matched by their ids; 1 is new and 2 are gone.",
        "Noise rate: 10% (5.0% to 20%) before, 10% (5.0% to 20%) now; the intervals overlap, so "
        "the difference may be chance.",
        "No row is newly flagged.",
        "Note: Beware.",
    ]


def test_the_words_are_those_of_the_kind():
    sentences = diff_in_sentences(told(kind="numbers", matched_by="contents"))
    assert "by all cells but the target;" in sentences[0]
    assert diff_in_sentences(told(kind="votes", matched_by="item"))[0].startswith("58 items are")


def test_a_difference_beyond_chance_has_a_direction():
    more = told(new=side(0.4, 0.3, 0.5), intervals_overlap=False)
    assert diff_in_sentences(more)[1].endswith("do not overlap: more are wrong than before.")
    fewer = told(old=side(0.4, 0.3, 0.5), intervals_overlap=False)
    assert diff_in_sentences(fewer)[1].endswith("do not overlap: fewer are wrong than before.")


def test_without_skill_rates_are_not_compared():
    blind = side(has_skill=False)
    assert diff_in_sentences(told(new=blind, intervals_overlap=None))[1] == (
        "How many labels are wrong cannot be compared: these columns do not tell the labels apart "
        "any more."
    )


def test_one_reason_is_told_without_its_number_and_several_with_it():
    rows = [row(3, "label changed"), row(4, "same label")]
    assert diff_in_sentences(told(newly_flagged=rows[:1]))[2] == (
        "1 row is newly flagged, with another label than before."
    )
    assert diff_in_sentences(told(resolved=rows))[3] == (
        "2 rows are no longer flagged: 1 with another label now, 1 with the label they had, which "
        "no longer looks wrong enough."
    )


def test_markdown_shows_the_first_rows_and_escapes_their_cells():
    rows = [row(n, "same label") for n in range(11)]
    gone = row(None, "row gone", old_row=7, id="a|b", label=None, p_wrong=None)
    text = diff_in_markdown(told(newly_flagged=rows, resolved=[gone], notes=["<b>"]))
    assert "**Newly flagged, the first 10 of 11**" in text
    assert text.count("| `cat` | `dog` | 0.90 | same label |") == 10
    assert "| 7 before | <code>a&#124;b</code> | `cat` | `dog` | 0.80 | row gone |" in text
    assert "- Note: &#60;b&#62;" in text


def test_markdown_shows_what_a_label_was_and_is():
    changed = row(3, "label changed", old_label="dog")
    assert "| `dog` → `cat` |" in diff_in_markdown(told(newly_flagged=[changed]))
