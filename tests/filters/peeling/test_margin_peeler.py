import numpy as np
from hypothesis import given, settings

from errata.filters import MarginPeeler
from errata.filters.peeling._peeling import Rows
from filters.peeling_cases import noisy_twonorm, peel_line
from strategies import seeds


@given(seeds)
@settings(max_examples=15)
def test_margin_peeling_flags_the_training_errors(seed):
    X, y, _ = noisy_twonorm(seed)
    peeler = MarginPeeler(n_estimators=5).fit(X, y)
    decision = peeler.booster_.decision_function(X)
    sure = np.abs(decision) > 1e-9  # a decision of zero is not against the label
    np.testing.assert_array_equal(peeler.flagged_[sure], (peeler.booster_.predict(X) != y)[sure])
    np.testing.assert_allclose(peeler.suspicion_, -peeler.margins_, rtol=0, atol=1e-12)


def test_a_margin_that_is_zero_but_for_rounding_keeps_the_label():
    rows = Rows(None, None, None, margins=np.array([-0.1, -5e-13, 0.0, 5e-13, 0.1]))
    suspicion, native = MarginPeeler()._judge(rows)
    np.testing.assert_array_equal(suspicion, [0.1, 0, 0, 0, -0.1])
    assert native == 0


def test_margins_depend_on_the_number_of_rounds():
    # After ten rounds margins speak against row 2, not against the wrong label.
    np.testing.assert_array_equal(np.flatnonzero(peel_line("margin", 10).flagged_), [2])


def test_the_margin_threshold_of_the_paper_has_the_other_sign():
    X, y, _ = noisy_twonorm(0)
    peeler = MarginPeeler(threshold=-0.1).fit(X, y)
    np.testing.assert_array_equal(peeler.flagged_, peeler.margins_ < 0.1)


def test_half_of_the_noise_is_found_and_clean_rows_are_spared():
    # Published for twonorm with 20 % of noise, 180 rows: about half, at 5 % of clean rows.
    detected, false = [], []
    for seed in range(10):
        X, y, flipped = noisy_twonorm(seed, 180, 0.2)
        flagged = MarginPeeler().fit(X, y).flagged_
        detected.append(flagged[flipped].mean())
        false.append((flagged & ~flipped).mean())  # per row, as in the paper
    assert np.mean(detected) > 0.4
    assert np.mean(false) < 0.06
