import os

import numpy as np
import pytest

import errata
from errata.datasets import load_dataset

WORST = [7, 505]  # recorded as 27.1 and 11.9, corrected to 22.1 and 19.0 by Gilley and Pace (1996)


@pytest.mark.skipif(not os.environ.get("ERRATA_DATA"), reason="needs the Boston table")
def test_prices_of_boston_that_were_corrected_are_among_the_first_ten():
    bunch = load_dataset("reg_boston")
    found = errata.audit_targets(bunch.data, bunch.target, self_check=False, random_state=0)
    assert set(WORST) <= set(np.argsort(-found.suspicion)[:10])
    np.testing.assert_allclose(found.predicted[WORST], [16.8, 19.9], rtol=0, atol=2)
