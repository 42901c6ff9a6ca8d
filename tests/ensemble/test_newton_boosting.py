import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.tree import DecisionTreeRegressor

from errata.ensemble import GentleBoostClassifier, LogitBoostClassifier

LINE = np.arange(10.0)[:, None]

LABELS = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])


def random_rows(seed, n=60, n_classes=2):
    random = np.random.RandomState(seed)
    codes = np.r_[np.arange(n_classes), random.randint(n_classes, size=n - n_classes)]
    X = random.normal(size=(n, 3)) + 0.8 * codes[:, None] * random.normal(size=3)
    return X.astype(np.float32).astype(float), codes


def stump(X, z, w):
    return DecisionTreeRegressor(max_depth=1).fit(X, z, w).predict


def plain_binary(X, codes, n_rounds, rate=1.0, z_max=4.0):
    F, rules = np.zeros(len(X)), []
    for _ in range(n_rounds):
        p = 1 / (1 + np.exp(-2 * F))
        z = np.clip(np.where(codes == 1, 1 / p, -1 / (1 - p)), -z_max, z_max)
        rules.append(stump(X, z, p * (1 - p)))
        F += 0.5 * rate * rules[-1](X)
    return lambda Z: 0.5 * rate * sum(rule(Z) for rule in rules)


def plain_several(X, codes, n_classes, n_rounds, z_max=4.0):
    F, rounds = np.zeros((len(X), n_classes)), []
    for _ in range(n_rounds):
        p = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
        rules = []
        for j in range(n_classes):
            z = np.where(codes == j, 1 / p[:, j], -1 / (1 - p[:, j])).clip(-z_max, z_max)
            rules.append(stump(X, z, p[:, j] * (1 - p[:, j])))
        rounds.append(rules)
        F += centred(rules, X)
    return lambda Z: sum(centred(rules, Z) for rules in rounds)


def centred(rules, X):
    f = np.stack([rule(X) for rule in rules], axis=1)
    return (f.shape[1] - 1) / f.shape[1] * (f - f.mean(axis=1, keepdims=True))


def log_loss(decision, codes):
    return np.logaddexp(0, -2 * np.where(codes == 1, decision, -decision)).mean()


def test_the_worked_example():
    # Ten points on a line; the first split leaves z = 2 on the left, (3 * 2 - 4 * 2) / 7 right.
    model = LogitBoostClassifier(n_estimators=3).fit(LINE, LABELS)
    trees = [term.estimator for term in model._terms]
    assert [tree.thresholds[0] for tree in trees] == [2.5, 5.5, 8.5]
    np.testing.assert_allclose(trees[0].leaves, [2, -2 / 7], rtol=0, atol=1e-12)
    losses = [log_loss(stage, LABELS) for stage in model.staged_decision_function(LINE)]
    np.testing.assert_allclose(losses, [0.516114, 0.391269, 0.243558], rtol=0, atol=1e-6)


@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_two_classes_are_the_printed_algorithm(seed, rate):
    X, codes = random_rows(seed)
    model = LogitBoostClassifier(n_estimators=8, learning_rate=rate, z_max=3).fit(X, codes)
    expected = plain_binary(X, codes, 8, rate, 3.0)
    new, _ = random_rows(seed + 100)
    np.testing.assert_allclose(model.decision_function(new), expected(new), rtol=0, atol=1e-9)
    probabilities = model.predict_proba(new)[:, 1]
    np.testing.assert_allclose(probabilities, expit(2 * expected(new)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_several_classes_are_the_printed_algorithm(seed):
    X, codes = random_rows(seed, n_classes=3)
    model = LogitBoostClassifier(n_estimators=6).fit(X, codes)
    expected = plain_several(X, codes, 3, 6)
    new, _ = random_rows(seed + 100)
    decision = model.decision_function(new)
    np.testing.assert_allclose(decision, expected(new), rtol=0, atol=1e-9)
    np.testing.assert_allclose(decision.sum(axis=1), 0, rtol=0, atol=1e-9)
    probabilities = softmax(expected(new), axis=1)
    np.testing.assert_allclose(model.predict_proba(new), probabilities, rtol=0, atol=1e-9)


def test_two_classes_by_the_algorithm_for_several_are_the_same():
    X, codes = random_rows(0)
    both = plain_several(X, codes, 2, 6)(X)
    one = LogitBoostClassifier(n_estimators=6).fit(X, codes).decision_function(X)
    np.testing.assert_allclose(both, np.stack([-one, one], axis=1), rtol=0, atol=1e-9)


@pytest.mark.parametrize("rate", [0.5, 0.1])
def test_the_loss_never_rises_with_small_steps(rate):
    for seed in range(20):
        X, codes = random_rows(seed)
        # Cut steps (z_max=4) are no longer downhill for all: a rate of 0.5 can overshoot then.
        model = LogitBoostClassifier(n_estimators=40, learning_rate=rate, z_max=1e6).fit(X, codes)
        losses = [log_loss(stage, codes) for stage in model.staged_decision_function(X)]
        assert np.diff([np.log(2), *losses]).max() <= 1e-9


def test_rows_that_are_almost_sure_keep_their_weight():
    # 1 - p is zero in double precision for the last decision; its curvature is at the floor.
    decision = np.array([[0.0], [10.0], [-10.0], [30.0]])
    weights = LogitBoostClassifier()._weigh(decision, np.array([0, 1, 0, 1]), 1)[:, 0]
    np.testing.assert_allclose(weights[:3], [0.25, np.exp(-20), np.exp(-20)], rtol=1e-8, atol=0)
    assert weights[3] == 2 * np.finfo(float).eps


@pytest.mark.parametrize("n_classes", [2, 3])
def test_separated_classes_stay_finite_for_many_rounds(n_classes):
    X = np.arange(12.0)[:, None]
    y = np.repeat(np.arange(n_classes), 12 // n_classes)
    model = LogitBoostClassifier(n_estimators=500).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_array_equal(model.predict(X), y)


def test_single_steps_are_cut():
    X, codes = random_rows(0)
    for z_max in (1.0, 4.0):
        model = LogitBoostClassifier(n_estimators=30, z_max=z_max).fit(X, codes)
        assert max(np.abs(term.estimator.leaves).max() for term in model._terms) <= z_max + 1e-12


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_estimators": 2.5}, "n_estimators=2.5 must be a whole number at least 1"),
        ({"max_depth": 0}, "max_depth=0 must be a whole number between 1 and 12"),
        ({"learning_rate": -1}, "learning_rate=-1 must be a number between"),
        ({"z_max": 0}, "z_max=0 must be a number between"),
        ({"contamination": 2.0}, "contamination=2.0 must be a number between 0 and 1"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        LogitBoostClassifier(**parameters).fit(LINE, LABELS)


def plain_gentleboost(X, y, n_rounds, rate=1.0):
    """As printed, y being -1 and 1."""
    w, rules = np.full(len(X), 1 / len(X)), []
    for _ in range(n_rounds):
        rules.append(DecisionTreeRegressor(max_depth=1).fit(X, y, w).predict)
        w = w * np.exp(-rate * y * rules[-1](X))
        w /= w.sum()
    return lambda Z: rate * sum(rule(Z) for rule in rules)


def test_the_worked_example_in_gentleboost():
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
def test_two_classes_are_the_printed_algorithm_in_gentleboost(seed, rate):
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


def test_separated_classes_stay_finite_for_many_rounds_in_gentleboost():
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
def test_bad_parameters_get_a_sentence_in_gentleboost(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        GentleBoostClassifier(**parameters).fit(LINE, LABELS)
