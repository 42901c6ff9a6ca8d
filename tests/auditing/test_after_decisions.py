"""What people decide on some rows changes what is done to the others."""

import numpy as np
import pytest

import errata
from decision_cases import said
from errata.noise import flip_labels
from errata.review import Decisions, as_text, open_decisions, read_audited, review_summary
from errata.tables import write_table


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    y = np.arange(400) % 2
    return random.normal(size=(400, 3)) + 0.8 * y[:, None], y


@pytest.fixture(scope="module")
def audit(table):
    return errata.audit(*table, self_check=False, random_state=0)


@pytest.fixture
def decided(audit, tmp_path):
    """The folder of the audit, and decisions: twenty suspects have the other class."""
    audit.save(tmp_path / "t.audit")
    suspects = np.flatnonzero(audit.flagged)
    worst = suspects[np.argsort(-audit.p_wrong[suspects], kind="stable")][:20]
    with open_decisions(tmp_path / "t.audit") as decisions:
        for row in worst.tolist():
            label = int(audit.labels[row])
            given = {"label": as_text(label), "class_text": as_text(1 - label)}
            decisions.record(said("suggestion", row, **given))
        yield tmp_path / "t.audit", decisions


def test_suspects_that_were_wrong_make_the_others_more_probably_wrong(audit, decided):
    assert not (audit.clean("drop").did == "dropped").any()
    cleaned = audit.clean("drop", decisions=decided[1])
    assert ((cleaned.did == "dropped") & audit.flagged).sum() > 40
    again = errata.Audit.load(decided[0]).clean("drop", decisions=decided[1])
    assert again.did.tolist() == cleaned.did.tolist()


def test_clean_goes_by_what_the_review_expects(audit, decided):
    folder, decisions = decided
    told = review_summary(decisions, read_audited(folder), folder)["progress"]["numbers"]["flagged"]
    left = audit.flagged & ~audit.clean(decisions=decisions).decided
    after = 1 - audit.clean("weight", decisions=decisions).weight[left]
    assert told["rows"] == left.sum()
    np.testing.assert_allclose(after.sum(), told["expected"], rtol=1e-6)


def test_suggestions_are_as_sure_as_the_label_is_wrong(audit):
    scores = audit._scores()
    moved = scores.reweighed(np.full(400, 3.0))
    other = audit.suggested != audit.labels
    np.testing.assert_allclose(moved.p_suggested[other], moved.p_wrong[other])  # of two classes
    np.testing.assert_allclose(
        moved.p_wrong / (1 - moved.p_wrong), 3 * scores.p_wrong / (1 - scores.p_wrong)
    )
    assert (moved.p_suggested[~other] == scores.p_suggested[~other]).all()


def test_labels_that_are_known_stay_beyond_doubt(table, tmp_path):
    X, y = table
    known = np.arange(400) < 100
    found = errata.audit(X, y, known=known, self_check=False, random_state=0)
    with open_decisions_of(found, tmp_path) as decisions:
        row = int(np.flatnonzero(found.flagged)[0])
        text = as_text(int(y[row]))
        decisions.record(said("label", row, label=text, class_text=text))
        assert (found.clean("weight", decisions=decisions).weight[known] == 1).all()


@pytest.fixture(scope="module")
def noisy():
    """A table with a tenth of the labels wrong, its audit, and five of the suspects."""
    random = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = random.normal(size=(400, 3)) + 1.6 * y[:, None]
    labels, _ = flip_labels(y, 0.1, random_state=0)
    found = errata.audit(X, labels, self_check=False, random_state=0)
    suspects = np.flatnonzero(found.flagged)
    ranked = suspects[np.argsort(-found.suspicion[suspects], kind="stable")]
    return X, labels, found, ranked[np.linspace(0, len(ranked) - 1, 5).astype(int)].tolist()


def audit_after(noisy, folder, n_right):
    """The audit after five verdicts, the first so many of which say that the label is right."""
    X, labels, _, rows = noisy
    with Decisions(folder / "t.decisions") as decisions:
        for place, row in enumerate(rows):
            text = as_text(int(labels[row]))
            other = as_text(1 - int(labels[row]))
            kind, given = ("label", text) if place < n_right else ("suggestion", other)
            row_key = f"row.{row}"
            decisions.record(said(kind, row, row_key=row_key, label=text, class_text=given))
    how = {"self_check": False, "random_state": 0, "decisions": folder / "t.decisions"}
    return errata.audit(X, labels, **how)


def test_few_verdicts_against_flags_leave_those_that_are_hardly_below_the_line(noisy, tmp_path):
    before = noisy[2].flagged
    after = audit_after(noisy, tmp_path, 5)
    spared = after.flagged & (after.p_wrong < 0.2)
    assert 1 <= spared.sum() < before.sum() / 4
    assert before[spared].all()


def test_few_verdicts_flag_hardly_any_row_that_was_not(noisy, tmp_path):
    before = noisy[2].flagged
    after = audit_after(noisy, tmp_path, 3)
    doubted = ~before & (after.p_wrong > after.p_wrong[after.flagged].min())
    assert doubted.sum() > 5
    assert (after.flagged & ~before).sum() <= 2


def open_decisions_of(found, folder):
    found.save(folder / "t.audit")
    return open_decisions(folder / "t.audit")


def test_a_cleaned_file_says_what_verdicts_tell_and_offers_a_second_audit(table, tmp_path):
    X, y = table
    file = tmp_path / "t.csv"
    write_table(file, dict(zip("abc", X.T, strict=True)) | {"kind": y})
    found = errata.audit(str(file), "kind", self_check=False, random_state=0)
    with open_decisions_of(found, tmp_path) as decisions:
        for row in np.flatnonzero(found.flagged)[:20].tolist():
            label = found.labels[row]
            other = found.classes[found.classes != label][0]
            given = {"label": as_text(label), "class_text": as_text(other)}
            key = found._row_keys(np.array([row]))[0]
            decisions.record(said("suggestion", row, row_key=key, **given))
        cleaned = found.clean_file(file, tmp_path / "clean.csv", decisions=decisions)
    told = " ".join(cleaned.notes)
    assert "Going by these verdicts, about " in told
    assert " undecided suspects are wrong (" in told
    assert f"errata audit {file} --label kind" in told
    assert f"--decisions {decisions.path} -o {tmp_path / 't.2.audit'}" in told
