import pytest

from decision_cases import said
from errata.review import Decisions


@pytest.fixture
def decisions(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as opened:
        yield opened


def verdict(decisions, *kinds):
    """What reviewers a, b, c, ... say together when each gives one verdict."""
    for reviewer, kind in zip("abcde", kinds, strict=False):
        decisions.record(said(kind, reviewer=reviewer))
    return decisions.verdicts()["row.0"]


@pytest.mark.parametrize(
    ("kinds", "state", "class_text"),
    [
        (["suggestion"], "decided", '"dog"'),
        (["label"], "decided", '"cat"'),
        (["other"], "decided", '"cow"'),
        (["ambiguous"], "ambiguous", None),
        (["unusable"], "unusable", None),
        (["skip"], "skipped", None),
        (["note"], "seen", None),
        (["skip", "suggestion"], "decided", '"dog"'),
        (["skip", "note"], "skipped", None),
        (["suggestion", "label"], "disputed", None),
        (["suggestion", "ambiguous"], "disputed", None),
        (["suggestion", "suggestion", "label"], "decided", '"dog"'),
        (["unusable", "unusable", "label"], "unusable", None),
        (["suggestion", "suggestion", "label", "other"], "disputed", None),
        (["suggestion", "suggestion", "label", "label"], "disputed", None),
        (["suggestion", "suggestion", "suggestion", "label"], "decided", '"dog"'),
        (["suggestion", "suggestion", "suggestion", "label", "label"], "disputed", None),
    ],
)
def test_consensus(decisions, kinds, state, class_text):
    found = verdict(decisions, *kinds)
    assert (found.state, found.class_text) == (state, class_text)


def test_the_same_class_is_agreement_whatever_it_was_called(decisions):
    decisions.record(said("suggestion", reviewer="ann"))
    decisions.record(said("other", reviewer="bob", class_text='"dog"'))
    assert decisions.verdicts()["row.0"].state == "decided"


def test_the_last_verdict_of_a_reviewer_counts(decisions):
    decisions.record(said("label"))
    decisions.record(said("suggestion"))
    decisions.record(said("note", note="look at the ears"))
    found = decisions.verdicts()["row.0"]
    assert (found.class_text, found.note) == ('"dog"', "look at the ears")
    assert decisions.by_reviewer()["row.0", "ann"].kind == "suggestion"


def test_a_verdict_tells_who_and_when_and_what_was_seen_first(decisions):
    decisions.record(said(reviewer="bob", queue="spot", p_wrong=0.1))
    decisions.record(said(reviewer="ann", queue="disputed", p_wrong=0.2))
    found = decisions.verdicts()["row.0"]
    assert found.reviewers == ("ann", "bob")
    assert (found.queue, found.p_wrong, found.label) == ("spot", 0.1, '"cat"')
    assert found.at == list(decisions.events())[-1].at


def test_notes_of_several_have_their_names(decisions):
    decisions.record(said(reviewer="bob", note="a wolf?"))
    decisions.record(said(reviewer="ann", note="no"))
    assert decisions.verdicts()["row.0"].note == "ann: no\nbob: a wolf?"
    decisions.record(said("note", reviewer="ann", note=""))
    assert decisions.verdicts()["row.0"].note == "a wolf?"
