import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata._detector import compute_margin
from errata.filters.committees._cross_validation import (
    SCORES,
    score_contradiction,
    score_distrust,
    score_surprise,
)
from strategies import seeds

# Worked by hand from the definitions.
PROBA = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.4, 0.35, 0.25], [1 / 3] * 3])
CODES = np.array([0, 0, 1, 2])


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (score_distrust, [0.3, 0.9, 0.65, 0.666667]),
        (compute_margin, [0.25, 0.85, 0.525, 0.5]),
        (score_surprise, [0.356675, 2.302585, 1.049822, 1.098612]),
        (score_contradiction, [0, 0.418328, 0.016461, 0]),
    ],
)
def test_scores_of_four_rows(score, expected):
    np.testing.assert_allclose(score(PROBA, CODES), expected, rtol=0, atol=1e-6)


def test_the_probabilities_are_left_alone():
    before = PROBA.copy()
    for score in SCORES.values():
        score(PROBA, CODES)
    np.testing.assert_array_equal(PROBA, before)


def test_an_impossible_label_is_no_more_than_very_surprising():
    assert score_surprise(np.array([[0.0, 1.0]]), np.array([0]))[0] == pytest.approx(34.538776)


@given(seeds, st.integers(2, 6))
def test_scores_are_finite_and_all_but_surprise_at_most_one(seed, n_classes):
    random = np.random.RandomState(seed)
    proba = random.dirichlet(np.full(n_classes, 0.2), size=20)
    codes = random.randint(n_classes, size=20)
    for name, score in SCORES.items():
        values = score(proba, codes)
        assert np.isfinite(values).all()
        assert values.min() >= -1e-12
        assert name == "surprise" or values.max() <= 1 + 1e-12


@given(seeds)
def test_scores_are_one_minus_those_of_cleanlab(seed):
    rank = pytest.importorskip("cleanlab.rank", reason="cleanlab is not installed")
    random = np.random.RandomState(seed)
    proba, codes = random.dirichlet(np.ones(4), size=30), random.randint(4, size=30)
    for ours, theirs in (
        (score_distrust, "self_confidence"),
        (compute_margin, "normalized_margin"),
    ):
        quality = rank.get_label_quality_scores(codes, proba, method=theirs)
        np.testing.assert_allclose(ours(proba, codes), 1 - quality, rtol=0, atol=1e-12)
