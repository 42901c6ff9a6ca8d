from dataclasses import dataclass

import numpy as np
import pytest

from auditing_cases import blobs
from errata.auditing import Case, Neighbors
from errata.auditing._evidence import hear

X, CODES = blobs(60)
CASE = Case(X, CODES, 3)


@dataclass
class Puppet:
    says: np.ndarray
    name: str = "puppet"

    def testify(self, case):
        return self.says


def test_witnesses_are_heard_in_order_and_told_about():
    told = []
    witnesses = [Neighbors("near"), Puppet(np.full((60, 3), 1 / 3))]
    evidence = hear(CASE, witnesses, progress=told.append)
    assert told == ["hearing near", "hearing puppet"]
    near, puppet = evidence.testimonies
    assert near.weight > puppet.weight
    assert near.agreement == np.mean(near.prefers == CODES)
    np.testing.assert_allclose(np.exp(evidence.logs).sum(axis=0), 1, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("says", "message"),
    [
        (np.full((60, 2), 0.5), r"must give .* shape \(60, 3\), but gave the shape \(60, 2"),
        (np.full((60, 3), np.nan), "'puppet' must give probabilities .* but gave other numbers"),
        (np.full((60, 3), -1.0), "'puppet' must give probabilities .* but gave other numbers"),
    ],
)
def test_a_witness_that_talks_nonsense_is_named(says, message):
    with pytest.raises(ValueError, match=message):
        hear(CASE, [Puppet(says)])
