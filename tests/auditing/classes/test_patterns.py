import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditing_cases import draw_truth
from errata.auditing.classes._noise_model import (
    UNIFORM,
    Hypothesis,
    anchor_pattern,
    class_to_class,
    confident_joint,
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
    known = Hypothesis(UNIFORM, 0.2, ASYMMETRIC, 1.0, np.zeros(2), grid_rate=0.2)
    pattern, left_out = expected_pattern(known, truth.logs, truth.labels)
    assert pattern[0, 1] > 2 * pattern[1, 0]
    np.testing.assert_array_equal(np.diag(pattern), 0)
    own = left_out[truth.labels, np.arange(4000)]
    np.testing.assert_array_equal(own, 1)
    # A row that is probably of class 0 and labelled 1 counts among the errors from 0 to 1.
    given = known.classes_given_labels(truth.logs, truth.labels)
    errors = given[0, truth.labels == 1].sum()
    rate = 1 - (given[truth.labels, np.arange(4000)]).mean()
    row = np.flatnonzero(truth.labels == 1)[np.argmax(given[0, truth.labels == 1])]
    expected = 1 - given[0, row] / (errors + 0.02 * 4000 * rate)
    np.testing.assert_allclose(left_out[0, row], expected, rtol=1e-9)


def test_the_surest_rows_show_which_class_flows_where():
    T = np.array([[0.7, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]])
    truth = draw_truth(T, 5000, overlap=0.01)
    found, used, _ = class_to_class(np.exp(truth.logs), truth.labels, 0.2)
    np.testing.assert_allclose(found, T, rtol=0, atol=0.06)
    assert (used > 100).all()


def test_two_rows_speak_for_the_class_itself():
    q = np.tile([[0.9], [0.1]], (1, 20))
    q[:, 10:] = q[::-1, 10:]
    codes = np.repeat([0, 1], 10)
    codes[:3] = 1  # 3 of the 10 surest rows of class 0
    found, used, left_out = class_to_class(q, codes, 0.1)
    np.testing.assert_allclose(found, [[9 / 12, 3 / 12], [0, 1]], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(used, [10, 10])
    # Without itself, one of three errors among twelve leaves two among eleven.
    np.testing.assert_allclose(left_out[0, :3], (2 / 11) / (3 / 12))
    np.testing.assert_allclose(left_out[0, 3:10], (8 / 11) / (9 / 12))
    np.testing.assert_array_equal(left_out[1, :10], 1)


def test_an_error_that_no_other_row_shows_is_hardly_explained():
    q = np.tile([[0.9], [0.1]], (1, 20))
    q[:, 10:] = q[::-1, 10:]
    codes = np.repeat([0, 1], 10)
    codes[0] = 1
    _, _, left_out = class_to_class(q, codes, 0.1)
    np.testing.assert_allclose(left_out[0, 0], (0.5 / 11) / (1 / 12))


def test_the_confident_joint_may_lose_most_of_a_class():
    # Of class 0, whose rows models find at 0.4, two labels in three are 1.
    q = np.array([[0.4] * 30 + [0.05] * 30, [0.6] * 30 + [0.95] * 30])
    codes = np.r_[np.repeat([0, 1], [10, 20]), np.ones(30, dtype=int)]
    found, used, left_out = confident_joint(q, codes)
    np.testing.assert_array_equal(used, [30, 30])
    np.testing.assert_allclose(found, [[12 / 32, 20 / 32], [0, 1]])
    np.testing.assert_allclose(left_out[0, 10], (19 / 31) / (20 / 32))
