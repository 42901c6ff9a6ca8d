import pickle

import numpy as np
import pytest

from auditing_cases import draw_truth, known_noise, symmetric
from errata._kernels import _probabilities
from errata.auditing.classes import _posterior, posterior_of, rows_posterior
from errata.auditing.classes._posterior import row_rule


@pytest.fixture(scope="module")
def found():
    truth = draw_truth(symmetric(3, 0.15), 700, overlap=0.1, error=0.3)
    return truth, posterior_of(truth.logs, truth.labels, np.random.default_rng(0))


def test_the_rule_of_a_posterior_judges_rows_as_the_posterior_does(found):
    truth, posterior = found
    rows = rows_posterior(posterior.rule, truth.logs, truth.labels)
    for name in ("p_wrong", "suspicion", "other", "p_other", "p_elsewhere"):
        np.testing.assert_allclose(
            getattr(rows, name), getattr(posterior, name), rtol=0, atol=1e-12
        )
    np.testing.assert_allclose(rows.joint / 700, posterior.joint, rtol=0, atol=1e-12)
    heavy = posterior.rule.places
    np.testing.assert_allclose(1 - rows.right[heavy] / 700, posterior.rates[heavy], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 13, 400])
def test_a_row_is_judged_alike_in_any_block(found, size, dtype):
    truth, posterior = found
    logs, codes = truth.logs.astype(dtype), truth.labels
    whole = rows_posterior(posterior.rule, logs, codes)
    cuts = [slice(start, start + size) for start in range(0, 700, size)]
    judged = [rows_posterior(posterior.rule, logs[:, c], codes[c]) for c in cuts]
    *per_row, joint, right = zip(*judged, strict=True)
    parts = whole._make([*map(np.concatenate, per_row), sum(joint), sum(right)])
    for name, atol in (("p_wrong", 1e-6), ("suspicion", 1e-6), ("joint", 1e-3), ("right", 1e-3)):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=0, atol=atol)
    np.testing.assert_array_equal(parts.other, whole.other)


def test_a_label_that_is_certain_is_right(found):
    truth, posterior = found
    known = np.arange(700) < 50
    rows = rows_posterior(posterior.rule, truth.logs, truth.labels, known=known)
    for values in (rows.p_wrong, rows.suspicion, rows.p_elsewhere):
        assert not values[known].any()
        assert values[~known].all()


def test_a_rule_travels_as_a_small_file(found):
    truth, posterior = found
    travelled = pickle.dumps(posterior.rule)
    assert len(travelled) < 50_000
    there = rows_posterior(pickle.loads(travelled), truth.logs, truth.labels)
    np.testing.assert_array_equal(there.p_wrong, posterior.p_wrong)


def test_the_more_the_classes_differ_in_noise_the_less_surprise_counts(found):
    _, posterior = found
    even = np.array([[0.8, 0.2], [0.2, 0.8]])
    uneven = np.array([[0.88, 0.12], [0.28, 0.72]])  # the spread is 0.08
    parts = [row_rule(known_noise(T), posterior.skill).surprise for T in (even, uneven)]
    np.testing.assert_allclose(parts, [0.5, np.exp(-1) / 2], rtol=1e-12)


def test_of_many_rows_a_few_are_worth_compiling_for(found, monkeypatch):
    truth, posterior = found
    asked = []
    monkeypatch.setattr(
        _posterior, "kernels", lambda name, compiled: asked.append(compiled) or _probabilities
    )
    monkeypatch.setattr(_posterior, "WORTH_COMPILING_OF_MANY", 2100)  # 700 rows of 3 classes
    for of_many in (False, True):
        rows_posterior(posterior.rule, truth.logs, truth.labels, of_many=of_many)
    assert asked == [False, True]


@pytest.mark.parametrize("logs_dtype", [np.float32, np.float64])
def test_tables_worth_compiling_for_are_judged_alike(found, monkeypatch, logs_dtype):
    truth, posterior = found
    logs = truth.logs.astype(logs_dtype)
    plain = rows_posterior(posterior.rule, logs, truth.labels)
    monkeypatch.setattr(_posterior, "WORTH_COMPILING", 0)
    fast = rows_posterior(posterior.rule, logs.T.copy().T, truth.labels.astype(np.int16))
    for name in ("p_wrong", "suspicion", "p_other", "p_elsewhere"):
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(fast.other, plain.other)
    np.testing.assert_allclose(fast.right, plain.right, rtol=1e-6)
