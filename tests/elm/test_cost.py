"""What a fit costs: memory that does not grow with the rows, and ratios of processor time."""

import time
import tracemalloc

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from errata.elm import ELMClassifier, _hidden_layer


def two_classes(n, d):
    X = np.random.default_rng(0).normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def peak_bytes(model, X, y):
    tracemalloc.start()
    try:
        model.fit(X, y)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cv", [None, 5])
def test_hidden_activations_are_never_held_for_all_rows(monkeypatch, cv):
    monkeypatch.setattr(_hidden_layer, "KEPT_BYTES", 0)
    X, y = two_classes(20_000, 3)
    model = ELMClassifier(n_hidden=200, cv=cv, block_size=500, random_state=0)
    assert peak_bytes(model, X, y) < 8 * 20_000 * 200 / 2


@pytest.mark.slow
def test_all_alphas_and_all_rows_left_out_take_little_memory():
    X, y = two_classes(100_000, 30)
    assert peak_bytes(ELMClassifier(n_hidden=500, random_state=0), X, y) < 2**30


@pytest.mark.slow
@pytest.mark.parametrize(("m", "cv", "limit"), [(500, 10, 2.0), (1000, 10, 1.7), (1000, None, 2.5)])
def test_out_of_sample_predictions_cost_little_more_than_a_plain_fit(m, cv, limit):
    X, y = two_classes(100_000, 30)

    def seconds(cv):
        start = time.process_time()
        ELMClassifier(n_hidden=m, alpha=1.0, cv=cv, random_state=0).fit(X, y)
        return time.process_time() - start

    with threadpool_limits(1):
        seconds(False)  # what is compiled is compiled now
        times = [(seconds(False), seconds(cv)) for _ in range(3)]
    plain, outside = np.min(times, axis=0)
    assert outside / plain < limit
