import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import cohen_kappa_score

from decision_cases import said
from errata.review import Decisions, resolve


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


KINDS = ["suggestion", "label", "other", "ambiguous", "unusable"]


def test_kappa_is_that_of_scikit_learn(decisions):
    random = np.random.default_rng(0)
    ann = random.choice(KINDS, 60)
    bob = np.where(random.random(60) < 0.6, ann, random.choice(KINDS, 60))
    for reviewer, kinds in (("ann", ann), ("bob", bob)):
        decisions.record_all([said(kind, row, reviewer) for row, kind in enumerate(kinds)])
    decisions.record(said("skip", 99, "ann"))
    decisions.record(said("label", 99, "bob"))
    (pair,) = decisions.agreement()
    assert (pair["first"], pair["second"], pair["rows"]) == ("ann", "bob", 60)
    assert pair["alike"] == (ann == bob).sum()
    assert_allclose(pair["kappa"], cohen_kappa_score(ann, bob), rtol=1e-12, atol=0)
    disputed = {key for key, found in decisions.verdicts().items() if found.state == "disputed"}
    assert disputed == {f"row.{row}" for row in np.flatnonzero(ann != bob)}


def test_kappa_is_unknown_where_nothing_could_differ(decisions):
    decisions.record(said(reviewer="ann"))
    decisions.record(said(reviewer="bob"))
    decisions.record(said(row=1, reviewer="cat"))
    assert [tuple(pair.values()) for pair in decisions.agreement()] == [
        ("ann", "bob", 1, 1, None),
        ("ann", "cat", 0, 0, None),
        ("bob", "cat", 0, 0, None),
    ]


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
