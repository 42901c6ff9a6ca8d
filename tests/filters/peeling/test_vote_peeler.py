import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errata.filters.peeling._peeling import compute_mean_vote, compute_misclassification_rate
from filters.peeling_cases import agreements, noisy_blobs, noisy_twonorm, peel_line
from strategies import seeds


@given(agreements())
def test_a_vote_counts_the_wrong_rounds(agreement):
    wrong = (agreement < 0).mean(axis=1)
    np.testing.assert_allclose(compute_mean_vote(agreement), 1 - 2 * wrong, rtol=0, atol=1e-15)


@given(seeds, st.integers(1, 12), st.integers(1, 12))
def test_with_rounds_of_equal_accuracy_a_vote_is_a_rate(seed, n, n_rounds):
    random = np.random.RandomState(seed)
    column = random.choice([-1, 1], n)
    agreement = np.stack([random.permutation(column) for _ in range(n_rounds)], axis=1)
    by_vote = compute_mean_vote(agreement) < 0
    np.testing.assert_array_equal(compute_misclassification_rate(agreement) > 0.5, by_vote)


def test_a_tie_of_the_rounds_keeps_the_label():
    peeler = peel_line("vote", 10)
    np.testing.assert_array_equal(peeler.suspicion_[[1, 2]], [0, 0])
    assert not peeler.flagged_.any()


def test_a_vote_is_a_margin_with_equal_weights():
    X, y, _ = noisy_twonorm(0)
    peeler = peel_line("vote", 9, X, y)
    agreement = np.where(peeler.booster_._staged_codes(X) == y[:, None], 1, -1)
    np.testing.assert_array_equal(peeler.flagged_, agreement.sum(axis=1) < 0)
    np.testing.assert_allclose(peeler.suspicion_, -agreement.mean(axis=1), rtol=0, atol=1e-15)


def test_a_vote_among_three_classes_asks_for_more_wrong_rounds_than_right_ones():
    X, y, _ = noisy_blobs()
    peeler = peel_line("vote", 30, X, y, max_depth=2)
    wrong = (peeler.booster_._staged_codes(X) != y[:, None]).sum(axis=1)
    np.testing.assert_array_equal(peeler.flagged_, wrong > peeler.booster_.n_estimators_ / 2)
    assert 0 < peeler.flagged_.sum() < len(y)
