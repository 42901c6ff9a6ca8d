import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.auditing.classes._posterior import doubtful_are_like_all, noise_rows, set_aside

CODES = np.repeat([0, 1, 2], [50, 30, 20])


def test_known_rows_are_left_out_where_the_others_are_a_sample():
    known = np.zeros(100, dtype=bool)
    known[[0, 1, 50, 80]] = True
    rows = noise_rows(CODES, 3, np.random.default_rng(0), None, known)
    np.testing.assert_array_equal(rows, np.flatnonzero(~known))
    assert set_aside(CODES, known) == 0.04


@pytest.mark.parametrize("known", [CODES == 2, np.ones(100, dtype=bool)])
def test_all_rows_teach_where_the_others_are_none(known):
    assert not doubtful_are_like_all(CODES, known)
    rows = noise_rows(CODES, 3, np.random.default_rng(0), None, known)
    np.testing.assert_array_equal(rows, np.arange(100))
    assert set_aside(CODES, known) == 0


def test_wrong_labels_are_found_also_where_all_others_of_their_class_are_known():
    X, y = blobs(150)
    wrong = np.flatnonzero(y == 0)[:6]
    labels = y.copy()
    labels[wrong] = 1
    found = errata.audit(X, labels, known=labels == 0, estimators=QUICK, self_check=False)
    assert found.flagged[wrong].all()
    assert set(found.suggested[wrong]) == {0}
    assert found.noise_rate.low <= 6 / 150 <= found.noise_rate.high
