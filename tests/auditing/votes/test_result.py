import json
from dataclasses import replace

import numpy as np
import pytest

import errata
from auditing.vote_cases import crowd, measured

pytestmark = pytest.mark.usefixtures("few_trees")


@pytest.fixture(scope="module")
def audit():
    return errata.audit_votes(crowd()[0], random_state=0)


@pytest.fixture(scope="module")
def loaded(audit, tmp_path_factory):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    folder = tmp_path_factory.mktemp("saved") / "pets.audit"
    audit.save(folder)
    return errata.auditing.load_audit(folder)


def test_an_audit_of_votes_is_the_same_from_disk(audit, loaded):
    assert isinstance(loaded, errata.VoteAudit)
    for name in ("p_wrong", "labels", "suggested", "items", "ask", "agreement", "proba"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(audit, name))
    assert loaded.expected_wrong == audit.expected_wrong
    assert loaded.evidence == audit.evidence
    assert json.dumps(loaded.summary()) == json.dumps(audit.summary())


def test_annotators_are_the_same_from_disk(audit, loaded):
    for one, other in zip(audit.workers, loaded.workers, strict=True):
        np.testing.assert_allclose(one["confusion"], other["confusion"], rtol=0, atol=1e-12)
        told = [name for name in one if name != "confusion"]
        assert {name: one[name] for name in told} == {name: other[name] for name in told}


def test_numbers_as_names_and_gaps_come_back(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    votes, truth = crowd(classes=np.array([1, 2, 3]))
    X = np.vstack([measured(truth, classes=np.array([1, 2, 3])), [[0.0, 0.0]]])
    audit = errata.audit_votes(votes, X=X, random_state=0)
    audit.save(tmp_path / "a.audit")
    again = errata.VoteAudit.load(tmp_path / "a.audit")
    assert again.classes.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(again.labels, audit.labels)
    assert np.isnan(again.labels[-1])


def test_another_kind_of_audit_is_not_loaded(audit, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    audit.save(tmp_path / "a.audit")
    with pytest.raises(ValueError, match=r"an audit of votes; load it with errata.VoteAudit.load"):
        errata.Audit.load(tmp_path / "a.audit")


def test_the_table_tells_of_items(audit):
    pytest.importorskip("pandas", reason="pandas is not installed")
    table = audit.table()
    assert table["p_wrong"].is_monotonic_decreasing
    assert {"item", "n_votes", "agreement", "consensus", "p_consensus", "ask"} <= {*table.columns}
    assert len(audit.table(flagged=True)) == audit.flagged.sum()
    first = audit.worker_table().iloc[0]
    assert first["accuracy"] == max(worker["accuracy"] for worker in audit.workers)


def test_items_to_ask_about_are_those_with_the_largest_gain(audit):
    order = np.argsort(-audit.ask, kind="stable")
    assert audit.next_items(7).tolist() == audit.items[order[:7]].tolist()


def test_cleaning_gives_the_consensus_where_the_majority_is_wrong(audit):
    cleaned = audit.clean()
    wrong = audit.p_wrong > 0.5
    changed = cleaned.did == "relabelled"
    assert changed.any()
    assert set(np.flatnonzero(changed)) <= set(np.flatnonzero(wrong))
    np.testing.assert_array_equal(cleaned.labels[changed], audit.consensus[changed])
    assert np.all(cleaned.did[~wrong] == "kept")
    assert not np.any(wrong & (cleaned.did == "kept"))


def test_cleaning_may_drop_instead(audit):
    cleaned = audit.clean("drop")
    assert np.all(audit.p_wrong[~cleaned.kept] > 0.5)
    np.testing.assert_array_equal(cleaned.labels, audit.labels)


def test_a_notebook_shows_a_sentence_and_items(audit):
    page = audit._repr_html_()
    assert "Of 120 majority labels about" in page
    assert repr(audit).startswith("<VoteAudit: of 120 majority labels about ")


def worker(name, accuracy, n_votes=10, worst=None):
    bounds = {"low": accuracy - 0.1, "high": accuracy + 0.1}
    known = {"agreement": 0.5, "coverage": 0.5, "guessing": False, "reversed": False}
    votes = {"worker": name, "n_votes": n_votes, "accuracy": accuracy, "worst": worst}
    return votes | bounds | known


def test_annotators_come_by_accuracy_and_of_equals_by_votes(audit):
    pytest.importorskip("pandas", reason="pandas is not installed")
    told = [worker("ann", 0.7), worker("ben", 0.9, worst=("cat", "dog")), worker("eve", 0.7, 20)]
    table = replace(audit, workers=told).worker_table()
    assert table["worker"].tolist() == ["ben", "eve", "ann"]
    assert table["confuses"].dropna().tolist() == ["cat as dog"]
    np.testing.assert_allclose(table["accuracy"], [0.9, 0.7, 0.7], rtol=0, atol=1e-12)


def test_the_summary_is_valid_json_and_tells_which_items_to_ask_about(audit):
    summary = audit.summary()
    json.dumps(summary, allow_nan=False)
    assert summary["kind"] == "votes"
    assert (summary["rows"], summary["votes"], summary["annotators"]) == (120, 600, 8)
    gains = [each["gain"] for each in summary["asked"]]
    assert len(gains) == 20
    assert gains == sorted(gains, reverse=True)
    assert {"item", "votes", "agreement", "consensus", "p_consensus"} <= {*summary["asked"][0]}


def test_of_many_annotators_some_are_shown_the_best_and_the_worst_among_them(audit):
    told = [worker(name, accuracy) for name, accuracy in enumerate(np.linspace(0.2, 0.9, 500))]
    shown = replace(audit, workers=told).summary()["workers"]
    assert len(shown) == 60
    assert (shown[0]["worker"], shown[-1]["worker"]) == ("499", "0")
    assert [shown[0]["rank"], shown[-1]["rank"]] == [1, 500]
