import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import cohen_kappa_score

from decision_cases import said
from errata.review import Decisions, Pair

KINDS = ["suggestion", "label", "other", "ambiguous", "unusable"]


@pytest.fixture
def decisions(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as opened:
        yield opened


def test_kappa_is_that_of_scikit_learn(decisions):
    random = np.random.default_rng(0)
    ann = random.choice(KINDS, 60)
    bob = np.where(random.random(60) < 0.6, ann, random.choice(KINDS, 60))
    for reviewer, kinds in (("ann", ann), ("bob", bob)):
        decisions.record_all([said(kind, row, reviewer) for row, kind in enumerate(kinds)])
    decisions.record(said("skip", 99, "ann"))
    decisions.record(said("label", 99, "bob"))
    (pair,) = decisions.agreement().pairs
    assert (pair.first, pair.second, pair.rows) == ("ann", "bob", 60)
    assert pair.alike == (ann == bob).sum()
    assert_allclose(pair.kappa, cohen_kappa_score(ann, bob), rtol=1e-12, atol=0)
    disputed = [f"row.{row}" for row in np.flatnonzero(ann != bob)]
    assert decisions.agreement().disputed == sorted(disputed)


def test_kappa_is_unknown_where_nothing_could_differ(decisions):
    decisions.record(said(reviewer="ann"))
    decisions.record(said(reviewer="bob"))
    decisions.record(said(row=1, reviewer="cat"))
    assert decisions.agreement().pairs == [
        Pair("ann", "bob", 1, 1, None),
        Pair("ann", "cat", 0, 0, None),
        Pair("bob", "cat", 0, 0, None),
    ]
