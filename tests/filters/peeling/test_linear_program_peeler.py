import numpy as np
import pytest

from errata.filters import LinearProgramPeeler
from errata.filters.peeling._linear_programs import (
    estimate_fraction_of_strays,
    make_margin_lines,
    solve_widest_margin,
)
from filters.peeling_cases import LINE, noisy_blobs, noisy_twonorm, peel_line


def short(**parameters):
    return LinearProgramPeeler(**{"n_estimators": 20, "contamination": 0.1, **parameters})


@pytest.mark.parametrize("strategy", ["dual", "exact", "soft"])
def test_the_worked_example(strategy):
    peeler = peel_line("linear_program", 3, contamination=0.1, strategy=strategy)
    np.testing.assert_array_equal(np.flatnonzero(peeler.flagged_), [1])


@pytest.mark.parametrize("strategy", ["dual", "support", "soft", "margin"])
@pytest.mark.parametrize("fraction", [0.0, 0.05, 0.1, 0.114])
def test_as_many_rows_are_flagged_as_the_contamination_says(strategy, fraction):
    X, y, flipped = noisy_twonorm(0, n=100)
    peeler = short(contamination=fraction, strategy=strategy).fit(X, y)
    assert peeler.flagged_.sum() == np.floor(100 * fraction + 0.5)
    assert peeler.contamination_ == fraction
    assert peeler.suspicion_[~peeler.flagged_].max() <= 1
    if fraction == 0.1:  # as many as there are flips: what is missed is wrongly flagged elsewhere
        assert (peeler.flagged_ & ~flipped).sum() == (flipped & ~peeler.flagged_).sum()


def test_a_threshold_can_add_the_rows_of_negative_margin():
    X, y, _ = noisy_twonorm(0, n=100)
    peeler = short(contamination=None, threshold=0.0).fit(X, y)
    free = short(contamination=peeler.contamination_).fit(X, y).flagged_
    np.testing.assert_array_equal(peeler.flagged_, free | (peeler.margins_ < 0))
    assert (peeler.flagged_ & ~free).any()


def test_a_seed_repeats_the_rows_that_are_drawn():
    X, y, _ = noisy_twonorm(3, n=80)
    first, again, other = (
        short(strategy="support", random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.suspicion_, again.suspicion_)
    assert (first.suspicion_ != other.suspicion_).any()


def test_the_first_row_to_go_is_the_most_suspicious():
    X, y, _ = noisy_twonorm(1, n=80)
    few, many = (short(contamination=fraction).fit(X, y) for fraction in (0.025, 0.1))
    top = np.argsort(-many.suspicion_)[:2]
    np.testing.assert_array_equal(np.sort(top), np.flatnonzero(few.flagged_))
    assert few.suspicion_[top[0]] > few.suspicion_[top[1]] > 1


def test_exact_programs_widen_the_margin_at_least_as_much():
    X, y, _ = noisy_twonorm(2, n=40)
    values = []
    for strategy in ("exact", "dual"):
        peeler = short(n_estimators=8, contamination=0.025, strategy=strategy)
        kept = peeler.fit(X, y).sample_indices_
        lines, _ = make_margin_lines(peeler.booster_._staged_codes(X[kept]), y[kept])
        values.append(solve_widest_margin(lines).margin)
    assert values[0] >= values[1] - 1e-9


def test_the_contamination_is_estimated_from_strays_when_it_is_not_given():
    estimates = [estimate_fraction_of_strays(*noisy_blobs(300, 0.1, seed)[:2]) for seed in range(5)]
    assert np.mean(estimates) == pytest.approx(0.1, abs=0.025)
    X, y, _ = noisy_blobs(300, 0.1)
    peeler = short(contamination=None, strategy="margin").fit(X, y)
    assert peeler.contamination_ == estimate_fraction_of_strays(X, y)
    assert peeler.flagged_.sum() == round(300 * peeler.contamination_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"contamination": 1.2}, "contamination=1.2 must be a number between 0 and 1"),
        ({"contamination": "guess"}, "contamination='guess' must be a number"),
        ({"strategy": "primal"}, "strategy='primal' is not known; choose from dual, exact"),
        ({"threshold": 0.5}, "two rules; pass at most one"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        short(**parameters).fit(LINE, np.repeat([0, 1], 5))
