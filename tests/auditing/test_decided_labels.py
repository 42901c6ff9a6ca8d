import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs, read_inputs
from errata.auditing.classes._problem import find_verdicts
from errata.auditing.inputs._inputs import lay_over
from errata.noise import flip_labels
from errata.review import Decisions, Event, as_text

X, CODES = blobs(150)
NAMES = np.array(["ant", "bee", "cat"], dtype=object)
LABELS, FLIPPED = flip_labels(NAMES[CODES], n_flips=15, random_state=0)
WRONG, RIGHT = np.flatnonzero(FLIPPED).tolist(), np.flatnonzero(~FLIPPED).tolist()


def decide(path, row, kind, value=None, key=None, label=None):
    """One verdict on a row."""
    with Decisions(path) as decisions:
        decisions.record(
            Event(
                reviewer="ann",
                row=row,
                row_key=key or f"row.{row}",
                kind=kind,
                class_text=None if value is None else as_text(value),
                label=as_text(LABELS[row] if label is None else label),
                suggested=as_text("ant"),
                p_wrong=0.5,
                audit="5f0c",
            )
        )


@pytest.fixture
def decisions(tmp_path):
    """A corrected label, one found right, one row unusable, one ambiguous, one of another table."""
    path = tmp_path / "pets.decisions"
    decide(path, WRONG[0], "suggestion", NAMES[CODES[WRONG[0]]])
    decide(path, RIGHT[0], "label", LABELS[RIGHT[0]])
    decide(path, RIGHT[1], "unusable")
    decide(path, WRONG[1], "ambiguous")
    decide(path, 3, "label", "ant", key="row.9999")
    return path


def audited(**options):
    options = {"estimators": QUICK, "self_check": False, "random_state": 0} | options
    return errata.audit(X, options.pop("labels", LABELS), **options)


def test_decided_rows_have_the_class_that_people_gave_and_are_known(decisions):
    audit = audited(decisions=decisions)
    assert audit._known.nonzero()[0].tolist() == sorted([WRONG[0], RIGHT[0]])
    assert audit.labels[WRONG[0]] == NAMES[CODES[WRONG[0]]]
    assert audit.labels[RIGHT[0]] == LABELS[RIGHT[0]]
    assert audit.labels[RIGHT[1]] is None
    assert audit.labels[WRONG[1]] == LABELS[WRONG[1]]
    assert not audit.flagged[[WRONG[0], RIGHT[0], RIGHT[1]]].any()
    assert LABELS[WRONG[0]] != audit.labels[WRONG[0]]  # what the user gave is left alone


def test_notes_say_what_was_decided(decisions):
    notes = " ".join(audited(decisions=decisions).notes)
    assert "2 labels decided by people: taken as known." in notes
    assert "1 row found unusable by people: audited as if there were no label." in notes
    assert "1 decision about rows that are not in this table." in notes


def test_what_was_known_before_stays_known(decisions):
    known = np.zeros(150, dtype=bool)
    known[RIGHT[5]] = True
    audit = audited(decisions=decisions, known=known)
    assert audit._known.nonzero()[0].tolist() == sorted([WRONG[0], RIGHT[0], RIGHT[5]])


def test_rows_are_found_by_their_keys(decisions):
    order = np.random.default_rng(0).permutation(150)
    keys = np.array([f"row.{row}" for row in order], dtype=object)
    _, labels, _, (rows, _), _ = lay_over(X[order], LABELS[order], None, decisions, keys)
    assert sorted(order[rows].tolist()) == sorted([WRONG[0], RIGHT[0]])
    assert labels[order == WRONG[0]].tolist() == [NAMES[CODES[WRONG[0]]]]


def test_numbers_stay_numbers(tmp_path):
    path = tmp_path / "pets.decisions"
    decide(path, 4, "other", 2, label=0)
    _, labels, _, (_, were), _ = lay_over(X, CODES, None, path, None)
    assert labels.dtype.kind == "i"
    assert labels[4] == 2
    assert were.tolist() == [0]


def test_a_class_of_another_kind_gets_a_sentence(decisions):
    with pytest.raises(ValueError, match="these are decisions about another table"):
        audited(labels=CODES, decisions=decisions)


