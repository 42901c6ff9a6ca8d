import json

import numpy as np
import pytest

import errata
from errata.auditing.votes._result import SHOWN_ASKED, SHOWN_WORKERS, describe_workers
from vote_cases import crowd


@pytest.fixture(scope="module")
def summary():
    return errata.audit_votes(crowd()[0], random_state=0).summary()


def test_the_summary_is_valid_json(summary):
    json.dumps(summary, allow_nan=False)
    assert summary["kind"] == "votes"
    assert (summary["rows"], summary["votes"], summary["annotators"]) == (120, 600, 8)


def test_items_to_ask_about_come_with_what_is_known(summary):
    assert len(summary["asked"]) == SHOWN_ASKED
    gains = [each["gain"] for each in summary["asked"]]
    assert gains == sorted(gains, reverse=True)
    assert {"item", "votes", "agreement", "consensus", "p_consensus"} <= {*summary["asked"][0]}


def test_of_many_annotators_some_are_shown_the_best_and_the_worst_among_them():
    accuracy = np.linspace(0.2, 0.9, 500)
    known = {"low": 0.1, "high": 0.95, "agreement": 0.5, "guessing": False, "worst": None}
    told = [{"worker": w, "n_votes": 9, "accuracy": a, **known} for w, a in enumerate(accuracy)]
    shown = describe_workers(told)
    assert len(shown) == SHOWN_WORKERS
    assert (shown[0]["worker"], shown[-1]["worker"]) == ("499", "0")
    assert [shown[0]["rank"], shown[-1]["rank"]] == [1, 500]
