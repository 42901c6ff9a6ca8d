import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditing_cases import draw_truth
from errata.auditing.classes._noise_model import (
    UNIFORM,
    Hypothesis,
    anchor_pattern,
    class_to_class,
    expected_pattern,
    transition_of,
    uniform_pattern,
)

ASYMMETRIC = np.array([[0.7, 0.3], [0.05, 0.95]])


@given(st.integers(2, 6), st.floats(0, 0.45), st.integers(0, 10))
def test_transitions_are_distributions_that_mostly_keep_the_class(n_classes, rate, seed):
    random = np.random.default_rng(seed)
    q = random.dirichlet(np.full(n_classes, 0.5), 30)
    pattern = anchor_pattern(q.T, random.integers(n_classes, size=30))
    for made in (pattern, uniform_pattern(n_classes)):
        T = transition_of(made, rate)
        assert (T >= 0).all()
        np.testing.assert_allclose(T.sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (np.diag(T) > 0.5).all()


def test_expected_errors_keep_their_direction():
    truth = draw_truth(ASYMMETRIC, 4000)
    known = Hypothesis(UNIFORM, 0.2, ASYMMETRIC, 1.0, np.zeros(2), 0.0, 0.0, 0.0, 0.2)
    pattern = expected_pattern(known, truth.logs, truth.labels)
    assert pattern[0, 1] > 2 * pattern[1, 0]
    np.testing.assert_array_equal(np.diag(pattern), 0)


def test_the_surest_rows_show_which_class_flows_where():
    T = np.array([[0.7, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]])
    truth = draw_truth(T, 5000, overlap=0.01)
    found, used = class_to_class(np.exp(truth.logs), truth.labels, 0.2)
    np.testing.assert_allclose(found, T, rtol=0, atol=0.06)
    assert (used > 100).all()


def test_two_rows_speak_for_the_class_itself():
    q = np.tile([[0.9], [0.1]], (1, 20))
    q[:, 10:] = q[::-1, 10:]
    codes = np.repeat([0, 1], 10)
    codes[:3] = 1  # 3 of the 10 surest rows of class 0
    found, used = class_to_class(q, codes, 0.1)
    np.testing.assert_allclose(found, [[9 / 12, 3 / 12], [0, 1]], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(used, [10, 10])