def test_decisions_of_which_no_row_is_here_get_a_sentence(decisions):
    keys = [f"a.{row}" for row in range(150)]
    with pytest.raises(ValueError, match=r"no decision in .*pets\.decisions is about a row"):
        lay_over(X, LABELS, None, decisions, keys)


def test_unusable_rows_of_a_recording_are_audited_like_others(decisions):
    recordings = np.repeat(["a", "b", "c"], 50)
    audit = audited(decisions=decisions, sequence=recordings)
    assert audit._labelled.all()
    assert audit.labels[RIGHT[1]] == LABELS[RIGHT[1]]
    assert "1 row found unusable by people: audited like any other." in audit.notes


def test_rows_that_were_skipped_only_are_nothing_to_tell_of(tmp_path):
    decide(tmp_path / "pets.decisions", 3, "skip", key="row.9999")
    *_, notes = lay_over(X, LABELS, None, tmp_path / "pets.decisions", None)
    assert notes == []


def test_whole_numbers_decided_before_a_cell_was_emptied_are_the_same_classes(tmp_path):
    path = tmp_path / "pets.decisions"
    decide(path, 4, "other", 2, label=0)
    given = np.where(np.arange(150) == 9, np.nan, CODES)
    _, labels, known, _, _ = lay_over(X, given, None, path, None)
    assert labels[4] == 2
    assert known.nonzero()[0].tolist() == [4]


def test_keys_are_kept(decisions):
    keys = [f"a.{row}" for row in range(150)]
    assert audited(keys=keys)._keys.tolist() == keys
    with pytest.raises(ValueError, match="keys has 2 rows, but there are 150 labels"):
        audited(keys=["a", "b"], decisions=decisions)


def test_verdicts_tell_what_the_noise_is_like(tmp_path):
    # Every suspect but two was found right: so are most of those that nobody has looked at.
    first = audited()
    suspects = np.argsort(-first.suspicion)[:40].tolist()
    for row in suspects[::2]:
        decide(tmp_path / "a.decisions", row, "label", LABELS[row])
    told = audited(decisions=tmp_path / "a.decisions")
    known = np.zeros(150, dtype=bool)
    known[suspects[::2]] = True
    only_known = audited(known=known)
    others = suspects[1:20:2]
    assert told.p_wrong[others].mean() < 0.8 * only_known.p_wrong[others].mean()
    assert not told.flagged[suspects[::2]].any()
    np.testing.assert_array_equal(told.p_wrong[known], 0)


def test_verdicts_are_codes_among_the_classes_that_can_be_audited(tmp_path):
    path = tmp_path / "a.decisions"
    decide(path, 4, "other", "cat", label="ant")
    decide(path, 9, "other", "bee", label="yak")  # a label that no row has
    table, labels, known, verdicts, _ = lay_over(X, LABELS, None, path, None)
    inputs = read_inputs(table, labels, known=known)
    rows, were, classes = find_verdicts(inputs, *verdicts)
    names = inputs.classes[inputs.present]
    assert inputs.audited[rows].tolist() == [4]
    assert (names[were].tolist(), names[classes].tolist()) == (["ant"], ["cat"])


def test_a_list_that_is_no_better_than_the_table_is_not_flagged(tmp_path):
    # The columns tell the labels to perfection, and half of these are wrong wherever one looks.
    labels = (X[:, 0] > np.median(X[:, 0])).astype(int)
    path = tmp_path / "a.decisions"
    for row in range(30):
        kind, value = ("label", labels[row]) if row % 2 else ("suggestion", 1 - labels[row])
        decide(path, row, kind, int(value), label=int(labels[row]))
    told = audited(labels=labels, decisions=path)
    left = ~told._known
    assert 0.3 < told.p_wrong[left].mean() < 0.6
    assert told.flagged.mean() < 0.1
    assert any("no more often wrong than any row" in note for note in told.notes)
    asked = audited(labels=labels, decisions=path, precision=0.2)
    assert asked.flagged[left].mean() > 0.9  # as long as was asked for
