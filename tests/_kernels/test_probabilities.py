import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import logit, softmax

from errata._kernels import _probabilities, kernels
from errata._kernels._probabilities import Hypotheses, pool_logs, score_between
from strategies import seeds

FASTEST = kernels("probabilities")

twins = pytest.mark.parametrize("twin", [_probabilities, FASTEST], ids=["plain", "fastest"])

NO_MAP = np.empty((0, 0))


def hypotheses(random, n_classes, n_unmixed=1, n_others=2):
    """Random ones; the last says nothing about labels, as boundary noise does."""
    h = n_unmixed + n_others
    flips = 0.3 * random.dirichlet(np.ones(n_classes), (h, n_classes))
    transitions = flips + 0.7 * np.eye(n_classes)
    inverses = np.linalg.inv(transitions[:n_unmixed])
    transitions[-1] = 1
    weights = random.dirichlet(np.ones(h))
    return Hypotheses(
        slopes=random.uniform(0.7, 3, h),
        offsets=random.normal(size=(h, n_classes)),
        transitions=transitions,
        inverses=inverses,
        inverse_of=np.r_[np.arange(n_unmixed), np.full(n_others, -1)],
        weights=weights,
        ranking=random.dirichlet(np.ones(h)),
        elsewhere=np.r_[weights[:-1] / weights[:-1].sum(), 0],
        least_unmixed=0.05,
    )


def rows(random, n, n_classes):
    """Log-probabilities and labels, most of them the most probable."""
    codes = random.integers(n_classes, size=n)
    scores = random.normal(size=(n, n_classes)) + 3 * np.eye(n_classes)[codes]
    scores[::9] = 25 * random.normal(size=scores[::9].shape)
    return np.log(softmax(scores, axis=1)).T.copy(), codes


def calibration(random, n_classes):
    offsets = 0.2 * random.normal(size=(n_classes, 1))
    return np.hstack([np.eye(n_classes) + 0.1 * random.normal(size=(n_classes,) * 2), offsets])


def rest(n, **changed):
    plain = {
        "highest": 1.0,
        "surprise": 0.4,
        "vote": np.full(n, np.nan),
        "vote_weight": 0.0,
        "known": np.zeros(n, dtype=bool),
    }
    return plain | changed


def assert_alike(found, expected, atol):
    n = len(found.p_wrong)
    for name in ("p_wrong", "suspicion", "p_other", "p_elsewhere"):
        values = getattr(found, name)
        np.testing.assert_allclose(values, getattr(expected, name), rtol=0, atol=atol, err_msg=name)
    for name in ("joint", "right"):
        sums = getattr(found, name) / n, getattr(expected, name) / n
        np.testing.assert_allclose(*sums, rtol=0, atol=atol, err_msg=name)


@settings(max_examples=40)
@given(seeds, st.integers(2, 40), st.integers(1, 300), st.booleans(), st.booleans())
def test_the_twins_agree(seed, n_classes, n, calibrated, in_double):
    random = np.random.default_rng(seed)
    dtype, atol = (np.float64, 1e-9) if in_double else (np.float32, 2e-6)
    logs, codes = rows(random, n, n_classes)
    matrix = calibration(random, n_classes) if calibrated else NO_MAP
    vote = np.where(random.random(n) < 0.2, random.random(n), np.nan)
    given = rest(n, vote=vote, vote_weight=0.7, known=random.random(n) < 0.2, highest=0.9)
    arrays = logs.astype(dtype), codes, matrix.astype(dtype)
    arrays += (hypotheses(random, n_classes).astype(dtype),)
    plain, fast = (t.judge_rows(*arrays, **given) for t in (_probabilities, FASTEST))
    assert_alike(fast, plain, atol)
    clear = plain.p_other > 1e-4
    if in_double:
        np.testing.assert_array_equal(fast.other[clear], plain.other[clear])


@twins
def test_two_classes_by_hand(twin):
    q = np.array([[0.9, 0.2], [0.1, 0.8]])
    T = np.array([[0.8, 0.2], [0.1, 0.9]])
    one = np.ones(1)
    known = Hypotheses(one, np.zeros((1, 2)), T[None], np.empty((0, 2, 2)), *4 * [one], 0.05)
    known = known._replace(inverse_of=np.array([-1]))
    found = twin.judge_rows(np.log(q), np.array([0, 0]), NO_MAP, known, **rest(2))
    wrong = np.array([0.1 * 0.1 / (0.9 * 0.8 + 0.1 * 0.1), 0.8 * 0.1 / (0.2 * 0.8 + 0.8 * 0.1)])
    np.testing.assert_allclose(found.p_wrong, wrong, rtol=1e-12)
    np.testing.assert_allclose(found.p_elsewhere, wrong, rtol=1e-12)
    np.testing.assert_allclose(found.p_other, wrong, rtol=1e-6)
    np.testing.assert_array_equal(found.other, [1, 1])
    np.testing.assert_allclose(found.joint, [[2 - wrong.sum(), 0], [wrong.sum(), 0]], atol=1e-12)
    np.testing.assert_allclose(found.right, [2 - wrong.sum()], rtol=1e-12)
    odds = 0.6 * logit(wrong) + 0.4 * logit([0.1, 0.8])
    np.testing.assert_allclose(logit(found.suspicion), odds, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [3, 50])
