import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from auditing_cases import draw_truth, symmetric
from errata.auditing import _pool
from errata.auditing._pool import largest, log_opinion, pool_weights, pooled_logs, some_rows

TRUTH = draw_truth(symmetric(3, 0.1), 1000, overlap=0.3)
GOOD = np.exp(TRUTH.logs.T)
IDLE = np.random.default_rng(0).dirichlet(np.ones(3), 1000)


def log_loss(logs):
    return -logs[TRUTH.labels, np.arange(len(TRUTH.labels))].mean()


def weights_of(*opinions):
    return pool_weights(opinions, TRUTH.labels, np.random.default_rng(0))


def test_who_knows_weighs_more_than_who_guesses():
    good, idle = weights_of(GOOD, IDLE)
    assert good > 0.9
    assert 0 <= idle < 0.1


def test_the_pool_loses_no_more_than_its_best_member():
    blurred = GOOD * np.exp(np.random.default_rng(1).normal(size=GOOD.shape))
    blurred /= blurred.sum(axis=1, keepdims=True)
    opinions = [GOOD, blurred]
    pooled, preferred = pooled_logs(opinions, weights_of(*opinions))
    assert log_loss(pooled) < log_loss(TRUTH.logs) + 1e-3
    np.testing.assert_allclose(np.exp(pooled).sum(axis=0), 1, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(preferred, [o.argmax(axis=1) for o in opinions])


def test_a_class_ruled_out_stays_possible():
    assert np.isfinite(log_opinion(np.array([[0.0, 1.0]]))).all()


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 9)), elements=st.floats(-2, 2))
)
def test_the_largest_is_the_first_of_equals(values):
    place, top = largest(values.round())
    np.testing.assert_array_equal(place, values.round().argmax(axis=0))
    np.testing.assert_array_equal(top, values.round().max(axis=0))


def test_of_very_many_classes_the_last_may_be_the_largest():
    place, _ = largest(np.eye(1000)[:, ::-7])
    np.testing.assert_array_equal(place, np.arange(999, -1, -7))


def test_blocks_change_nothing(monkeypatch):
    opinions, weights = [GOOD, IDLE], np.array([0.5, 0.25])
    whole, preferred = pooled_logs(opinions, weights)
    monkeypatch.setattr(_pool, "CACHED", 21)
    parts = pooled_logs(opinions, weights)
    np.testing.assert_allclose(parts[0], whole, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(parts[1], preferred)


def test_many_rows_are_sampled_without_repeats_and_few_are_all_taken():
    random = np.random.default_rng(0)
    np.testing.assert_array_equal(some_rows(50, 3, random), np.arange(50))
    drawn = some_rows(10**6, 1000, random)
    assert len(np.unique(drawn)) == len(drawn) < 10**5
