import numpy as np
import pytest
from scipy.special import digamma

from errata.feature_selection.label_noise import _densities as module
from errata.feature_selection.label_noise._densities import (
    Columns,
    NeighborhoodRule,
    make_soft_classes,
    map_neighborhoods,
)


def test_a_neighbourhood_is_to_hold_k_others_or_as_many_as_there_are():
    memberships = np.array([[1, 0], [0.5, 0.5], [1, 0], [1e-7, 1 - 1e-7]])
    classes = make_soft_classes(memberships, NeighborhoodRule(2, slack=0.5))
    assert classes.weights[3, 0] == 0  # too little to count
    expected = np.array([[1.5, 1.5], [2, 1], [1.5, 1.5], [2, 0.5]]) - 0.5
    np.testing.assert_allclose(classes.targets, expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(classes.log_size[0], digamma([2.5, 2.5]), rtol=1e-6)
    assert classes.log_size[3, 1] == np.inf  # half a member besides the row itself


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_blocks_and_threads_make_no_difference(monkeypatch, n_jobs):
    random = np.random.RandomState(0)
    X, memberships = random.normal(size=(3, 60)), random.dirichlet(np.full(3, 0.3), size=60)
    rule = NeighborhoodRule(3)
    classes = make_soft_classes(memberships, rule)

    def radii(n_jobs=None):
        return map_neighborhoods(
            lambda found: np.concatenate([found.reached, found.mass], axis=2),
            Columns(X, X, -1),
            classes,
            rule,
            wanted=classes.weights > 0,
            n_jobs=n_jobs,
        )

    whole = radii()
    assert whole.shape == (3, 60, 6)
    monkeypatch.setattr(module, "HELD", 50)
    np.testing.assert_array_equal(radii(n_jobs), whole)
