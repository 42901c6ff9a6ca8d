import numpy as np
import pytest

from errata.feature_selection.information import _tables as module
from errata.feature_selection.information import (
    failure_statistics,
    sample_discrete_features,
    sample_random_problems,
)


# Means over two million features (computed for this test, with another program).
@pytest.mark.parametrize(
    ("n_values", "alpha", "information", "error"),
    [(2, 4, 0.0434, 0.4048), (8, 1, 0.2479, 0.2666), (128, 0.06, 0.8691, 0.0393)],
)
def test_features_are_as_hard_as_those_of_the_paper(n_values, alpha, information, error):
    found = sample_discrete_features(10_000, n_values=n_values, alpha=alpha, random_state=0)
    assert found.mutual_information.mean() == pytest.approx(information, abs=0.003)
    assert found.error.mean() == pytest.approx(error, abs=0.003)
    assert found.error.shape == (10_000, 2)


@pytest.mark.parametrize("sample", [sample_discrete_features, sample_random_problems])
def test_draws_repeat_and_do_not_depend_on_the_blocks(sample, monkeypatch):
    whole = sample(500, random_state=3)
    assert not np.array_equal(sample(500, random_state=4).error, whole.error)
    monkeypatch.setattr(module, "_BLOCK", 1000)
    np.testing.assert_allclose(sample(500, random_state=3), whole, rtol=0, atol=1e-12)


def test_a_tiny_alpha_underflows_and_still_gives_distributions():
    found = sample_discrete_features(2000, n_values=2, alpha=1e-3, random_state=0)
    assert np.isfinite(found.mutual_information).all()
    # In the limit a class has one value: each of both with equal chance, so half are all telling.
    assert found.mutual_information.mean() == pytest.approx(0.5, abs=0.04)


def by_one_loop(n_pairs, n_values, seed):
    """Failures and ties of random problems with a shared prior, as slowly as can be."""
    random = np.random.default_rng(seed)
    failures = ties = 0
    for _ in range(n_pairs):
        prior = random.random(2)
        prior /= prior.sum()
        (h1, e1), (h2, e2) = (entropy_and_error(prior, n_values, random) for _ in range(2))
        ties += abs(e1 - e2) < 1e-12
        failures += abs(e1 - e2) >= 1e-12 and (h1 < h2) == (e1 > e2)
    return failures / n_pairs, ties / n_pairs


def entropy_and_error(prior, n_values, random):
    joint = random.random((n_values, 2))
    joint = joint / joint.sum(axis=0) * prior
    posterior = joint / joint.sum(axis=1, keepdims=True)
    return -(joint * np.log2(posterior)).sum(), 1 - joint.max(axis=1).sum()


@pytest.mark.parametrize("n_values", [2, 4])
def test_random_problems_fail_as_often_as_in_a_plain_loop(n_values):
    problems = sample_random_problems(100_000, n_values=n_values, random_state=0)
    found = failure_statistics(problems.mutual_information, problems.error)
    failures, ties = by_one_loop(5000, n_values, seed=1)
    # Four standard errors of the loop.
    assert found.failure_rate == pytest.approx(failures, abs=4 * np.sqrt(failures / 5000))
    assert found.tie_rate == pytest.approx(ties, abs=4 * np.sqrt(ties / 5000))


def test_with_priors_of_their_own_nearly_half_of_the_pairs_fail():
    problems = sample_random_problems(100_000, shared_prior=False, random_state=0)
    found = failure_statistics(problems.mutual_information, problems.error)
    assert found.failure_rate == pytest.approx(0.425, abs=0.006)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="n_pairs=0 must be a whole number at least 1"):
        sample_discrete_features(0)
    with pytest.raises(ValueError, match="alpha=0 must be a finite number above 0"):
        sample_discrete_features(10, alpha=0)
    with pytest.raises(ValueError, match="n_values=1 must be a whole number at least 2"):
        sample_random_problems(10, n_values=1)
