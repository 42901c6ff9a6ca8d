import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from errata.elm._elm import (
    compute_probabilities,
    encode_one_hot,
    fill_undefined,
    fit_temperature,
    score_labels,
    warn_of_rare_classes,
)
from errata.exceptions import SuspicionWarning

scores_strategy = hnp.arrays(
    float, st.tuples(st.integers(1, 20), st.integers(2, 4)), elements=st.floats(-2, 2, width=32)
)


@given(scores_strategy, st.floats(0.05, 5))
def test_scores_of_labels_are_what_their_definitions_say(scores, temperature):
    codes = np.arange(len(scores)) % scores.shape[1]
    suspicion, margin, suggested = score_labels(scores, codes, temperature)
    p = np.exp(log_softmax(scores / temperature, axis=1))
    for i, c in enumerate(codes):
        others = np.delete(scores[i], c)
        assert suspicion[i] == pytest.approx(1 - p[i, c], abs=1e-12)
        assert margin[i] == scores[i, c] - others.max()
        if margin[i] >= 0:
            assert suggested[i] == c  # of equals, the label itself
        else:
            assert scores[i, suggested[i]] == scores[i].max()


def test_suspicions_of_trusted_rows_keep_their_order():
    margins = np.linspace(5, 30, 20)  # one minus a probability would be zero for most of them
    scores = np.column_stack([margins, np.zeros(20)])
    suspicion, _, _ = score_labels(scores, np.zeros(20, dtype=int), 0.2)
    assert np.all(np.diff(suspicion) < 0)


@pytest.mark.parametrize("weighted", [False, True])
def test_temperature_minimises_the_smoothed_log_loss(weighted):
    random = np.random.RandomState(0)
    codes = random.randint(3, size=300)
    scores = 0.4 * np.eye(3)[codes] + random.normal(scale=0.3, size=(300, 3))
    weight = 3 * random.random_sample(300) if weighted else np.ones(300)
    smooth = 1 / (weight.sum() + 2)
    target = (1 - smooth) * np.eye(3)[codes] + smooth / 2 * (1 - np.eye(3)[codes])

    def loss(log_temperature):
        logs = log_softmax(scores / np.exp(log_temperature), axis=1)
        return -(weight @ (target * logs).sum(axis=1))

    found = fit_temperature(scores, codes, weight if weighted else None)
    expected = minimize_scalar(loss, bounds=(-4, 4), method="bounded", options={"xatol": 1e-9})
    assert np.log(found) == pytest.approx(expected.x, abs=1e-5)


def test_temperature_does_not_mind_weights_that_sum_to_one():
    codes = np.arange(40) % 2
    clean = encode_one_hot(codes, 2)  # without errors, smoothing alone decides
    assert fit_temperature(clean, codes, np.full(40, 1 / 40)) == pytest.approx(
        fit_temperature(clean, codes, None), rel=1e-9
    )


def test_temperature_makes_forecasts_of_labels_honest():
    # Labels drawn from softmax(scores / 0.3): that temperature must come back.
    random = np.random.RandomState(0)
    scores = random.normal(size=(20_000, 2))
    p = compute_probabilities(scores, 0.3)
    codes = (random.random_sample(20_000) < p[:, 1]).astype(int)
    assert fit_temperature(scores, codes, None) == pytest.approx(0.3, rel=0.03)


def test_without_errors_the_temperature_stays_above_zero_and_without_sense_below_infinity():
    clean = encode_one_hot(np.arange(40) % 2, 2)
    assert 0.05 < fit_temperature(clean, np.arange(40) % 2, None) < 1
    assert fit_temperature(clean, (np.arange(40) + 1) % 2, None) == pytest.approx(1e3)


@given(scores_strategy, st.none() | st.floats(0.05, 5))
def test_probabilities_are_probabilities(scores, temperature):
    p = compute_probabilities(scores, temperature)
    assert np.all((p >= 0) & (p <= 1))
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_without_a_temperature_scores_are_cut_and_scaled():
    scores = np.array([[1.2, -0.2], [0.3, 0.7], [-1.0, -2.0]])
    np.testing.assert_allclose(
        compute_probabilities(scores, None), [[1, 0], [0.3, 0.7], [0.5, 0.5]], rtol=0, atol=1e-15
    )


def test_rows_that_cannot_be_predicted_are_left_undecided():
    scores = np.array([[0.9, 0.1], [np.nan, np.nan]])
    assert fill_undefined(scores).tolist() == [[0.9, 0.1], [0.5, 0.5]]


def test_classes_that_vanish_when_held_out_are_named():
    codes, classes = np.array([0, 0, 0, 1, 2, 2]), np.array(["ant", "bee", "cat"])
    with pytest.warns(SuspicionWarning, match="learn class 'bee' from"):
        warn_of_rare_classes(codes, classes, None)
    with pytest.warns(SuspicionWarning, match="learn class 'bee', 'cat' from"):
        warn_of_rare_classes(codes, classes, [np.array([0, 1]), np.arange(2, 6)])
    with pytest.warns(SuspicionWarning, match="learn class 'bee', 'cat' from"):
        warn_of_rare_classes(codes, classes, None, weight=np.array([1, 1, 1, 0, 2, 0]))
    warn_of_rare_classes(np.array([0, 0, 1, 1]), classes[:2], None)