def test_compiled_a_row_is_the_same_in_any_block(n_classes, dtype):
    random = np.random.default_rng(0)
    logs, codes = rows(random, 300, n_classes)
    logs, h = logs.astype(dtype), hypotheses(random, n_classes).astype(dtype)
    matrix = calibration(random, n_classes).astype(dtype)
    whole = FASTEST.judge_rows(logs, codes, matrix, h, **rest(300))
    for cut in (slice(0, 1), slice(17, 90), slice(123, 300)):
        part, n = logs[:, cut].copy(), len(codes[cut])
        found = FASTEST.judge_rows(part, codes[cut].copy(), matrix, h, **rest(n))
        np.testing.assert_allclose(found.p_wrong, whole.p_wrong[cut], rtol=0, atol=1e-7)
        np.testing.assert_allclose(found.suspicion, whole.suspicion[cut], rtol=0, atol=1e-7)


@twins
def test_a_thousand_classes_are_judged(twin):
    random = np.random.default_rng(0)
    logs, codes = rows(random, 150, 1000)
    h = hypotheses(random, 1000, n_unmixed=0)
    found = twin.judge_rows(logs, codes, NO_MAP, h, **rest(150))
    assert_alike(found, _probabilities.judge_rows(logs, codes, NO_MAP, h, **rest(150)), 1e-9)
    np.testing.assert_allclose(found.joint.sum(axis=0), np.bincount(codes, minlength=1000))


@twins
def test_no_rows_are_no_rows(twin):
    h = hypotheses(np.random.default_rng(0), 3)
    found = twin.judge_rows(np.empty((3, 0)), np.empty(0, dtype=int), NO_MAP, h, **rest(0))
    assert len(found.p_wrong) == len(found.other) == 0
    assert not found.joint.any()


@twins
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_certainty_stays_finite(twin, dtype):
    logs = np.array([[0, -500, -1e-9], [-500, 0, -25.0]], dtype=dtype)
    h = hypotheses(np.random.default_rng(0), 2).astype(dtype)
    found = twin.judge_rows(logs, np.zeros(3, dtype=int), NO_MAP, h, **rest(3))
    for values in found:
        assert np.isfinite(values).all()
    assert found.suspicion[1] > 0.9 > 0.1 > found.suspicion[2]


probabilities = hnp.arrays(float, st.integers(1, 40), elements=st.floats(0, 1))


@given(probabilities)
def test_the_middle_lies_between(p):
    middle = score_between(p, p[::-1], 0.47)
    low, high = np.minimum(p, p[::-1]), np.maximum(p, p[::-1])
    assert (middle >= low - 1e-8).all()
    assert (middle <= high + 1e-8).all()


def test_the_middle_is_one_of_log_odds():
    p, surprise = np.array([0.2, 0.7]), np.array([0.9, 0.4])
    middle = (logit(p) + logit(surprise)) / 2
    np.testing.assert_allclose(logit(score_between(p, surprise, 0.5)), middle)
    np.testing.assert_allclose(score_between(p, surprise, 0.0), p)


def test_the_pool_is_a_geometric_mean():
    probas = [np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[0.4, 0.6], [1.0, 0.0]])]
    logs, predictions = pool_logs(probas, np.array([0.5, 2.0]), 0.01)
    means = np.array([[0.9**0.5 * 0.4**2, 0.1**0.5 * 0.6**2], [0.5**0.5, 0.5**0.5 * 0.01**2]])
    expected = (means / means.sum(axis=1, keepdims=True)).T
    np.testing.assert_allclose(np.exp(logs), expected, rtol=1e-7)  # 0.01 in single precision
    np.testing.assert_array_equal(predictions, [[0, 0], [1, 0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_pooled_alike_in_every_block(dtype):
    random = np.random.default_rng(0)
    probas = [random.dirichlet(np.full(40, 0.2), 4_000).astype(dtype) for _ in range(2)]
    weights = np.array([0.3, 1.2])
    logs, predictions = pool_logs(probas, weights, 1e-4)
    assert logs.dtype == dtype
    for start in (0, 1_630, 3_990):  # blocks end after 1,638 rows
        some = slice(start, start + 10)
        alone, predicted = pool_logs([proba[some] for proba in probas], weights, 1e-4)
        np.testing.assert_allclose(logs[:, some], alone, rtol=0, atol=1e-5)
        np.testing.assert_array_equal(predictions[:, some], predicted)


def test_probabilities_may_lie_any_way_in_memory():
    random = np.random.default_rng(0)
    proba = random.dirichlet(np.ones(3), 20)
    straight, _ = pool_logs([proba], np.ones(1), 1e-4)
    turned, _ = pool_logs([np.asfortranarray(proba)], np.ones(1), 1e-4)
    np.testing.assert_array_equal(turned, straight)
