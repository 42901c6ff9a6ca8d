import numpy as np
import pytest
from numpy.testing import assert_allclose

import errata
from auditing_cases import QUICK, blobs
from errata.auditing._audited_classifier import class_posterior


@pytest.fixture(scope="module")
def found():
    X, y = blobs(240, 4)
    labels, _ = errata.noise.flip_labels(y, 0.15, random_state=0)
    return errata.audit(X, labels, estimators=QUICK, self_check=False, random_state=0)


def test_rows_sum_to_one_and_the_label_has_what_p_wrong_leaves(found):
    posterior = class_posterior(found)
    assert found.flagged.any()
    assert not found.flagged.all()
    assert_allclose(posterior.sum(axis=1), 1, rtol=0, atol=1e-6)
    own = posterior[np.arange(len(found)), found.codes]
    assert_allclose(own, 1 - found.p_wrong, rtol=0, atol=1e-12)


def test_the_suggested_class_of_a_flagged_row_has_its_probability(found):
    row = int(np.flatnonzero(found.flagged)[0])
    place = np.searchsorted(found.classes, found.suggested[row])
    assert_allclose(class_posterior(found)[row, place], found.p_suggested[row], rtol=0, atol=1e-7)


def test_elsewhere_wrong_labels_come_from_where_the_noise_model_says(found):
    row = int(np.flatnonzero(~found.flagged)[0])
    label = found.codes[row]
    from_class = found.prior * found.transition[:, label]
    from_class[label] = 0
    wanted = found.p_wrong[row] * from_class / from_class.sum()
    wanted[label] = 1 - found.p_wrong[row]
    assert_allclose(class_posterior(found)[row], wanted, rtol=0, atol=1e-12)


def test_a_known_label_is_certain(found):
    known = np.arange(len(found)) % 2 == 0
    posterior = class_posterior(found, known)
    assert (posterior[known, found.codes[known]] == 1).all()
    assert (posterior[known].sum(axis=1) == 1).all()
    assert_allclose(posterior[~known], class_posterior(found)[~known], rtol=0, atol=0)
