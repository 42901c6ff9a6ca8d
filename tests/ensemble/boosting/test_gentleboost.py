import numpy as np
import pytest
from scipy.special import expit
from sklearn.tree import DecisionTreeRegressor

from errata.ensemble import GentleBoostClassifier, LogitBoostClassifier

LINE = np.arange(10.0)[:, None]
LABELS = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])


def random_rows(seed, n=60, n_classes=2):
    random = np.random.RandomState(seed)
    codes = np.r_[np.arange(n_classes), random.randint(n_classes, size=n - n_classes)]
    X = random.normal(size=(n, 3)) + 0.8 * codes[:, None] * random.normal(size=3)
    return X.astype(np.float32).astype(float), codes


def plain_gentleboost(X, y, n_rounds, rate=1.0):
    """As printed, y being -1 and 1."""
    w, rules = np.full(len(X), 1 / len(X)), []
    for _ in range(n_rounds):
        rules.append(DecisionTreeRegressor(max_depth=1).fit(X, y, w).predict)
        w = w * np.exp(-rate * y * rules[-1](X))
        w /= w.sum()
    return lambda Z: rate * sum(rule(Z) for rule in rules)


def test_the_worked_example():
    model = GentleBoostClassifier(n_estimators=3).fit(LINE, LABELS)
    np.testing.assert_allclose(model._terms[0].estimator.leaves, [1, -1 / 7], rtol=0, atol=1e-12)
    signs = 2 * LABELS - 1
    losses = [np.exp(-signs * stage).mean() for stage in model.staged_decision_function(LINE)]
    np.testing.assert_allclose(losses, [0.803184, 0.686835, 0.554895], rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_first_round_is_that_of_logitboost(seed):
    X, codes = random_rows(seed)
    ours, theirs = (
        booster(n_estimators=1).fit(X, codes).decision_function(X)
        for booster in (GentleBoostClassifier, LogitBoostClassifier)
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_two_classes_are_the_printed_algorithm(seed, rate):
    X, codes = random_rows(seed)
    model = GentleBoostClassifier(n_estimators=8, learning_rate=rate).fit(X, codes)
    new, _ = random_rows(seed + 100)
    expected = plain_gentleboost(X, 2.0 * codes - 1, 8, rate)(new)
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], expit(2 * expected), atol=1e-9)


def test_several_classes_are_boosted_one_against_the_rest():
    X, codes = random_rows(0, n_classes=3)
    model = GentleBoostClassifier(n_estimators=6).fit(X, codes)
    columns = [plain_gentleboost(X, np.where(codes == k, 1.0, -1.0), 6)(X) for k in range(3)]
    decision = np.stack(columns, axis=1)
    np.testing.assert_allclose(model.decision_function(X), decision, rtol=0, atol=1e-9)
    share = expit(2 * decision)
    share /= share.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), share, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("depth", [1, 3])
def test_leaves_lie_between_minus_one_and_one(n_classes, depth):
    X, codes = random_rows(1, n_classes=n_classes)
    model = GentleBoostClassifier(n_estimators=40, max_depth=depth).fit(X, codes)
    assert max(np.abs(term.estimator.leaves).max() for term in model._terms) <= 1 + 1e-12


def test_the_exponential_loss_never_rises():
    for seed in range(10):
        X, codes = random_rows(seed)
        model = GentleBoostClassifier(n_estimators=40).fit(X, codes)
        signs = 2 * codes - 1
        losses = [np.exp(-signs * stage).mean() for stage in model.staged_decision_function(X)]
        assert np.diff([1.0, *losses]).max() <= 1e-12


def test_separated_classes_stay_finite_for_many_rounds():
    model = GentleBoostClassifier(n_estimators=2000).fit(LINE, LINE[:, 0] > 4)
    assert np.isfinite(model.decision_function(LINE)).all()
    weights = list(model.staged_data_weights(LINE, LINE[:, 0] > 4))[-1]
    np.testing.assert_allclose(weights, 0.1, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number at least 1"),
        ({"max_depth": 1.5}, "max_depth=1.5 must be a whole number between 1 and 12"),
        ({"learning_rate": np.nan}, "learning_rate=nan must be a number between"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        GentleBoostClassifier(**parameters).fit(LINE, LABELS)
