import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from errata.exceptions import SuspicionWarning
from errata.feature_selection.label_noise import _memberships as module
from errata.feature_selection.label_noise._densities import NeighborhoodRule
from errata.feature_selection.label_noise._memberships import (
    MembershipSettings,
    Search,
    estimate_memberships,
    keep_labels,
)

SETTINGS = MembershipSettings(NeighborhoodRule(3))


def blobs(sizes, seed=0):
    random = np.random.RandomState(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return random.normal(size=(len(codes), 2)) + 6 * codes[:, None], codes


def test_small_classes_keep_their_labels_and_take_no_others():
    X, codes = blobs([20, 3, 20])
    X[1] = X[21]  # among the rows of the small class, by its label of the first
    X += np.random.RandomState(1).normal(scale=1e-3, size=X.shape)
    found = estimate_memberships(X, codes, 3, SETTINGS)
    np.testing.assert_array_equal(found.frozen, [False, True, False])
    np.testing.assert_array_equal(found.best.memberships[:, 1], codes == 1)
    assert found.best.error_rates[1] == 0
    np.testing.assert_allclose(found.best.prior.sum(), 1, rtol=1e-12)
    assert found.best.prior[1] == pytest.approx(3 / 43, rel=1e-12)
    with pytest.warns(SuspicionWarning, match="no more than n_neighbors=3 rows have the label 'b'"):
        found.warn_of_small_classes(np.array(["a", "b", "c"]), SETTINGS.rule)


def test_the_others_are_learnt_as_if_the_small_class_was_not_there():
    X, codes = blobs([20, 3, 20])
    codes[2] = 2
    found = estimate_memberships(X, codes, 3, SETTINGS)
    rest = codes != 1
    alone = estimate_memberships(X[rest], (codes[rest] > 0).astype(int), 2, SETTINGS)
    np.testing.assert_allclose(
        found.best.memberships[rest][:, [0, 2]], alone.best.memberships, rtol=1e-12
    )
    assert found.log_likelihood == alone.log_likelihood


def test_labels_are_believed_when_fewer_than_two_classes_can_be_learnt():
    X, codes = blobs([20, 2])
    found = estimate_memberships(X, codes, 2, SETTINGS)
    np.testing.assert_array_equal(found.best.memberships, np.eye(2)[codes])
    assert found.log_likelihood == []
    assert not found.warn_of_trouble()


def test_starts_are_drawn_and_the_likeliest_is_kept(monkeypatch):
    starts = []

    def scripted(densities, codes, error_rates, **how):
        starts.append(error_rates)
        best = keep_labels(codes, 2)._replace(log_likelihood=[0.0, 5.0, 3.0][len(starts) - 1])
        return Search(best, [best.log_likelihood], True, False)

    monkeypatch.setattr(module, "search_memberships", scripted)
    X, codes = blobs([10, 10])
    settings = MembershipSettings(NeighborhoodRule(3), init_error=0.9, n_init=3)
    found = estimate_memberships(X, codes, 2, settings, random_state=0)
    assert found.best.log_likelihood == 5
    np.testing.assert_allclose(starts[0], 0.45, rtol=1e-12)  # cut: at 0.5 labels say nothing
    assert 0 < min(map(min, starts[1:])) < max(map(max, starts[1:])) < 0.45
    assert starts[1][0] != starts[1][1] != starts[2][0]


def test_what_went_wrong_is_told():
    labels = keep_labels(np.repeat([0, 1], 10), 2)
    how = {"best": labels, "log_likelihood": [0.0] * 7, "frozen": np.zeros(2, bool)}
    with pytest.warns(ConvergenceWarning, match="a class was losing nearly all of its rows"):
        assert module.MembershipEstimate(converged=False, collapsed=True, **how).warn_of_trouble()
    with pytest.warns(ConvergenceWarning, match="not settled after max_iter=7 rounds"):
        assert module.MembershipEstimate(converged=False, collapsed=False, **how).warn_of_trouble()
    assert not module.MembershipEstimate(converged=True, collapsed=False, **how).warn_of_trouble()


def test_no_class_is_left_with_fewer_rows_than_measure_its_density():
    # Nothing tells the classes apart: the larger one swallows the other round by round.
    random = np.random.RandomState(3)
    X, codes = random.normal(size=(60, 2)), np.repeat([0, 1], [52, 8])
    settings = MembershipSettings(NeighborhoodRule(3), tol=0.0, max_iter=200)
    found = estimate_memberships(X, codes, 2, settings)
    assert found.collapsed
    assert found.best.memberships.sum(axis=0).min() >= 3
