import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine

from errata.ensemble import AveBoostClassifier, DiscreteAdaBoostClassifier
from errata.ensemble.boosting._tempered import compute_averaged_step
from errata.exceptions import SuspicionWarning
from errata.noise import flip_labels


def printed_update(weights, wrong, t):
    """The average of the weights so far and AdaBoost's proposal."""
    e = weights[wrong].sum()
    proposal = np.where(wrong, weights / (2 * e), weights / (2 * (1 - e)))
    return (t * weights + proposal) / (t + 1)


def test_the_first_round_by_hand():
    # One of five rows is wrong: e = 0.2, gamma = (1.6 + 1) / (0.4 + 1).
    step = compute_averaged_step(0.2, 1)
    assert step == pytest.approx(np.log(0.8 / (0.2 * 1.857143)), abs=1e-6)
    assert step == pytest.approx(0.767255, abs=1e-6)
    moved = printed_update(np.full(5, 0.2), np.arange(5) == 0, 1)
    np.testing.assert_allclose(moved, [0.35, *[0.1625] * 4], rtol=0, atol=1e-12)


@given(st.floats(0.001, 0.499), st.integers(1, 500))
def test_a_vote_counts_the_log_ratio_of_the_factors(e, t):
    before = np.array([e, 1 - e])
    factors = printed_update(before, np.array([True, False]), t) / before
    assert compute_averaged_step(e, t) == pytest.approx(np.log(factors[0] / factors[1]), abs=1e-12)
    gamma = (2 * (1 - e) * t + 1) / (2 * e * t + 1)
    assert compute_averaged_step(e, t) == pytest.approx(np.log((1 - e) / (e * gamma)), abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_averaged_as_printed(n_classes):
    X, y = load_wine(return_X_y=True)
    labels, _ = flip_labels(y % n_classes, 0.2, random_state=0)
    model = AveBoostClassifier(n_estimators=8).fit(X, labels)
    weights, votes = np.full(len(y), 1 / len(y)), model._staged_codes(X).T
    for t, (found, vote) in enumerate(
        zip(model.staged_data_weights(X, labels), votes, strict=True)
    ):
        np.testing.assert_allclose(found, weights, rtol=0, atol=1e-12)
        weights = printed_update(weights, vote != labels, t + 1)


def test_a_first_vote_wrong_on_half_the_weight_stays_alone():
    X, y = load_digits(return_X_y=True)
    with pytest.warns(SuspicionWarning, match=r"a weighted error of 0\.\d\d, too much to boost"):
        model = AveBoostClassifier().fit(X, y)
    assert model.estimator_weights_.tolist() == [1]
    assert 0.5 <= model.estimator_errors_[0] < 0.9
    assert AveBoostClassifier(max_depth=5).fit(X, y).n_estimators_ == 50


def test_wrong_labels_harm_less_than_in_adaboost():
    X, y = load_iris(return_X_y=True)
    gains = []
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(len(y))
        train, test = order[:90], order[90:]
        labels, _ = flip_labels(y[train], 0.3, random_state=seed)
        ave, ada = (
            b(n_estimators=50, max_depth=2).fit(X[train], labels).score(X[test], y[test])
            for b in (AveBoostClassifier, DiscreteAdaBoostClassifier)
        )
        gains.append(ave - ada)
    assert np.mean(gains) > 0.04
