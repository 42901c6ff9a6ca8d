"""Asking: the gain is the mutual information of one more vote and the class, by enumeration."""

import numpy as np
from numpy.testing import assert_allclose

from errata.auditing.votes._finding import gain_of_asking


def test_gain_is_the_expected_fall_of_entropy():
    random = np.random.default_rng(0)
    proba, shared = random.dirichlet(np.ones(3), 5), random.dirichlet(np.ones(3), 3)
    for q, gain in zip(proba, gain_of_asking(proba, shared), strict=True):
        fall = -np.sum(q * np.log(q))
        for label in range(3):
            joint = q * shared[:, label]
            after = joint / joint.sum()
            fall += joint.sum() * np.sum(after * np.log(after))
        assert_allclose(gain, fall, rtol=1e-9, atol=0)


def test_nothing_is_gained_where_the_class_is_known_or_votes_say_nothing():
    open_ = np.array([[0.5, 0.5]])
    assert_allclose(gain_of_asking(open_, np.full((2, 2), 0.5)), 0, rtol=0, atol=1e-12)
    assert_allclose(gain_of_asking(np.array([[1.0, 0.0]]), np.eye(2)), 0, rtol=0, atol=1e-12)
    assert_allclose(gain_of_asking(open_, np.eye(2)), np.log(2), rtol=1e-12, atol=0)
